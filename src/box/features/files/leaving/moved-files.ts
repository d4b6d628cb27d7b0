import { AppError } from "../../../../shared/contract/errors.ts"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { ownTables, type AnyTransaction } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import type { Deletable } from "../../../core/deletable.ts"
import type { Trash } from "../../../core/files/trash.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { KeyedLock } from "../../../core/waiting/locks.ts"
import { requireVisible } from "../disk/uploads.ts"
import type { FileAccess } from "../file-access.ts"
import type { FileNews } from "../file-changes.ts"
import type { StoredFolders } from "../folder-places.ts"
import { locationFields, getPath, presentFile, type FileRow } from "../file-entry.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import { TakenFile, type TakenFiles } from "./taken-files.ts"
import { goneFromTrash } from "./trashed-files.ts"

/** The current or future location of a file. */
export interface FileLocation {
  folderId: string
  subFolder: string
  name: string
}

/** Writes that belong to the same transactions as the steps of a move. */
export interface MoveSteps {
  /** The file is in no folder from now on. `taken` is needed to place it again. */
  taken(transaction: AnyTransaction, taken: string): Promise<void>
  /** The file is at this location from now on. `isRolledBack`: it was returned instead of moved. */
  put(transaction: AnyTransaction, place: FileLocation, isRolledBack: boolean): Promise<void>
}

export interface MovedFilesDeps {
  folders: Pick<StoredFolders, "find">
  taken: TakenFiles
  lock: KeyedLock
  trash: Trash
  index: Pick<PassageIndex, "removeFile">
  access: Pick<FileAccess, "changeable" | "existing">
  news: Pick<FileNews, "deleted">
  ingestion: { cancel(fileIds: readonly string[]): void }
  endDeleted: Deletable["end"]
  logger: Pick<Logger, "warn">
}

/** Renames and moves files, also between folders. They keep their IDs, texts and passages. */
export interface MovedFiles {
  /**
   * Moves a file of the owner's folder. Adds a number to the name if it is taken. If the move fails, the file stays where it was; if the
   * box is killed in between, `completeMove` completes it. Throws `not_found`, and `conflict` for a file whose bytes are missing.
   */
  move(
    ownerId: string,
    fileId: string,
    from: FileLocation,
    to: FileLocation,
    steps: MoveSteps,
  ): Promise<FileEntry>
  /**
   * Completes a move that a killed box left. The file goes to its new location, or back if that folder is gone or a required name is taken.
   * Returns false if both folders are gone and the file with them; throws while their deletion can be undone.
   */
  completeMove(
    ownerId: string,
    fileId: string,
    taken: string,
    from: FileLocation,
    to: FileLocation,
    put: MoveSteps["put"],
  ): Promise<boolean>
}

export function createMovedFiles(deps: MovedFilesDeps): MovedFiles {
  const { folders, taken, lock, trash, index, access, logger } = deps

  async function put(
    ownerId: string,
    fileId: string,
    kept: TakenFile,
    { folderId, subFolder, name }: FileLocation,
    also: (transaction: AnyTransaction, location: FileLocation) => Promise<void>,
  ): Promise<FileRow> {
    return lock.run(folderId, async () => {
      const location = await access.changeable(ownerId, folderId)
      const hidden = await access.existing(kept.hiddenId, fileId)
      const named = { ...hidden, ...locationFields({ path: getPath({ subFolder, name }) }) }
      return taken.put(location, named, kept, async (transaction, row) => {
        await also(transaction, row)
        if (row.folderId !== kept.folderId) await noteArrival(transaction, row)
      })
    })
  }

  /** Returns whether the folder exists and still belongs to the owner. */
  async function isStillOwned(ownerId: string, { folderId }: FileLocation): Promise<boolean> {
    try {
      await access.changeable(ownerId, folderId)
      return true
    } catch (error) {
      if (error instanceof AppError && (error.code === "not_found" || error.code === "forbidden"))
        return false
      throw error
    }
  }

  /** Makes search find the file at its new location. */
  async function find({ id, folderId }: FileRow): Promise<void> {
    try {
      await index.removeFile(id) // removes it from the previous folder
      await taken.find(id, folderId)
    } catch (error) {
      logger.warn({ err: error, fileId: id }, "A moved file isn't found until the search index is rebuilt")
    }
  }

  return {
    async move(ownerId, fileId, from, to, steps) {
      const target = await access.changeable(ownerId, to.folderId)
      await requireVisible(getPath(to).split("/"), target)
      const location = await access.changeable(ownerId, from.folderId)
      await using holding = new AsyncDisposableStack()
      const kept = await lock.run(from.folderId, async () => {
        const row = await access.existing(from.folderId, fileId)
        if (row.subFolder !== from.subFolder || row.name !== from.name) throw createMovedError()
        const note = async (transaction: AnyTransaction, out: TakenFile) => {
          if (out.trashId === null) throw new AppError("conflict", sentence("filing.bytes_missing"))
          const held = row.object === null ? await trash.find(out.trashId) : null
          if (held) holding.use(held)
          const kept = row.object === null ? out : { ...out, trashId: null }
          await steps.taken(transaction, JSON.stringify(kept))
          return kept
        }
        return taken.take(location, row, note, true)
      })
      deps.news.deleted(from.folderId, [fileId])
      deps.ingestion.cancel([fileId])
      try {
        const row = await put(ownerId, fileId, kept, to, (...put) => steps.put(...put, false))
        await find(row)
        return presentFile(row)
      } catch (error) {
        await find(await put(ownerId, fileId, kept, from, (...put) => steps.put(...put, true)))
        throw error
      }
    },

    async completeMove(ownerId, fileId, json, from, to, also) {
      const kept = readStored(TakenFile, json)
      if (!kept) throw goneFromTrash()
      let refused: AppError | undefined
      for (const location of [to, from]) {
        if (!(await isStillOwned(ownerId, location))) continue
        try {
          await find(await put(ownerId, fileId, kept, location, (...put) => also(...put, location === from)))
          return true
        } catch (error) {
          if (!(error instanceof AppError && error.code === "conflict")) throw error
          refused = error
        }
      }
      if (refused) throw refused
      for (const { folderId } of [to, from])
        if (await folders.find(folderId)) throw new AppError("not_found", sentence("folders.none_such"))
      await deps.endDeleted({ ownerId, kind: "file", itemId: fileId, kept: json })
      return false
    },
  }
}

/** Records a file's arrival in a folder where someone waits for files. */
async function noteArrival(
  transaction: AnyTransaction,
  { id: fileId, folderId, arrivedRevision: revision, status }: FileRow,
): Promise<void> {
  const files = ownTables<"files">(transaction)
  if (status !== "completed") {
    // Its content is new to this folder when it is indexed, even if the bytes are the same.
    await files
      .updateTable("files")
      .set({ arrivedHash: "" })
      .where("id", "=", fileId)
      .where("arrivedHash", "is not", null)
      .execute()
    return
  }
  const awaited = files.selectFrom("awaitedFolders").select("folderId").where("folderId", "=", folderId)
  if (await awaited.executeTakeFirst())
    await files.insertInto("fileArrivals").values({ folderId, fileId, revision, isNew: 1 }).execute()
}

const createMovedError = () => new AppError("conflict", sentence("filing.moved_meanwhile"))
