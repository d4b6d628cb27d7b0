import type { Logger } from "../../../core/logging/logger.ts"
import type { FolderPlaces } from "../folder-places.ts"
import { namesOf } from "../file-entry.ts"
import type { FileStore } from "../store.ts"
import type { BegunChange, BegunChanges } from "./begun-changes.ts"
import type { NamedFile, StoragePlace } from "./find-stored.ts"
import type { StoredFiles } from "./stored-files.ts"

export interface SettlingDeps {
  begun: Pick<BegunChanges, "forget" | "wait" | "isWaiting">
  folders: Pick<FolderPlaces, "find">
  stored: Pick<
    StoredFiles,
    "isThere" | "fingerprint" | "keep" | "discardUnneeded" | "bringBack" | "removeIfStill" | "settleAside"
  >
  store: Pick<FileStore, "isTaken" | "remove">
  /** Called with files whose removal a killed box had started. */
  removed(folderId: string, fileIds: readonly string[]): void
  logger: Logger
}

/** Settles a started change: completes it if it has already taken effect, and undoes it otherwise. */
export function createSettling({ begun, folders, stored, store, removed, logger }: SettlingDeps) {
  async function settle(change: BegunChange, takeAway: typeof stored.removeIfStill): Promise<void> {
    const place = await folders.find(change.folderId)
    if (!place) return // deleted with its files in the meantime
    await (change.toName === null ? settleRemoval(place, change) : settleReplacement(place, change, takeAway))
  }

  async function settleReplacement(
    place: StoragePlace,
    change: BegunChange,
    takeAway: typeof stored.removeIfStill,
  ): Promise<void> {
    const { fileId: id, subFolder, fromName, toName, fromFile, toFile } = change
    await stored.settleAside(place, { id, subFolder, name: fromName }, [fromFile, toFile])
    const isRenamed = toName !== null && toName !== fromName
    const ends = isRenamed
      ? ([
          [fromName, fromFile],
          [toName, toFile],
        ] as const)
      : []
    for (const [name, file] of ends) {
      if (file === null || (await store.isTaken(place.id, subFolder, name))) continue
      await takeAway(place, { id, subFolder, name }, file)
    }
    begun.forget(id)
  }

  /** Throws if the drive is missing, because the state of its files is then unknown. */
  async function settleRemoval(place: StoragePlace, change: BegunChange): Promise<void> {
    const { fileId: id, subFolder, fromName: name, fromFile, toFile } = change
    const names = namesOf({ subFolder, name })
    await stored.settleAside(place, { id, subFolder, name }, [fromFile])
    if (toFile !== null && !(await stored.isThere(place, names))) await stored.bringBack(place, names, toFile)
    if (await stored.isThere(place, names)) return begun.forget(id)
    await store.remove([id])
    removed(place.id, [id])
  }

  /** After a start, someone may have come to need the file: the database may be an hour old. */
  async function moveToTrash(place: StoragePlace, file: NamedFile, itself: string): Promise<void> {
    const names = namesOf(file)
    if ((await stored.fingerprint(place, names)) !== itself) return
    using kept = await stored.keep(place, names)
    await stored.removeIfStill(place, file, itself)
    await stored.discardUnneeded(place, names, itself, kept)
  }

  return {
    /** Settles a change started by this run. The files it removes belong to the box or were kept. */
    own: (change: BegunChange): Promise<void> => settle(change, stored.removeIfStill),

    /** Settles changes left by a killed box or a missing drive. Those that fail wait. */
    async left(changes: readonly BegunChange[]): Promise<void> {
      for (const change of changes) {
        const { fileId, folderId } = change
        const wasWaiting = begun.isWaiting(fileId)
        try {
          await settle(change, moveToTrash)
        } catch (error) {
          begun.wait(fileId, folderId)
          if (!wasWaiting)
            logger.warn({ err: error, fileId }, "What a killed box had begun with a file couldn't be ended")
        }
      }
    },
  }
}
