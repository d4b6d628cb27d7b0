import { actualPath } from "../../core/data-layout.ts"
import type { Database } from "../../core/database.ts"
import type { Logger } from "../../core/logger.ts"
import { namesOf, type FileRow } from "./file-entry.ts"
import type { FileStore } from "./store.ts"
import type { StoragePlace, StoredFiles } from "./stored-files.ts"

export interface UnfinishedChangesDeps {
  db: Database
  dataDir: string
  stored: Pick<StoredFiles, "isThere" | "keep" | "remove">
  store: Pick<FileStore, "isTaken" | "remove">
  /** Told of files whose removal a killed box had begun. */
  removed(folderId: string, fileIds: readonly string[]): void
  logger: Logger
}

/**
 * What takes several steps on the disk and in the database, written down before the first: a crash leaves neither a file
 * twice nor one without its bytes, and what was refused isn't done later. A deletion counts from when the bytes are gone
 * from their place, a new name from when the database has it. Call all but `settleAll` while the folder is locked.
 */
export interface UnfinishedChanges {
  /** Deletes a file, whose bytes go to the trash. When it throws, the file is as it was. */
  remove(place: StoragePlace, file: NamedFile): Promise<void>
  /** The file, whose old bytes are kept, gets new contents, under another name or its own. Durable when it settles. */
  beginRename(file: NamedFile, toName: string): Promise<void>
  /** Removes the name that a renamed file doesn't have, old or new. */
  settleRename(place: StoragePlace, fileId: string): Promise<void>
  /** Settles what a killed box left. Call it before folders are looked through. */
  settleAll(): Promise<void>
}

type NamedFile = Pick<FileRow, "id" | "subFolder" | "name">

export function createUnfinishedChanges(deps: UnfinishedChangesDeps): UnfinishedChanges {
  const { db, dataDir, stored, store, removed, logger } = deps

  async function begin({ id, subFolder, name }: NamedFile, toName: string | null): Promise<void> {
    const names = { subFolder, fromName: name, toName }
    await db
      .insertInto("unfinishedChanges")
      .values({ fileId: id, ...names })
      .onConflict((conflict) => conflict.column("fileId").doUpdateSet(names))
      .execute()
  }

  /** Not so on a full disk: there it is settled once more by the next start, which changes nothing. */
  async function forget(fileId: string): Promise<void> {
    await db
      .deleteFrom("unfinishedChanges")
      .where("fileId", "=", fileId)
      .execute()
      .catch((error: unknown) => logger.warn({ err: error, fileId }, "An ended change isn't forgotten yet"))
  }

  async function settleRename(place: StoragePlace, fileId: string): Promise<void> {
    const begun = await db
      .selectFrom("unfinishedChanges")
      .selectAll()
      .where("fileId", "=", fileId)
      .executeTakeFirst()
    if (!begun) return
    const { subFolder, fromName, toName } = begun
    for (const name of [fromName, toName ?? fromName])
      if (!(await store.isTaken(place.id, subFolder, name)))
        await stored.remove(place, namesOf({ subFolder, name }))
    await forget(fileId)
  }

  /** A drive that isn't there throws: nothing is known of its files then. */
  async function settleRemoval(place: StoragePlace, fileId: string, names: string[]): Promise<void> {
    if (await stored.isThere(place, names)) return forget(fileId)
    await store.remove([fileId])
    removed(place.id, [fileId])
  }

  return {
    async remove(place, file) {
      const names = namesOf(file)
      const kept = await stored.keep(place, names)
      await begin(file, null)
      try {
        await stored.remove(place, names)
        await store.remove([file.id]).catch(async (error: unknown) => {
          await kept?.putBack()
          throw error
        })
      } catch (error) {
        if (await stored.isThere(place, names)) await forget(file.id)
        throw error
      }
    },

    beginRename: begin,

    async settleRename(place, fileId) {
      try {
        await settleRename(place, fileId)
      } catch (error) {
        await forget(fileId) // whoever asked for it hears that it failed: no later start does it
        throw error
      }
    },

    async settleAll() {
      const begun = await db
        .selectFrom("unfinishedChanges")
        .innerJoin("files", "files.id", "unfinishedChanges.fileId")
        .innerJoin("folders", "folders.id", "files.folderId")
        .select(["files.id as fileId", "folders.id", "folders.path"])
        .select(["unfinishedChanges.subFolder", "fromName", "toName"])
        .execute()
      for (const { fileId, id, path, subFolder, fromName, toName } of begun) {
        const place = { id, path: actualPath(dataDir, path) }
        try {
          if (toName === null) await settleRemoval(place, fileId, namesOf({ subFolder, name: fromName }))
          else await settleRename(place, fileId)
        } catch (error) {
          // Such as a drive that isn't there: the next start tries again.
          logger.warn({ err: error, fileId }, "What a killed box had begun with a file couldn't be ended")
        }
      }
    },
  }
}
