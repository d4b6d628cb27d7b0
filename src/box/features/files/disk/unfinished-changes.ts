import type { Selectable } from "kysely"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { KeyedLock } from "../../../core/waiting/keyed-lock.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { Kept } from "../../../core/files/trash.ts"
import type { FolderPlaces } from "../folder-places.ts"
import { namesOf } from "../file-entry.ts"
import type { FileStore } from "../store.ts"
import type { NamedFile, StoragePlace, StoredFiles } from "./stored-files.ts"

export interface UnfinishedChangesDeps {
  db: DbOf<"files">
  folders: Pick<FolderPlaces, "find">
  lock: KeyedLock
  /** It isn't as the last run left it. */
  isOtherDatabase: boolean
  stored: Pick<
    StoredFiles,
    "isThere" | "fingerprint" | "keep" | "remove" | "discardUnneeded" | "removeIfStill" | "settleAside"
  >
  store: Pick<FileStore, "isTaken" | "remove">
  /** Told of files whose removal a killed box had begun. */
  removed(folderId: string, fileIds: readonly string[]): void
  logger: Logger
}

/**
 * What takes several steps on the disk and in the database, written down before the first: a crash leaves neither a file
 * twice nor one without its bytes, and what was refused isn't done later. A deletion counts from when the bytes are gone
 * from their place, a new name from when the database has it. Call `remove`, `beginReplacement` and `settleReplacement` while the folder is locked.
 */
export interface UnfinishedChanges {
  /**
   * Deletes a file, whose bytes go to the trash: `leave` takes it out of the folder once they have. When it throws, the file is
   * as it was.
   */
  remove<T>(place: StoragePlace, file: NamedFile, leave: (bytes: Kept | null) => Promise<T>): Promise<T>
  /** The file gets new contents, under this name; its old bytes are kept. Durable when it settles. */
  beginReplacement(file: NamedFile, toName: string, files: ChangedFiles): Promise<void>
  /** Removes the file that a renamed one isn't, old or new; what somebody else put in its place stays. */
  settleReplacement(fileId: string): Promise<void>
  /** Settles what a killed box left. Call it before folders are looked through. */
  settleAll(): Promise<void>
  /** Settles what couldn't be in a folder whose drive wasn't there. Call it before the folder is looked through. */
  settleReturned(folderId: string): Promise<void>
}

/** Fingerprints of the file before it was kept, and of the one that comes; null where there is none. */
interface ChangedFiles {
  fromFile: string | null
  toFile: string | null
}

type BegunChange = Selectable<TablesOf<"files">["unfinishedChanges"]> & { folderId: string }

