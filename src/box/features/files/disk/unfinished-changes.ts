import type { DbOf } from "../../../core/database/database.ts"
import type { KeyedLock } from "../../../core/waiting/keyed-lock.ts"
import type { NewlyTrashedFile } from "../../../core/files/trash.ts"
import { getNames } from "../file-entry.ts"
import { createPendingChanges, type ChangedFiles } from "./pending-changes.ts"
import type { NamedFile, StorageLocation } from "./find-stored.ts"
import { createSettling, type SettlingDeps } from "./settle-changes.ts"
import type { StoredFiles } from "./stored-files.ts"

export interface UnfinishedChangesDeps extends Omit<SettlingDeps, "begun"> {
  db: DbOf<"files">
  lock: KeyedLock
  /** Whether the database isn't the one that the previous run left. */
  isOtherDatabase: boolean
  stored: SettlingDeps["stored"] & Pick<StoredFiles, "remove">
}

/**
 * Changes that take several steps on disk and in the database, recorded before the first step. A crash leaves no duplicate file and no file
 * without bytes, and a refused change isn't carried out later. A deletion takes effect when the bytes leave their place, a new name when
 * the database has it. Call `remove`, `startReplacement` and `settleReplacement` while the folder is locked.
 */
export interface UnfinishedChanges {
  /**
   * Deletes a file and moves its bytes to the trash, then calls `leave`, which removes it from the folder. If this throws, the file is
   * unchanged. If the box is killed before `leave` finishes, the file is deleted or, with `shouldRestore`, gets its bytes back.
   */
  remove<T>(
    folder: StorageLocation,
    file: NamedFile,
    leave: (bytes: NewlyTrashedFile | null) => Promise<T>,
    shouldRestore?: boolean,
  ): Promise<T>
  /** Records that the file gets new contents under this name; its old bytes are kept. Durable when it settles. */
  startReplacement(file: NamedFile, toName: string, files: ChangedFiles): Promise<void>
  /** Removes the file under the old or the new name, whichever a renamed file doesn't use. A file that someone else put there stays. */
  settleReplacement(fileId: string): Promise<void>
  /** Settles changes that a killed box left. Call it before folders are scanned. */
  settleAll(): Promise<void>
  /** Settles waiting changes in a folder whose drive was missing. Call it before the folder is scanned. */
  settleReturned(folderId: string): Promise<void>
}

export function createUnfinishedChanges(deps: UnfinishedChangesDeps): UnfinishedChanges {
  const { db, folders, lock, isOtherDatabase, stored, store, removed, logger } = deps
  const begun = createPendingChanges(db, logger)
  const settling = createSettling({ begun, folders, stored, store, removed, logger })

  async function removeOriginal<T>(
    folder: StorageLocation,
    file: NamedFile,
    fromFile: string | null,
    kept: NewlyTrashedFile | null,
    leave: (bytes: NewlyTrashedFile | null) => Promise<T>,
  ): Promise<T> {
    const names = getNames(file)
    try {
      await stored.remove(folder, file, fromFile)
      return await leave(kept).catch(async (error: unknown) => {
        await kept?.putBack()
        throw error
      })
    } catch (error) {
      begun.wait(file.id, folder.id)
      await stored.settleAside(folder, file, [fromFile])
      // If the file wasn't there, nothing was moved, so the refused change doesn't decide whether it is deleted.
      if (kept === null || (await stored.hasFile(folder, names))) begun.forget(file.id)
      throw error
    }
  }

  return {
    async remove(folder, file, leave, shouldRestore = false) {
      const names = getNames(file)
      const fromFile = await stored.fingerprint(folder, names)
      using kept = await stored.keep(folder, names)
      try {
        await begun.begin(file, null, { fromFile, toFile: shouldRestore && kept ? kept.id : null })
        return await removeOriginal(folder, file, fromFile, kept, leave)
      } finally {
        await stored.discardUnneeded(folder, names, fromFile, kept)
      }
    },

    startReplacement: begun.begin,

    async settleReplacement(fileId) {
      const change = await begun.of(fileId)
      try {
        if (change) await settling.own(change)
      } catch (error) {
        begun.disarm(fileId)
        throw error
      }
    },

    async settleAll() {
      // Changes recorded in another database may have ended, and their files may now belong to someone else.
      if (isOtherDatabase) await begun.disarmAll()
      await settling.left(await begun.all())
    },

    async settleReturned(folderId) {
      const ids = begun.waitingIn(folderId)
      if (ids.length === 0) return
      await lock.run(folderId, async () => settling.left(await begun.among(ids)))
    },
  }
}
