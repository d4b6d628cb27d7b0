import type { Insertable } from "kysely"
import type { Page } from "../../../shared/contract/primitives.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import type { AutomationRow } from "./stored-automation.ts"

export type AutomationStore = ReturnType<typeof createAutomationStore>
type Changes = Partial<
  Omit<Insertable<TablesOf<"automations">["automations"]>, "id" | "ownerId" | "createdAt">
>

/** Stores automations. */
export function createAutomationStore(db: DbOf<"automations">) {
  const all = (transaction: AnyTransaction) =>
    ownTables<"automations">(transaction).selectFrom("automations").selectAll()
  const owned = (ownerId: string) => db.selectFrom("automations").where("ownerId", "=", ownerId)

  return {
    async list(ownerId: string, { limit, offset }: Page): Promise<{ total: number; rows: AutomationRow[] }> {
      const { total } = await owned(ownerId)
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      const rows = await owned(ownerId)
        .selectAll()
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .offset(offset)
        .execute()
      return { total, rows }
    },

    find: (id: string, transaction: AnyTransaction = db): Promise<AutomationRow | undefined> =>
      all(transaction).where("id", "=", id).executeTakeFirst(),

    findByHook: (hookHash: Buffer): Promise<AutomationRow | undefined> =>
      all(db).where("hookHash", "=", hookHash).executeTakeFirst(),

    async countOwned(transaction: AnyTransaction, ownerId: string): Promise<number> {
      const { total } = await ownTables<"automations">(transaction)
        .selectFrom("automations")
        .select((e) => e.fn.countAll<number>().as("total"))
        .where("ownerId", "=", ownerId)
        .executeTakeFirstOrThrow()
      return total
    },

    async insert(
      transaction: AnyTransaction,
      row: Omit<AutomationRow, "failures" | "found" | "problem">,
    ): Promise<void> {
      await ownTables<"automations">(transaction).insertInto("automations").values(row).execute()
    },

    async update(transaction: AnyTransaction, id: string, changes: Changes): Promise<void> {
      await ownTables<"automations">(transaction)
        .updateTable("automations")
        .set(changes)
        .where("id", "=", id)
        .execute()
    },

    async remove(transaction: AnyTransaction, id: string): Promise<void> {
      await ownTables<"automations">(transaction).deleteFrom("automations").where("id", "=", id).execute()
    },

    /** Returns due automations, the longest overdue first. */
    due: (now: string, most: number): Promise<AutomationRow[]> =>
      all(db)
        .where("enabled", "=", 1)
        .where("nextRunAt", "<=", now)
        .orderBy("nextRunAt")
        .limit(most)
        .execute(),

    /** Returns the automation that is due next. */
    nextDue: (): Promise<AutomationRow | undefined> =>
      all(db)
        .where("enabled", "=", 1)
        .where("nextRunAt", "is not", null)
        .orderBy("nextRunAt")
        .limit(1)
        .executeTakeFirst(),

    /** Returns scheduled automations whose next time was calculated later than `moment`, at an unknown time, or is invalid. */
    timedAfter: (moment: string): Promise<Pick<AutomationRow, "id">[]> =>
      db
        .selectFrom("automations")
        .select("id")
        .where("enabled", "=", 1)
        .where("kind", "=", "schedule")
        .where((e) =>
          e.or([
            e("timedAt", "is", null),
            e("timedAt", ">", moment),
            e("nextRunAt", "not like", "____-__-__T__:__:__.___Z"),
          ]),
        )
        .execute(),

    /** Returns automations that watch the files of a folder. */
    waitingFor: (transaction: AnyTransaction, folderId: string): Promise<AutomationRow[]> =>
      all(transaction).where("folderId", "=", folderId).where("enabled", "=", 1).orderBy("id").execute(),

    /** Returns the ids of watched folders, by automation owner. */
    async awaitedByOwner(): Promise<ReadonlyMap<string, string[]>> {
      const rows = await db
        .selectFrom("automations")
        .select(["ownerId", "folderId"])
        .where("folderId", "is not", null)
        .where("enabled", "=", 1)
        .distinct()
        .execute()
      const folders = new Map<string, string[]>()
      for (const { ownerId, folderId } of rows)
        if (folderId !== null) folders.set(ownerId, [...(folders.get(ownerId) ?? []), folderId])
      return folders
    },

    /** Returns the ids of watched folders. */
    async awaitedFolders(transaction: AnyTransaction = db): Promise<string[]> {
      const rows = await ownTables<"automations">(transaction)
        .selectFrom("automations")
        .select("folderId")
        .where("folderId", "is not", null)
        .where("enabled", "=", 1)
        .distinct()
        .execute()
      return rows.flatMap(({ folderId }) => folderId ?? [])
    },

    transaction: <T>(work: (transaction: AnyTransaction) => Promise<T>): Promise<T> =>
      db.transaction().execute(work),
  }
}
