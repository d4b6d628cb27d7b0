import { ownTables, type BegunTransaction, type DbOf } from "../../core/database/database.ts"
import { pathOf } from "./file-entry.ts"

/** A file that was indexed, with content that never was before. */
export interface Arrival {
  folderId: string
  fileId: string
  revision: number
  /** None of its contents was indexed before. */
  isNew: boolean
  /** Path inside the folder, with `/` between names; null: the file is gone. */
  path: string | null
}

export interface FileArrivals {
  /** Says in which folders somebody waits for files, in place of those before. */
  await(transaction: BegunTransaction, folderIds: readonly string[]): Promise<void>
  /**
   * Gives what arrived, the oldest first, to what writes down what comes of it: each file once, also over a crash. Answers how many
   * there were; more may have arrived.
   */
  take(write: (transaction: BegunTransaction, arrivals: Arrival[]) => Promise<void>): Promise<number>
}

/** Files of one transaction, for which all others wait. */
const mostAtOnce = 50

/** Files are written down as they are indexed, in the same statement (migration 066). */
export function createFileArrivals(db: DbOf<"files">): FileArrivals {
  return {
    async await(transaction, folderIds) {
      const tables = ownTables<"files">(transaction)
      await tables.deleteFrom("awaitedFolders").where("folderId", "not in", folderIds).execute()
      if (folderIds.length === 0) return
      await tables
        .insertInto("awaitedFolders")
        .values(folderIds.map((folderId) => ({ folderId })))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    async take(write) {
      const any = await db.selectFrom("fileArrivals").select("number").limit(1).executeTakeFirst()
      if (!any) return 0
      return db.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom("fileArrivals")
          .selectAll()
          .orderBy("number")
          .limit(mostAtOnce)
          .execute()
        const files = await transaction
          .selectFrom("files")
          .select(["id", "subFolder", "name"])
          .where(
            "id",
            "in",
            rows.map(({ fileId }) => fileId),
          )
          .execute()
        const paths = new Map(files.map((file) => [file.id, pathOf(file)]))
        await write(
          transaction,
          rows.map(({ folderId, fileId, revision, isNew }) => ({
            folderId,
            fileId,
            revision,
            isNew: isNew === 1,
            path: paths.get(fileId) ?? null,
          })),
        )
        await transaction
          .deleteFrom("fileArrivals")
          .where(
            "number",
            "in",
            rows.map(({ number }) => number),
          )
          .execute()
        return rows.length
      })
    },
  }
}
