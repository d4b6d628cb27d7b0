import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import type { Undo } from "../../../../shared/contract/deletions.ts"
import { type DbOf, type AnyTransaction, ownTables } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import type { Deletable, NoteDeletion } from "../../../core/deletable.ts"
import type { Trash, TrashedFile } from "../../../core/files/trash.ts"
import { newId } from "../../../core/ids.ts"
import type { KeyedLock } from "../../../core/waiting/locks.ts"
import type { FoundFile } from "../../../engines/folder-watcher/scan.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import type { NamedFile, StorageLocation } from "../disk/find-stored.ts"
import type { StoredFiles } from "../disk/stored-files.ts"
import type { UnfinishedChanges } from "../disk/unfinished-changes.ts"
import type { UploadTarget } from "../disk/uploads.ts"
import type { FileAccess } from "../file-access.ts"
import type { FileChanges } from "../file-changes.ts"
import { getNames, contentFields, getPath, locationFields, type FileRow } from "../file-entry.ts"
import type { StoredFolders } from "../folder-places.ts"
import { sameContent } from "../following/compare.ts"
import { freeName } from "../receive-files.ts"
import type { FileStore } from "../store.ts"
import { forgetTrashed, goneFromTrash, endUntrashed, noteTrashed } from "./trashed-files.ts"

/**
 * Tracks deleted files that are being restored. Their bytes get a name before the database is updated. The name is stored first, so that
 * after a crash the next restore recognises the same file.
 */
function createReturningFiles(db: DbOf<"files">, stored: Pick<StoredFiles, "findIfUnchanged">) {
  return {
    /** Records the name that the file with this fingerprint is about to get in its sub-folder. */
    async begin(fileId: string, name: string, file: string): Promise<void> {
      await db
        .insertInto("returningFiles")
        .values({ fileId, name, file })
        .onConflict((conflict) => conflict.column("fileId").doUpdateSet({ name, file }))
        .execute()
    },

    async end(transaction: DbOf<"files">, fileId: string): Promise<void> {
      await transaction.deleteFrom("returningFiles").where("fileId", "=", fileId).execute()
    },

    /** Returns the file that an interrupted restore left in its folder. */
    async left(folder: StorageLocation, { id, subFolder }: NamedFile): Promise<FoundFile | null> {
      const started = await db
        .selectFrom("returningFiles")
        .select(["name", "file"])
        .where("fileId", "=", id)
        .executeTakeFirst()
      return started
        ? stored.findIfUnchanged(folder, getNames({ subFolder, name: started.name }), started.file)
        : null
    },
  }
}

/** Data needed to place a file again that is in no folder at the moment. */
export const TakenFile = z.object({
  /** The folder it was in. */
  folderId: z.string(),
  /** The hidden folder that contains it in the meantime. */
  hiddenId: z.string(),
  /** Trash ID of its bytes; null if there were none, or if they can't be removed from the trash. The file is then restored as it is. */
  trashId: z.string().nullable(),
  mode: z.int().nullable(),
})
export type TakenFile = z.infer<typeof TakenFile>

interface TakenFilesDeps {
  db: DbOf<"files">
  folders: Pick<StoredFolders, "makeHidden" | "removeHidden">
  store: FileStore
  stored: StoredFiles
  unfinished: Pick<UnfinishedChanges, "remove">
  trash: Trash
  index: Pick<PassageIndex, "put">
  changes: FileChanges
}

/**
 * Takes files out of folders and places them again. In the meantime the bytes are in the trash, and the row, with its text and passages, in
 * a separate hidden folder. The file is therefore restored unchanged, and other code needs no special handling.
 */
export class TakenFiles {
  readonly #deps: TakenFilesDeps
  readonly #returning: ReturnType<typeof createReturningFiles>

  constructor(deps: TakenFilesDeps) {
    this.#deps = deps
    this.#returning = createReturningFiles(deps.db, deps.stored)
  }

