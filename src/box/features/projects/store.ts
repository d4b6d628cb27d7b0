import { sql, type Selectable } from "kysely"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Project } from "../../../shared/contract/projects.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { readStoredIds } from "../../core/database/sql-helpers.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"

/** Stored projects; each belongs to one user. */
export function createProjectStore(db: DbOf<"projects">) {
  const owned = (ownerId: string) =>
    db.selectFrom("projects").where("ownerId", "=", ownerId).where("removed", "=", 0)

  return {
    async list(ownerId: string, page: Page): Promise<{ total: number; projects: Project[] }> {
      const { total } = await owned(ownerId)
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      const rows = await owned(ownerId)
        .selectAll()
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      return { total, projects: rows.map(toProject) }
    },

    async find(ownerId: string, id: string): Promise<Project | undefined> {
      const row = await owned(ownerId).where("id", "=", id).selectAll().executeTakeFirst()
      return row && toProject(row)
    },

    /** Returns false if the owner already has the maximum number. */
    async insert(ownerId: string, project: Project, max: number): Promise<boolean> {
      const { numInsertedOrUpdatedRows = 0n } = await db.transaction().execute((trx) =>
        trx
          .insertInto("projects")
          .columns([
            "id",
            "ownerId",
            "name",
            "instructions",
            "vectorIds",
            "assistantId",
            "createdAt",
            "writtenByScopedKey",
          ])
          .expression(
            sql`SELECT ${project.id}, ${ownerId}, ${project.name}, ${project.instructions},
            ${JSON.stringify(project.vectorIds)}, ${project.assistantId}, ${project.createdAt},
            ${Number(project.writtenByScopedKey === true)}
            WHERE (SELECT count(*) FROM projects WHERE "ownerId" = ${ownerId} AND removed = 0) < ${max}`,
          )
          .executeTakeFirst(),
      )
      return numInsertedOrUpdatedRows > 0n
    },

    async update(
      ownerId: string,
      id: string,
      {
        vectorIds,
        writtenByScopedKey,
        ...changes
      }: Partial<Omit<Project, "id" | "createdAt" | "writtenByScopedKey">> & { writtenByScopedKey?: boolean },
    ): Promise<Project | undefined> {
      const row = await db
        .updateTable("projects")
        .set({
          ...changes,
          ...(vectorIds && { vectorIds: JSON.stringify(vectorIds) }),
          ...(writtenByScopedKey !== undefined && { writtenByScopedKey: Number(writtenByScopedKey) }),
        })
        .where("ownerId", "=", ownerId)
        .where("id", "=", id)
        .where("removed", "=", 0)
        .returningAll()
        .executeTakeFirst()
      return row && toProject(row)
    },

    /** Hides or restores a project. Returns whether that changed anything. */
    async mark(transaction: AnyTransaction, ownerId: string, id: string, removed: boolean): Promise<boolean> {
      const { numUpdatedRows } = await ownTables<"projects">(transaction)
        .updateTable("projects")
        .set({ removed: removed ? 1 : 0 })
        .where("ownerId", "=", ownerId)
        .where("id", "=", id)
        .where("removed", "=", removed ? 0 : 1)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async removeHidden(id: string): Promise<void> {
      await db.deleteFrom("projects").where("id", "=", id).where("removed", "=", 1).execute()
    },
  }
}

export const projectNotFound = () => new AppError("not_found", sentence("projects.none_such"))

export type ProjectStore = ReturnType<typeof createProjectStore>

const toProject = (row: Selectable<TablesOf<"projects">["projects"]>): Project => ({
  id: row.id,
  name: row.name,
  instructions: row.instructions,
  vectorIds: readStoredIds(row.vectorIds),
  assistantId: row.assistantId,
  createdAt: row.createdAt,
  ...(row.writtenByScopedKey === 1 && { writtenByScopedKey: true }),
})
