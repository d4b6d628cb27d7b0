import type { FileStatus } from "../../../../shared/contract/files.ts"
import { among, amongJson } from "../../../core/database/among.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { createPreparedQuery } from "../../../core/database/kept-query.ts"

export interface FileCounts {
  fileCount: number
  pendingCount: number
  failedCount: number
}

/** Statistics about the files of folders that reveal no file names. */
export function createFileCounts(db: DbOf<"files">) {
  const countByFolder = createPreparedQuery(db, ["folderIds"], ({ folderIds }) =>
    db
      .selectFrom("fileCounts")
      .select(["folderId", "status", "amount as count"])
      .where("folderId", "in", amongJson(folderIds)),
  )
  return {
    async count(folderId: string): Promise<number> {
      const { total } = await db
        .selectFrom("fileCounts")
        .where("folderId", "=", folderId)
        .select((e) => e.fn.sum<number | null>("amount").as("total"))
        .executeTakeFirstOrThrow()
      return total ?? 0
    },

    /** The number of files in the folders, by state. */
    async counts(folderIds: readonly string[]): Promise<Map<string, FileCounts>> {
      const counts = new Map<string, FileCounts>()
      const rows = await countByFolder({ folderIds: JSON.stringify(folderIds) })
      for (const { folderId, status, count } of rows) {
        const sum = counts.get(folderId) ?? { fileCount: 0, pendingCount: 0, failedCount: 0 }
        sum.fileCount += count
        if (status === "queued" || status === "processing") sum.pendingCount += count
        if (status === "failed") sum.failedCount += count
        counts.set(folderId, sum)
      }
      return counts
    },

    /** The number of files and bytes in the folders. */
    async sizes(folderIds: readonly string[]): Promise<Map<string, { files: number; bytes: number }>> {
      const rows = await db
        .selectFrom("folderSizes")
        .innerJoin("fileCounts", "fileCounts.folderId", "folderSizes.folderId")
        .select((e) => ["folderSizes.folderId", "bytes", e.fn.sum<number>("amount").as("files")])
        .where("folderSizes.folderId", "in", among(folderIds))
        .groupBy(["folderSizes.folderId", "bytes"])
        .execute()
      return new Map(rows.map(({ folderId, files, bytes }) => [folderId, { files, bytes }]))
    },

    /** The number of all files in each state. */
    async countByStatus(): Promise<Map<FileStatus, number>> {
      const rows = await db
        .selectFrom("fileCounts")
        .select((e) => ["status", e.fn.sum<number>("amount").as("amount")])
        .groupBy("status")
        .execute()
      return new Map(rows.map(({ status, amount }) => [status, amount]))
    },

    /** The time at which the newest file of each folder was added. Folders without files are left out. */
    async newest(folderIds: readonly string[]): Promise<Map<string, string>> {
      const rows = await db
        .selectFrom("files")
        .select((e) => ["folderId", e.fn.max("createdAt").as("newest")])
        .where("folderId", "in", among(folderIds))
        .groupBy("folderId")
        .execute()
      return new Map(rows.map(({ folderId, newest }) => [folderId, newest]))
    },
  }
}
