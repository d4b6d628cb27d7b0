import type { Logger } from "../../../core/logging/logger.ts"
import type { StoredFolders } from "../folder-places.ts"
import { getNames } from "../file-entry.ts"
import type { FileStore } from "../store.ts"
import type { PendingChange, PendingChanges } from "./pending-changes.ts"
import type { NamedFile, StorageLocation } from "./find-stored.ts"
import type { StoredFiles } from "./stored-files.ts"

export interface SettlingDeps {
  begun: Pick<PendingChanges, "forget" | "wait" | "isWaiting">
  folders: Pick<StoredFolders, "find">
  stored: Pick<
    StoredFiles,
    "hasFile" | "fingerprint" | "keep" | "discardUnneeded" | "bringBack" | "removeIfUnchanged" | "settleAside"
  >
  store: Pick<FileStore, "isTaken" | "remove">
  /** Called with files whose removal a killed box had started. */
  removed(folderId: string, fileIds: readonly string[]): void
  logger: Logger
}

/** Settles a started change: completes it if it has already taken effect, and undoes it otherwise. */
export function createSettling({ begun, folders, stored, store, removed, logger }: SettlingDeps) {
  async function settle(change: PendingChange, takeAway: typeof stored.removeIfUnchanged): Promise<void> {
    const folder = await folders.find(change.folderId)
    if (!folder) return // deleted with its files in the meantime
    await (change.toName === null
      ? settleRemoval(folder, change)
      : settleReplacement(folder, change, takeAway))
  }

  async function settleReplacement(
    folder: StorageLocation,
    change: PendingChange,
    takeAway: typeof stored.removeIfUnchanged,
  ): Promise<void> {
    const { fileId: id, subFolder, fromName, toName, fromFile, toFile } = change
    await stored.settleAside(folder, { id, subFolder, name: fromName }, [fromFile, toFile])
    const isRenamed = toName !== null && toName !== fromName
    const ends = isRenamed
      ? ([
          [fromName, fromFile],
          [toName, toFile],
        ] as const)
      : []
    for (const [name, file] of ends) {
      if (file === null || (await store.isTaken(folder.id, subFolder, name))) continue
      await takeAway(folder, { id, subFolder, name }, file)
    }
    begun.forget(id)
  }

  /** Throws if the drive is missing, because the state of its files is then unknown. */
  async function settleRemoval(folder: StorageLocation, change: PendingChange): Promise<void> {
    const { fileId: id, subFolder, fromName: name, fromFile, toFile } = change
    const names = getNames({ subFolder, name })
    await stored.settleAside(folder, { id, subFolder, name }, [fromFile])
    if (toFile !== null && !(await stored.hasFile(folder, names)))
      await stored.bringBack(folder, names, toFile)
    if (await stored.hasFile(folder, names)) return begun.forget(id)
    await store.remove([id])
    removed(folder.id, [id])
  }

  /** After a start, someone may have come to need the file: the database may be an hour old. */
  async function moveToTrash(folder: StorageLocation, file: NamedFile, itself: string): Promise<void> {
    const names = getNames(file)
    if ((await stored.fingerprint(folder, names)) !== itself) return
    using kept = await stored.keep(folder, names)
    await stored.removeIfUnchanged(folder, file, itself)
    await stored.discardUnneeded(folder, names, itself, kept)
  }

  return {
    /** Settles a change started by this run. The files it removes belong to the box or were kept. */
    own: (change: PendingChange): Promise<void> => settle(change, stored.removeIfUnchanged),

    /** Settles changes left by a killed box or a missing drive. Those that fail wait. */
    async left(changes: readonly PendingChange[]): Promise<void> {
      for (const change of changes) {
        const { fileId, folderId } = change
        const wasWaiting = begun.isWaiting(fileId)
        try {
          await settle(change, moveToTrash)
        } catch (error) {
          begun.wait(fileId, folderId)
          if (!wasWaiting)
            logger.warn(
              { err: error, fileId },
              "A file change that a killed box had started couldn't be completed",
            )
        }
      }
    },
  }
}
