import type { Logger } from "../../core/logging/logger.ts"
import type { PassageIndex } from "../../engines/vectors/passage-index.ts"
import type { FileNews } from "./file-news.ts"

export interface FileChangesDeps {
  news: FileNews
  ingestion: { wake(): void; cancel(fileIds: readonly string[]): void }
  index: Pick<PassageIndex, "removeFile">
  logger: Logger
}

/** What follows when rows of files have changed: apps hear of it, indexing starts or ends. */
export function createFileChanges({ news, ingestion, index, logger }: FileChangesDeps) {
  /** The database shows no passage of these files any more; the index may follow when it has time. */
  function passagesGone(fileIds: readonly string[]): void {
    ingestion.cancel(fileIds)
    for (const fileId of fileIds) {
      index.removeFile(fileId).catch((error: unknown) => {
        logger.warn({ err: error, fileId }, "Old passages stay in the search index until it is built anew")
      })
    }
  }

  return {
    passagesGone,
    changed(fileIds: readonly string[]): void {
      if (fileIds.length === 0) return
      news.changed(fileIds)
      ingestion.wake()
    },
    removed(folderId: string, fileIds: readonly string[]): void {
      if (fileIds.length === 0) return
      passagesGone(fileIds)
      news.deleted(folderId, fileIds)
    },
  }
}

export type FileChanges = ReturnType<typeof createFileChanges>
