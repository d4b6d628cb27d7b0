import type { EventBus, Push } from "../../core/event-bus.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createDelayedWork } from "../../core/waiting/delayed-work.ts"
import { chunksWithYield } from "../../core/waiting/yield-to-event-loop.ts"
import type { PassageIndex } from "../../engines/vectors/passage-index.ts"
import { presentFile } from "./file-entry.ts"
import type { FileStore } from "./store.ts"

/** Handles changed file rows: notifies apps, and starts or cancels indexing. */
export function createFileChanges({
  news,
  ingestion,
  index,
  logger,
}: {
  news: FileNews
  ingestion: { wake(): void; cancel(fileIds: readonly string[]): void }
  index: Pick<PassageIndex, "removeFile">
  logger: Logger
}) {
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

/** Notifies connected apps about files a few times per second. Of several changes to a file, only the latest state is sent. */
export interface FileNews extends AsyncDisposable {
  /** An empty list notifies only the rest of the box. */
  changed(fileIds: readonly string[]): void
  deleted(folderId: string, fileIds: readonly string[]): void
  /** The folder's own data has changed. */
  folderChanged(folderId: string): void
  /** A file was read again. Its folder, which says how many are left, is sent now and then. */
  reread(folderId: string, fileId: string, isChanged: boolean): void
}

const intervalMs = 200
/** Interval at which apps learn how many files are left to be read again. */
const progressIntervalMs = 3_000
/** Maximum number of files sent to apps before yielding to other work. */
const priorityCount = 50

export function createFileNews({
  store,
  push,
  bus,
  logger,
  audience,
}: {
  store: Pick<FileStore, "findByIds">
  push: Push
  bus: EventBus
  logger: Logger
  /** Returns the users who may be notified about a folder's files; null means everyone. */
  audience(folderId: string): Promise<readonly string[] | null>
}): FileNews {
  let changedIds = new Set<string>()
  let deletedIds = new Map<string, Set<string>>()
  let folderIds = new Set<string>()
  let isChanged = false
  const rereadIds = new Set<string>()

  async function send(): Promise<void> {
    const [changed, deleted, folders, wasChanged] = [changedIds, deletedIds, folderIds, isChanged]
    isChanged = false
    changedIds = new Set()
    deletedIds = new Map()
    folderIds = new Set()
    const rows = await store.findByIds([...changed])
    for (const [folderId, files] of Map.groupBy(rows, (row) => row.folderId)) {
      const userIds = await audience(folderId)
      for await (const some of chunksWithYield(files, priorityCount))
        for (const row of some) {
          const message = { type: "file", vectorId: folderId, file: presentFile(row) } as const
          push(userIds, message)
        }
    }
    for (const [vectorId, ids] of deleted) {
      const userIds = await audience(vectorId)
      for await (const some of chunksWithYield([...ids], priorityCount))
        for (const fileId of some) push(userIds, { type: "file.deleted", vectorId, fileId })
    }
    for (const vectorId of folders) {
      push(await audience(vectorId), { type: "folder", vectorId })
    }
    if (wasChanged) bus.publish("files.changed", {})
  }

  const sending = createDelayedWork(send, intervalMs, (error) =>
    logger.warn({ err: error }, "Connected apps couldn't be notified about a file"),
  )

  const sendingProgress = createDelayedWork(
    () => {
      for (const folderId of rereadIds) folderIds.add(folderId)
      rereadIds.clear()
      sending.ask()
      return Promise.resolve()
    },
    progressIntervalMs,
    (error) => logger.warn({ err: error }, "Connected apps couldn't be notified about a folder"),
  )

  return {
    changed(fileIds) {
      isChanged = true
      for (const id of fileIds) changedIds.add(id)
      sending.ask()
    },
    deleted(folderId, fileIds) {
      isChanged = true
      const ids = deletedIds.get(folderId) ?? new Set()
      deletedIds.set(folderId, ids)
      for (const id of fileIds) ids.add(id)
      sending.ask()
    },
    folderChanged(folderId) {
      folderIds.add(folderId)
      sending.ask()
    },
    reread(folderId, fileId, isTextChanged) {
      rereadIds.add(folderId)
      sendingProgress.ask()
      if (!isTextChanged) return
      isChanged = true
      changedIds.add(fileId)
      sending.ask()
    },
    async [Symbol.asyncDispose]() {
      await sendingProgress[Symbol.asyncDispose]()
      await sending[Symbol.asyncDispose]()
    },
  }
}
