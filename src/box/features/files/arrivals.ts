import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import { getPath } from "./file-entry.ts"

/** A file that was indexed with content that was never indexed before. */
export interface Arrival {
  folderId: string
  fileId: string
  revision: number
  /** Whether no version of the file was indexed before. */
  isNew: boolean
  /** Path inside the folder, with `/` between names; null: the file is gone. */
  path: string | null
}

export interface FileArrivals {
  /** Sets the folders whose new files are recorded, replacing the previous ones. */
  await(transaction: AnyTransaction, folderIds: readonly string[]): Promise<void>
  /**
   * Passes recorded arrivals, oldest first, to a function that stores the consequences: each file once, even across a crash. Returns the
   * number of arrivals; more may have been recorded.
   */
  take(write: (transaction: AnyTransaction, arrivals: Arrival[]) => Promise<void>): Promise<number>
}

/** Maximum number of files per transaction, for which all other writes wait. */
const maxBatchSize = 50

/** Arrivals are recorded in the statement that marks files as indexed (migration 066). */
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
          .limit(maxBatchSize)
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
        const paths = new Map(files.map((file) => [file.id, getPath(file)]))
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
