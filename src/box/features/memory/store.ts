import type { Selectable } from "kysely"
import type { Memory } from "../../../shared/contract/memory.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { containsFolded, foldCase } from "../../core/database/sql-helpers.ts"

/** Remembered facts; each belongs to one user. */
export function createMemoryStore(db: DbOf<"memory">) {
  const owned = (ownerId: string) => db.selectFrom("memories").where("ownerId", "=", ownerId)

  return {
    async list(ownerId: string, page: Page, search?: string) {
      let matching = owned(ownerId)
      if (search) matching = matching.where(containsFolded("foldedText", search))
      const { total } = await matching
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      const rows = await matching
        .selectAll()
        .orderBy("updatedAt", "desc")
        .orderBy("id", "desc")
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      return { total, memories: rows.map(toMemory) }
    },

    /** All facts, most recently changed first. */
    async all(ownerId: string): Promise<Memory[]> {
      const rows = await owned(ownerId)
        .selectAll()
        .orderBy("updatedAt", "desc")
        .orderBy("id", "desc")
        .execute()
      return rows.map(toMemory)
    },

    async hasFactsOfScopedKeys(ownerId: string): Promise<boolean> {
      const found = await owned(ownerId).select("id").where("writtenByScopedKey", "=", 1).executeTakeFirst()
      return found !== undefined
    },

    async insert(ownerId: string, memory: Memory): Promise<void> {
      await db
        .insertInto("memories")
        .values({ ownerId, ...toColumns(memory), id: memory.id, createdAt: memory.createdAt })
        .execute()
    },

    async replace(ownerId: string, memory: Memory): Promise<void> {
      await db
        .updateTable("memories")
        .set(toColumns(memory))
        .where("ownerId", "=", ownerId)
        .where("id", "=", memory.id)
        .execute()
    },

    /** Returns how many facts were removed. */
    async remove(ownerId: string, id?: string): Promise<number> {
      let removing = db.deleteFrom("memories").where("ownerId", "=", ownerId)
      if (id !== undefined) removing = removing.where("id", "=", id)
      return Number((await removing.executeTakeFirstOrThrow()).numDeletedRows)
    },
  }
}

const toMemory = ({
  id,
  text,
  writtenByScopedKey,
  createdAt,
  updatedAt,
}: Selectable<TablesOf<"memory">["memories"]>): Memory => ({
  id,
  text,
  createdAt,
  updatedAt,
  ...(writtenByScopedKey === 1 && { writtenByScopedKey: true }),
})

const toColumns = ({ text, updatedAt, writtenByScopedKey }: Memory) => ({
  text,
  foldedText: foldCase(text),
  updatedAt,
  writtenByScopedKey: Number(writtenByScopedKey === true),
})
