import type { Selectable } from "kysely"
import { FiledAs, type Filing } from "../../../shared/contract/filing.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"

export type FilingRow = Selectable<TablesOf<"filing">["filings"]>

/** Maximum number of filings kept per person. */
const maxKept = 10_000

export const readLocations = ({
  was: stateBefore,
  became: stateAfter,
}: Pick<FilingRow, "was" | "became">) => ({
  was: stateBefore === null ? null : FiledAs.parse(JSON.parse(stateBefore)),
  became: FiledAs.parse(JSON.parse(stateAfter)),
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

export type FilingStore = ReturnType<typeof createFilingStore>

const rowsPerRead = 1_000

/** A file that is in a hidden folder while it is being moved. `taken` records where it was and where its bytes are. */
export interface MovingFile {
  ownerId: string
  fileId: string
  taken: string
}

/**
 * Ends the moves that were in progress in a database restored from a backup, and returns their files. Continuing a move would write a file
 * to a location from the backup, and no owner has agreed to that. Unreadable filings are removed, because they would make the list of
 * filings fail.
 */
export async function endFilings(db: DbOf<"filing">): Promise<MovingFile[]> {
  await removeUnreadable(db)
  const moving = await db
    .selectFrom("filings")
    .select(["ownerId", "fileId", "taken"])
    .where("taken", "is not", null)
    .execute()
  await db.deleteFrom("filings").where("status", "=", "moving").execute()
  await db.updateTable("filings").set({ taken: null }).where("taken", "is not", null).execute()
  await db.updateTable("filings").set({ status: "done" }).where("status", "=", "undoing").execute()
  return moving.map(({ taken, ...file }) => ({ ...file, taken: taken ?? "" }))
}

async function removeUnreadable(db: DbOf<"filing">): Promise<void> {
  const isReadable = (stored: string | null) => stored === null || readStored(FiledAs, stored) !== undefined
  for (let after = ""; ;) {
    const rows = await db
      .selectFrom("filings")
      .select(["id", "was", "became"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(rowsPerRead)
      .execute()
    const unreadable = rows.filter(
      ({ was: stateBefore, became: stateAfter }) => !isReadable(stateBefore) || !isReadable(stateAfter),
    )
    const ids = unreadable.map(({ id }) => id)
    if (ids.length > 0) await db.deleteFrom("filings").where("id", "in", ids).execute()
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}
