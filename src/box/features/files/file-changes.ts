import type { Logger } from "../../core/logging/logger.ts"
import type { PassageIndex } from "../../engines/vectors/passage-index.ts"
import type { FileNews } from "./file-news.ts"

export interface FileChangesDeps {
  news: FileNews
  ingestion: { wake(): void; cancel(fileIds: readonly string[]): void }
  index: Pick<PassageIndex, "removeFile">
  logger: Logger
}

/** Handles changed file rows: notifies apps, and starts or cancels indexing. */
export function createFileChanges({ news, ingestion, index, logger }: FileChangesDeps) {
  /** The database no longer shows passages of these files. The index may be updated later. */
  function removePassages(fileIds: readonly string[]): void {
    ingestion.cancel(fileIds)
    for (const fileId of fileIds) {
      index.removeFile(fileId).catch((error: unknown) => {
        logger.warn({ err: error, fileId }, "Old passages remain in the search index until it is rebuilt")
      })
    }
  }

  return {
    removePassages,
    changed(fileIds: readonly string[]): void {
      if (fileIds.length === 0) return
      news.changed(fileIds)
      ingestion.wake()
    },
    removed(folderId: string, fileIds: readonly string[]): void {
      if (fileIds.length === 0) return
      removePassages(fileIds)
      news.deleted(folderId, fileIds)
    },
  }
}

export type FileChanges = ReturnType<typeof createFileChanges>
