import type { Selectable } from "kysely"
import { FiledAs, type Filing } from "../../../shared/contract/filing.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"

export type FilingRow = Selectable<TablesOf<"filing">["filings"]>

/** Maximum number of filings kept per person. */
const maxKept = 10_000

export const readLocations = ({ was, became }: Pick<FilingRow, "was" | "became">) => ({
  was: was === null ? null : FiledAs.parse(JSON.parse(was)),
  became: FiledAs.parse(JSON.parse(became)),
})

export const present = (row: FilingRow): Filing => ({
  id: row.id,
  action: row.action,
  fileId: row.fileId,
  besideId: row.besideId,
  ...readLocations(row),
  chatId: row.chatId,
  createdAt: row.createdAt,
  undoneAt: row.undoneAt,
})

/** Stores filings. */
export function createFilingStore(db: DbOf<"filing">) {
  const tables = (transaction: AnyTransaction) => ownTables<"filing">(transaction)

  return {
    find: (ownerId: string, id: string): Promise<FilingRow | undefined> =>
      db
        .selectFrom("filings")
        .selectAll()
        .where("ownerId", "=", ownerId)
        .where("id", "=", id)
        .executeTakeFirst(),

    /** The filing that a call made, unless it was undone. */
    findByCall: (ownerId: string, chatId: string, callKey: string): Promise<FilingRow | undefined> =>
      db
        .selectFrom("filings")
        .selectAll()
        .where("ownerId", "=", ownerId)
        .where("chatId", "=", chatId)
        .where("callKey", "=", callKey)
        .where("status", "!=", "undone")
        .executeTakeFirst(),

    /** Newest first. */
    async list(
      ownerId: string,
      fileId: string | undefined,
      { limit, offset }: Page,
    ): Promise<{ total: number; rows: FilingRow[] }> {
      let listed = db
        .selectFrom("filings")
        .where("ownerId", "=", ownerId)
        .where("status", "in", ["done", "undone"])
      if (fileId !== undefined)
        listed = listed.where((e) => e.or([e("fileId", "=", fileId), e("besideId", "=", fileId)]))
      const { total } = await listed
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      const rows = await listed.selectAll().orderBy("id", "desc").limit(limit).offset(offset).execute()
      return { total, rows }
    },

    /** Filings that were interrupted when the server stopped, or that failed in both directions. */
    listInterrupted: (): Promise<FilingRow[]> =>
      db.selectFrom("filings").selectAll().where("taken", "is not", null).orderBy("id").execute(),

    async insert(transaction: AnyTransaction, row: FilingRow): Promise<void> {
      await tables(transaction).insertInto("filings").values(row).execute()
      const old = tables(transaction)
        .selectFrom("filings")
        .select("id")
        .where("ownerId", "=", row.ownerId)
        .orderBy("id", "desc")
        .limit(1)
        .offset(maxKept)
      await tables(transaction)
        .deleteFrom("filings")
        .where("ownerId", "=", row.ownerId)
        .where("id", "<=", old)
        .where("taken", "is", null)
        .execute()
    },

    async change(
      transaction: AnyTransaction,
      id: string,
      to: Partial<Pick<FilingRow, "status" | "became" | "taken" | "undoneAt">>,
    ): Promise<void> {
      await tables(transaction).updateTable("filings").set(to).where("id", "=", id).execute()
    },

    async remove(transaction: AnyTransaction, id: string): Promise<void> {
      await tables(transaction).deleteFrom("filings").where("id", "=", id).execute()
    },

    /**
     * The chat in which a file was last filed, before the filing with the ID `before` if one is given. Null if a person filed it, or no one
     * did.
     */
    async findLastChatId(
      transaction: AnyTransaction,
      fileId: string,
      before: string | null,
    ): Promise<string | null> {
      let filings = tables(transaction).selectFrom("filings").select("chatId").where("fileId", "=", fileId)
      if (before !== null) filings = filings.where("id", "<", before)
      const last = await filings.orderBy("id", "desc").limit(1).executeTakeFirst()
      return last?.chatId ?? null
    },
  }
}
