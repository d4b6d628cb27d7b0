import type { Selectable } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import type { NewlyTrashedFile } from "../../../core/files/trash.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { KeyedLock } from "../../../core/waiting/locks.ts"
import { getNames } from "../file-entry.ts"
import type { StoredFolders } from "../folder-places.ts"
import type { FileStore } from "../store.ts"
import type { NamedFile, StorageLocation } from "./find-stored.ts"
import type { StoredFiles } from "./stored-files.ts"

/**
 * Fingerprints of the previous file and of the new one; null where there is none. For a file that is moved elsewhere, `toFile` is the trash
 * ID of its bytes.
 */
interface ChangedFiles {
  fromFile: string | null
  toFile: string | null
}

type PendingChange = Selectable<TablesOf<"files">["unfinishedChanges"]> & { folderId: string }

/** Stores started changes of files in the database, and tracks which of them couldn't be settled yet. */
function createPendingChanges(db: DbOf<"files">, logger: Logger) {
  /** By file. The next change of the file starts afterwards and fails if this fails. */
  const forgetting = new Map<string, Promise<unknown>>()
  /** Files whose changes couldn't be settled yet, with their folders. */
  const waiting = new Map<string, string>()

  const selectPendingChanges = () =>
    db
      .selectFrom("unfinishedChanges")
      .innerJoin("files", "files.id", "unfinishedChanges.fileId")
      .selectAll("unfinishedChanges")
      .select("files.folderId")

  function later(fileId: string, removal: Promise<unknown>): void {
    forgetting.set(fileId, removal)
    removal
      .catch((error: unknown) =>
        logger.warn({ err: error, fileId }, "The record of a completed change can't be removed yet"),
      )
      .finally(() => forgetting.delete(fileId))
  }

  return {
    async begin(
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
    },

    /**
     * Forgets a change in the background: if another program holds the database lock, the caller has already waited long enough. If that
     * fails, for example on a full disk, the next start settles the change again, which has no effect.
     */
    forget(fileId: string): void {
      waiting.delete(fileId)
      later(fileId, db.deleteFrom("unfinishedChanges").where("fileId", "=", fileId).execute())
    },

    /** Disarms a change that is reported as failed, so that no later start carries it out or leaves a file moved away. */
    disarm(fileId: string): void {
      later(fileId, db.updateTable("unfinishedChanges").set(noFiles).where("fileId", "=", fileId).execute())
    },

    async disarmAll(): Promise<void> {
      await db.updateTable("unfinishedChanges").set(noFiles).execute()
    },

    of: (fileId: string): Promise<PendingChange | undefined> =>
      selectPendingChanges().where("fileId", "=", fileId).executeTakeFirst(),

    all: (): Promise<PendingChange[]> => selectPendingChanges().execute(),

    among: (fileIds: readonly string[]): Promise<PendingChange[]> =>
      selectPendingChanges().where("fileId", "in", fileIds).execute(),

    /** Marks a change that couldn't be settled. It waits for the next scan of its folder or the next start. */
    wait(fileId: string, folderId: string): void {
      waiting.set(fileId, folderId)
    },

    isWaiting: (fileId: string): boolean => waiting.has(fileId),

    /** Returns the files in a folder whose changes are waiting. */
    waitingIn: (folderId: string): string[] =>
      [...waiting].filter(([, itsFolder]) => itsFolder === folderId).map(([fileId]) => fileId),
  }
}

type PendingChanges = ReturnType<typeof createPendingChanges>

/** Without fingerprints, no file is removed; a file only gets its name back. */
const noFiles = { fromFile: null, toFile: null }

interface SettlingDeps {
  folders: Pick<StoredFolders, "find">
  stored: Pick<
    StoredFiles,
    "hasFile" | "fingerprint" | "keep" | "discardUnneeded" | "restore" | "removeIfUnchanged" | "settleAside"
  >
  store: Pick<FileStore, "isTaken" | "remove">
  /** Called with files whose removal a killed box had started. */
  removed(folderId: string, fileIds: readonly string[]): void
  logger: Logger
}

/** Settles a started change: completes it if it has already taken effect, and undoes it otherwise. */
function createSettling(
  started: Pick<PendingChanges, "forget" | "wait" | "isWaiting">,
  { folders, stored, store, removed, logger }: SettlingDeps,
) {
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
    started.forget(id)
  }

  /** Throws if the drive is missing, because the state of its files is then unknown. */
  async function settleRemoval(folder: StorageLocation, change: PendingChange): Promise<void> {
    const { fileId: id, subFolder, fromName: name, fromFile, toFile } = change
    const names = getNames({ subFolder, name })
    await stored.settleAside(folder, { id, subFolder, name }, [fromFile])
    if (toFile !== null && !(await stored.hasFile(folder, names))) await stored.restore(folder, names, toFile)
    if (await stored.hasFile(folder, names)) return started.forget(id)
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
    own: (change: PendingChange): Promise<void> =>
      settle(change, (folder, file, itself) => stored.removeIfUnchanged(folder, file, itself)),

    /** Settles changes left by a killed box or a missing drive. Those that fail wait. */
    async left(changes: readonly PendingChange[]): Promise<void> {
      for (const change of changes) {
        const { fileId, folderId } = change
        const wasWaiting = started.isWaiting(fileId)
        try {
          await settle(change, moveToTrash)
        } catch (error) {
          started.wait(fileId, folderId)
          if (!wasWaiting)
            logger.warn(
              { err: error, fileId },
              "A file change that was interrupted when Casella was killed couldn't be completed",
            )
        }
      }
    },
  }
}

export interface UnfinishedChangesDeps extends SettlingDeps {
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
  const { db, lock, isOtherDatabase, stored, logger } = deps
  const started = createPendingChanges(db, logger)
  const settling = createSettling(started, deps)

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
      started.wait(file.id, folder.id)
      await stored.settleAside(folder, file, [fromFile])
      // If the file wasn't there, nothing was moved, so the refused change doesn't decide whether it is deleted.
      if (kept === null || (await stored.hasFile(folder, names))) started.forget(file.id)
      throw error
    }
  }

  return {
    async remove(folder, file, leave, shouldRestore = false) {
      const names = getNames(file)
      const fromFile = await stored.fingerprint(folder, names)
      using kept = await stored.keep(folder, names)
      try {
        await started.begin(file, null, { fromFile, toFile: shouldRestore && kept ? kept.id : null })
        return await removeOriginal(folder, file, fromFile, kept, leave)
      } finally {
        await stored.discardUnneeded(folder, names, fromFile, kept)
      }
    },

    startReplacement: started.begin,

    async settleReplacement(fileId) {
      const change = await started.of(fileId)
      try {
        if (change) await settling.own(change)
      } catch (error) {
        started.disarm(fileId)
        throw error
      }
    },

    async settleAll() {
      // Changes recorded in another database may have ended, and their files may now belong to someone else.
      if (isOtherDatabase) await started.disarmAll()
      await settling.left(await started.all())
    },

    async settleReturned(folderId) {
      const ids = started.waitingIn(folderId)
      if (ids.length === 0) return
      await lock.run(folderId, async () => settling.left(await started.among(ids)))
    },
  }
}