  /**
   * Takes a file out of its folder. Call it while the folder is locked. `note` is written in the same transaction; if it throws, the file
   * is unchanged. If the box is killed in between, the file is deleted or, with `shouldRestore`, put back.
   */
  async take<T>(
    folder: UploadTarget,
    row: FileRow,
    note: (transaction: AnyTransaction, taken: TakenFile) => Promise<T>,
    shouldRestore = false,
  ): Promise<T> {
    const leave = (trashId: string | null, mode: number | null, isChanged = false): Promise<T> =>
      this.#deps.db.transaction().execute(async (transaction) => {
        const hiddenId = await this.#deps.folders.makeHidden(transaction, row.folderId)
        if (isChanged) await this.#deps.store.markChanged(transaction, row.id)
        await this.#deps.store.moveOut(transaction, row.id, hiddenId)
        return note(transaction, { folderId: row.folderId, hiddenId, trashId, mode })
      })
    if (row.object !== null) return leave(newId(), null)
    const mode = folder.managed ? null : await this.#deps.stored.getMode(folder, getNames(row))
    const found = await this.#deps.stored.findFile(folder, getNames(row))
    const isChanged = found !== null && !sameContent(row, found) // changed and not scanned since
    const take = (bytes: TrashedFile | null) => leave(bytes?.id ?? null, mode, isChanged)
    return this.#deps.unfinished.remove(folder, row, take, shouldRestore)
  }

  /**
   * Gives the file the name in this row, or a numbered one if it is taken, in one transaction with `also`. Call it while the folder is
   * locked. If the box is killed in between, the next start finds the bytes in place and treats them as a new file until this is called
   * again.
   */
  put(
    folder: UploadTarget,
    row: FileRow,
    taken: TakenFile,
    also: (transaction: AnyTransaction, put: FileRow) => Promise<void>,
  ): Promise<FileRow> {
    return row.object === null
      ? this.#putBytes(folder, row, taken, also)
      : this.#putObject(folder.id, row, taken, also)
  }

  async #putBytes(
    folder: UploadTarget,
    row: FileRow,
    { hiddenId, trashId, mode }: TakenFile,
    also: (transaction: AnyTransaction, put: FileRow) => Promise<void>,
  ): Promise<FileRow> {
    const folderId = folder.id
    using bytes = trashId === null ? null : await this.#deps.trash.find(trashId)
    const left = await this.#returning.left(folder, row)
    let put: string | null = null
    const add = (from: TrashedFile | null) => {
      if (!from) throw goneFromTrash()
      return this.#deps.stored.add(
        folder,
        from.path,
        getNames(row).slice(0, -1),
        row.name,
        async (name, file) => {
          put = file
          await this.#returning.begin(row.id, name, file)
        },
      )
    }
    const isWithoutBytes =
      trashId === null && !(await this.#deps.store.isTaken(folderId, row.subFolder, row.name))
    const found = left ?? (isWithoutBytes ? null : await add(bytes))
    const to = { folderId, ...(found && { ...locationFields(found), ...contentFields(found) }) }
    let adopted: string[] = []
    try {
      if (mode !== null && found)
        await chmod(join(folder.path, found.path), mode & 0o777).catch(() => undefined) // not every file system has modes
      await this.#deps.db.transaction().execute(async (transaction) => {
        await also(transaction, { ...row, ...to })
        if (left) adopted = await this.#deps.store.removeNamed(transaction, { ...row, ...to })
        await transaction.updateTable("files").set(to).where("id", "=", row.id).execute()
        await this.#returning.end(transaction, row.id)
        await this.#deps.folders.removeHidden(transaction, hiddenId)
        if (trashId !== null) await forgetTrashed(transaction, [trashId])
      })
    } catch (error) {
      if (put !== null) await this.#deps.stored.removeIfUnchanged(folder, { ...row, ...to }, put)
      throw error
    }
    this.#deps.changes.removed(folderId, adopted)
    await bytes?.discard()
    return { ...row, ...to }
  }

  /** All in one transaction, because only rows contain its name. */
  async #putObject(
    folderId: string,
    row: FileRow,
    { hiddenId, trashId }: TakenFile,
    also: (transaction: AnyTransaction, put: FileRow) => Promise<void>,
  ): Promise<FileRow> {
    const name = await freeName(this.#deps.store, folderId, getNames(row).slice(0, -1), row.name)
    const to = { folderId, ...locationFields({ path: getPath({ subFolder: row.subFolder, name }) }) }
    await this.#deps.db.transaction().execute(async (transaction) => {
      await also(transaction, { ...row, ...to })
      if (trashId !== null) {
        const [removed] = await forgetTrashed(transaction, [trashId])
        if (Number(removed?.numDeletedRows ?? 0) === 0) throw goneFromTrash()
      }
      await transaction.updateTable("files").set(to).where("id", "=", row.id).execute()
      await this.#deps.folders.removeHidden(transaction, hiddenId)
    })
    return { ...row, ...to }
  }

  /** Makes its passages searchable in this folder. */
  async find(fileId: string, folderId: string): Promise<void> {
    const { createDraftStore } = await import("../passages/drafts.ts") // loaded with the first file that is put elsewhere
    for await (const records of createDraftStore(this.#deps.db).records({ id: fileId, folderId }))
      await this.#deps.index.put(records)
    this.#deps.changes.changed([fileId])
  }
}

export const createTakenFiles = (deps: TakenFilesDeps): TakenFiles => new TakenFiles(deps)

export interface DeletedFilesDeps {
  db: DbOf<"files">
  folders: Pick<StoredFolders, "removeHidden">
  store: FileStore
  taken: TakenFiles
  lock: KeyedLock
  changes: FileChanges
  access: Pick<FileAccess, "changeable" | "existing">
  noteDeletion: NoteDeletion
  /** Called when objects were permanently removed from the trash. */
  objectsEnded(): void
}

/** Takes a deleted file out of its folder until the deletion can't be undone. The trash keeps its bytes for longer. */
export function createDeletedFiles(deps: DeletedFilesDeps) {
  const { db, folders, store, taken, lock, changes, access } = deps

  const deletable: Deletable = {
    async restore({ ownerId, itemId, kept: json }, also) {
      const kept = readStored(TakenFile, json)
      if (!kept) throw goneFromTrash()
      await lock.run(kept.folderId, async () => {
        const location = await access.changeable(ownerId, kept.folderId)
        await taken.put(location, await access.existing(kept.hiddenId, itemId), kept, also)
      })
      await taken.find(itemId, kept.folderId)
    },

    async end({ itemId, kept }) {
      const { hiddenId } = readStored(TakenFile, kept) ?? {}
      if (hiddenId === undefined) return
      const object = (await store.find(hiddenId, itemId))?.object ?? null
      await store.remove(await store.idsInFolder(hiddenId))
      if (object !== null && (await endUntrashed(db, object))) deps.objectsEnded()
      changes.removePassages([itemId]) // repeated, in case the box was killed before the index was updated
      await folders.removeHidden(db, hiddenId)
    },
  }

  return {
    async remove(ownerId: string, folderId: string, fileId: string): Promise<Undo> {
      const location = await access.changeable(ownerId, folderId)
      const undo = await lock.run(folderId, async () => {
        const row = await access.existing(folderId, fileId)
        return taken.take(location, row, async (transaction, kept) => {
          if (kept.trashId !== null)
            await noteTrashed(ownTables<"files">(transaction), kept.trashId, ownerId, row)
          const deletion = { ownerId, kind: "file", itemId: fileId, kept: JSON.stringify(kept) } as const
          return deps.noteDeletion(transaction, deletion)
        })
      })
      changes.removed(folderId, [fileId])
      return undo
    },

    deletable,
  }
}
