import { actualPath } from "../../core/data-layout.ts"
import type { Database } from "../../core/database.ts"
import type { Logger } from "../../core/logger.ts"
import { namesOf } from "./file-entry.ts"
import type { FileStore } from "./store.ts"
import type { StoragePlace, StoredFiles } from "./stored-files.ts"

export interface UnfinishedChangesDeps {
  db: Database
  dataDir: string
  stored: Pick<StoredFiles, "remove">
  store: Pick<FileStore, "isTaken" | "remove">
  /** Told of files whose removal a killed box had begun. */
  removed(folderId: string, fileIds: readonly string[]): void
  logger: Logger
}

/**
 * What takes several steps on the disk and in the database, written down before the first: a crash leaves neither a file
 * twice nor one without its bytes. Call all but `settleAll` while the folder is locked.
 */
export interface UnfinishedChanges {
  /** The file gets new contents under another name, or, for null, goes. Durable when it settles. */
  begin(file: { id: string; subFolder: string; name: string }, toName: string | null): Promise<void>
  /** Does the last steps: removes the name that the file doesn't have, old or new, or the whole file. */
  settle(place: StoragePlace, fileId: string): Promise<void>
  /** Settles what a killed box left. Call it before folders are looked through. */
  settleAll(): Promise<void>
}

export function createUnfinishedChanges(deps: UnfinishedChangesDeps): UnfinishedChanges {
  const { db, dataDir, stored, store, removed, logger } = deps
  const forget = (fileId: string) => db.deleteFrom("unfinishedChanges").where("fileId", "=", fileId).execute()

  async function settle(place: StoragePlace, fileId: string): Promise<void> {
    const begun = await db
      .selectFrom("unfinishedChanges")
      .selectAll()
      .where("fileId", "=", fileId)
      .executeTakeFirst()
    if (!begun) return
    const { subFolder, fromName, toName } = begun
    if (toName === null) {
      await stored.remove(place, namesOf({ subFolder, name: fromName }))
      await store.remove([fileId])
      return
    }
    for (const name of [fromName, toName])
      if (!(await store.isTaken(place.id, subFolder, name)))
        await stored.remove(place, namesOf({ subFolder, name }))
    await forget(fileId)
  }

  return {
    async begin({ id, subFolder, name }, toName) {
      const names = { subFolder, fromName: name, toName }
      await db
        .insertInto("unfinishedChanges")
        .values({ fileId: id, ...names })
        .onConflict((conflict) => conflict.column("fileId").doUpdateSet(names))
        .execute()
    },

    async settle(place, fileId) {
      try {
        await settle(place, fileId)
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
        .select(["files.id as fileId", "folders.id", "folders.path", "toName"])
        .execute()
      for (const { fileId, id, path, toName } of begun) {
        try {
          await settle({ id, path: actualPath(dataDir, path) }, fileId)
          if (toName === null) removed(id, [fileId])
        } catch (error) {
          // Such as a drive that isn't there: the next start tries again.
          logger.warn({ err: error, fileId }, "What a killed box had begun with a file couldn't be ended")
        }
      }
    },
  }
}
