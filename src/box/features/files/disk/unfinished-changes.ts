import type { DbOf } from "../../../core/database/database.ts"
import type { KeyedLock } from "../../../core/waiting/keyed-lock.ts"
import type { Kept } from "../../../core/files/trash.ts"
import { namesOf } from "../file-entry.ts"
import { createBegunChanges, type ChangedFiles } from "./begun-changes.ts"
import type { NamedFile, StoragePlace } from "./find-stored.ts"
import { createSettling, type SettlingDeps } from "./settle-changes.ts"
import type { StoredFiles } from "./stored-files.ts"

export interface UnfinishedChangesDeps extends Omit<SettlingDeps, "begun"> {
  db: DbOf<"files">
  lock: KeyedLock
  /** It isn't as the last run left it. */
  isOtherDatabase: boolean
  stored: SettlingDeps["stored"] & Pick<StoredFiles, "remove">
}

/**
 * What takes several steps on the disk and in the database, written down before the first: a crash leaves neither a file
 * twice nor one without its bytes, and what was refused isn't done later. A deletion counts from when the bytes are gone
 * from their place, a new name from when the database has it. Call `remove`, `beginReplacement` and `settleReplacement` while the folder is locked.
 */
export interface UnfinishedChanges {
  /**
   * Deletes a file, whose bytes go to the trash: `leave` takes it out of the folder once they have. When it throws, the file is
   * as it was. Where the box is killed before it has left, it is deleted, or `goesBack`: then it gets its bytes again.
   */
  remove<T>(
    place: StoragePlace,
    file: NamedFile,
    leave: (bytes: Kept | null) => Promise<T>,
    goesBack?: boolean,
  ): Promise<T>
  /** The file gets new contents, under this name; its old bytes are kept. Durable when it settles. */
  beginReplacement(file: NamedFile, toName: string, files: ChangedFiles): Promise<void>
  /** Removes the file that a renamed one isn't, old or new; what somebody else put in its place stays. */
  settleReplacement(fileId: string): Promise<void>
  /** Settles what a killed box left. Call it before folders are looked through. */
  settleAll(): Promise<void>
  /** Settles what couldn't be in a folder whose drive wasn't there. Call it before the folder is looked through. */
  settleReturned(folderId: string): Promise<void>
}

export function createUnfinishedChanges(deps: UnfinishedChangesDeps): UnfinishedChanges {
  const { db, folders, lock, isOtherDatabase, stored, store, removed, logger } = deps
  const begun = createBegunChanges(db, logger)
  const settling = createSettling({ begun, folders, stored, store, removed, logger })

  async function removeBegun<T>(
    place: StoragePlace,
    file: NamedFile,
    fromFile: string | null,
    kept: Kept | null,
    leave: (bytes: Kept | null) => Promise<T>,
  ): Promise<T> {
    const names = namesOf(file)
    try {
      await stored.remove(place, file, fromFile)
      return await leave(kept).catch(async (error: unknown) => {
        await kept?.putBack()
        throw error
      })
    } catch (error) {
      begun.wait(file.id, place.id)
      await stored.settleAside(place, file, [fromFile])
      // Of a file that wasn't there nothing was taken: whether it is deleted isn't said by what was refused.
      if (kept === null || (await stored.isThere(place, names))) begun.forget(file.id)
      throw error
    }
  }

  return {
    async remove(place, file, leave, goesBack = false) {
      const names = namesOf(file)
      const fromFile = await stored.fingerprint(place, names)
      using kept = await stored.keep(place, names)
      try {
        await begun.begin(file, null, { fromFile, toFile: goesBack && kept ? kept.id : null })
        return await removeBegun(place, file, fromFile, kept, leave)
      } finally {
        await stored.discardUnneeded(place, names, fromFile, kept)
      }
    },

    beginReplacement: begun.begin,

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
      // What it says had begun may have ended, and its files be somebody's by now.
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