export function createUnfinishedChanges(deps: UnfinishedChangesDeps): UnfinishedChanges {
  const { db, folders, lock, isOtherDatabase, stored, store, removed, logger } = deps
  /** By file; the next change of it begins afterwards, and is refused together with it. */
  const forgetting = new Map<string, Promise<unknown>>()
  /** Files whose changes couldn't be settled so far, with their folders. */
  const waiting = new Map<string, string>()

  const begunChanges = () =>
    db
      .selectFrom("unfinishedChanges")
      .innerJoin("files", "files.id", "unfinishedChanges.fileId")
      .selectAll("unfinishedChanges")
      .select("files.folderId")

  async function begin(
    { id, subFolder, name }: NamedFile,
    toName: string | null,
    files: ChangedFiles,
  ): Promise<void> {
    const change = { subFolder, fromName: name, toName, ...files }
    await forgetting.get(id)
    waiting.delete(id)
    await db
      .insertInto("unfinishedChanges")
      .values({ fileId: id, ...change })
      .onConflict((conflict) => conflict.column("fileId").doUpdateSet(change))
      .execute()
  }

  /**
   * Nobody waits for it: under another program's lock whoever asked for the change has waited long enough. Not so on a full
   * disk: there it is settled once more by the next start, which changes nothing.
   */
  function forget(fileId: string): void {
    waiting.delete(fileId)
    later(fileId, db.deleteFrom("unfinishedChanges").where("fileId", "=", fileId).execute())
  }

  /** Whoever asked for the change hears that it failed: no later start does it, nor leaves a file out of the way. */
  function disarm(fileId: string): void {
    later(fileId, db.updateTable("unfinishedChanges").set(nobodys).where("fileId", "=", fileId).execute())
  }

  function later(fileId: string, forgotten: Promise<unknown>): void {
    forgetting.set(fileId, forgotten)
    forgotten
      .catch((error: unknown) => logger.warn({ err: error, fileId }, "An ended change isn't forgotten yet"))
      .finally(() => forgetting.delete(fileId))
  }

  async function settle(begun: BegunChange, takeAway: typeof stored.removeIfStill): Promise<void> {
    const place = await folders.find(begun.folderId)
    if (!place) return // deleted meanwhile, with its files
    await (begun.toName === null ? settleRemoval(place, begun) : settleReplacement(place, begun, takeAway))
  }

  /** What fails waits until its folder is looked through again, or for the next start. */
  async function settleEach(begun: readonly BegunChange[]): Promise<void> {
    for (const change of begun) {
      const wasWaiting = waiting.has(change.fileId)
      try {
        await settle(change, moveToTrash)
      } catch (error) {
        waiting.set(change.fileId, change.folderId)
        if (!wasWaiting)
          logger.warn(
            { err: error, fileId: change.fileId },
            "What a killed box had begun with a file couldn't be ended",
          )
      }
    }
  }

  async function settleReplacement(
    place: StoragePlace,
    begun: BegunChange,
    takeAway: typeof stored.removeIfStill,
  ): Promise<void> {
    const { fileId: id, subFolder, fromName, toName, fromFile, toFile } = begun
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
    forget(id)
  }

  /** After a start it isn't certain that nobody has come to want the file: the database may be of an hour ago. */
  async function moveToTrash(place: StoragePlace, file: NamedFile, itself: string): Promise<void> {
    const names = namesOf(file)
    if ((await stored.fingerprint(place, names)) !== itself) return
    using kept = await stored.keep(place, names)
    await stored.removeIfStill(place, file, itself)
    await stored.discardUnneeded(place, names, itself, kept)
  }

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
      waiting.set(file.id, place.id)
      await stored.settleAside(place, file, [fromFile])
      if (await stored.isThere(place, names)) forget(file.id)
      throw error
    }
  }

  /** A drive that isn't there throws: nothing is known of its files then. */
  async function settleRemoval(place: StoragePlace, begun: BegunChange): Promise<void> {
    const { fileId: id, subFolder, fromName: name, fromFile } = begun
    await stored.settleAside(place, { id, subFolder, name }, [fromFile])
    if (await stored.isThere(place, namesOf({ subFolder, name }))) return forget(id)
    await store.remove([id])
    removed(place.id, [id])
  }

  return {
    async remove(place, file, leave) {
      const names = namesOf(file)
      const fromFile = await stored.fingerprint(place, names)
      using kept = await stored.keep(place, names)
      try {
        await begin(file, null, { fromFile, toFile: null })
        return await removeBegun(place, file, fromFile, kept, leave)
      } finally {
        await stored.discardUnneeded(place, names, fromFile, kept)
      }
    },

    beginReplacement: begin,

    async settleReplacement(fileId) {
      const begun = await begunChanges().where("fileId", "=", fileId).executeTakeFirst()
      try {
        if (begun) await settle(begun, stored.removeIfStill)
      } catch (error) {
        disarm(fileId)
        throw error
      }
    },

    async settleAll() {
      // What it says had begun may have ended, and its files be somebody's by now.
      if (isOtherDatabase) await db.updateTable("unfinishedChanges").set(nobodys).execute()
      await settleEach(await begunChanges().execute())
    },

    async settleReturned(folderId) {
      const ids = [...waiting].filter(([, itsFolder]) => itsFolder === folderId).map(([fileId]) => fileId)
      if (ids.length === 0) return
      await lock.run(folderId, async () =>
        settleEach(await begunChanges().where("fileId", "in", ids).execute()),
      )
    },
  }
}

/** Of whose files nothing is taken away, only given its name again. */
const nobodys = { fromFile: null, toFile: null }
