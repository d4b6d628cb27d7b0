import { AppError } from "../../../../shared/contract/errors.ts"
import type { FileEntry, TrashedFile } from "../../../../shared/contract/files.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { Trash } from "../../../core/files/trash.ts"
import { timestamp } from "../../../core/ids.ts"
import { endObjects, objectRetentionMs } from "../../../core/objects/object-rows.ts"
import type { KeyedLock } from "../../../core/waiting/locks.ts"
import { chunksWithYield } from "../../../core/waiting/yield-to-event-loop.ts"
import type { FileAccess } from "../file-access.ts"
import type { FileChanges } from "../file-changes.ts"
import { presentFile, type FileRow } from "../file-entry.ts"
import { freshObject, type StoreFresh } from "../receive-files.ts"
import type { FileStore } from "../store.ts"

/** Permanently removes files from the trash. The next check deletes their objects, unless another row refers to them. */
export async function endTrashed(db: DbOf<"files">, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.transaction().execute(async (transaction) => {
    const trashed = transaction.selectFrom("trashedFiles").select("object").where("id", "in", ids)
    const objects = (await trashed.execute()).flatMap(({ object }) => object ?? [])
    await transaction.deleteFrom("trashedFiles").where("id", "in", ids).execute()
    await endObjects(transaction, objects)
  })
}

/** Removes trashed objects: all, or those that have been in the trash for 30 days at `now`. */
export async function endTrashedObjects(db: DbOf<"files">, now?: number): Promise<void> {
  const trashed = db.selectFrom("trashedFiles").select("id").where("object", "is not", null)
  const old =
    now === undefined ? trashed : trashed.where("deletedAt", "<", timestamp(now - objectRetentionMs))
  await endTrashed(
    db,
    (await old.execute()).map(({ id }) => id),
  )
}

/** Marks the object of a removed file for deletion if it is no longer in the trash. Returns whether it did. */
export async function endUntrashed(db: DbOf<"files">, object: string): Promise<boolean> {
  const kept = db.selectFrom("trashedFiles").select("id").where("object", "=", object)
  if (await kept.executeTakeFirst()) return false
  await endObjects(db, [object])
  return true
}

export interface TrashedFilesDeps {
  db: DbOf<"files">
  trash: Pick<Trash, "ids" | "find" | "empty">
  /** Called when objects were permanently removed from the trash. */
  objectsEnded(): void
  access: Pick<FileAccess, "changeable">
  store: Pick<FileStore, "isTaken">
  storeFresh: StoreFresh
  lock: KeyedLock
  changes: Pick<FileChanges, "changed">
}

/** Deleted files whose deletion can no longer be undone, but which are still in the trash. */
export interface TrashedFiles {
  /** Returns the files this user deleted, newest first, with their number and total size. */
  trashed(userId: string): Promise<{ files: TrashedFile[]; count: number; bytes: number }>
  /** Permanently deletes all files that this user deleted, except those being put back. */
  emptyTrash(userId: string): Promise<void>
  /** Permanently deletes one file, after any restore of it has ended. Throws `not_found` if it isn't in the trash. */
  removeTrashed(userId: string, trashId: string): Promise<void>
  /** Removes the rows of files that are missing from the trash, for example after it was emptied. */
  forgetLost(): Promise<void>
  /** Restores a file to its location, with a number if the name is taken. Throws `not_found` if it isn't in the trash. */
  putBack(userId: string, trashId: string): Promise<FileEntry>
}

const maxListed = 500

/** Records the previous location of a file whose bytes were moved to the trash. */
export async function noteTrashed(
  transaction: DbOf<"files">,
  id: string,
  userId: string,
  { folderId, subFolder, name, size, object, modifiedMs, generatedBy }: FileRow,
): Promise<void> {
  const trashed = {
    id,
    userId,
    folderId,
    subFolder,
    name,
    size,
    deletedAt: timestamp(),
    object,
    modifiedMs: object === null ? null : modifiedMs,
    generatedBy,
  }
  await transaction.insertInto("trashedFiles").values(trashed).execute()
}

export const forgetTrashed = (db: DbOf<"files">, ids: readonly string[]) =>
  db.deleteFrom("trashedFiles").where("id", "in", ids).execute()

export const createTrashedFiles = (deps: TrashedFilesDeps): TrashedFiles => new TrashedFileService(deps)

class TrashedFileService implements TrashedFiles {
  readonly #deps: TrashedFilesDeps

  constructor(deps: TrashedFilesDeps) {
    this.#deps = deps
  }

  async forgetLost(): Promise<void> {
    const rows = await this.#deps.db
      .selectFrom("trashedFiles")
      .select("id")
      .where("object", "is", null)
      .execute()
    if (rows.length === 0) return
    const trashIds = await this.#deps.trash.ids()
    if (trashIds === null) return
    const lost = rows.map(({ id }) => id).filter((id) => !trashIds.has(id))
    for await (const some of chunksWithYield(lost, maxListed)) await forgetTrashed(this.#deps.db, some)
  }

  async trashed(userId: string): Promise<{ files: TrashedFile[]; count: number; bytes: number }> {
    const trashIds = await this.#deps.trash.ids()
    const rows = await this.#queryByUser(userId).selectAll().orderBy("deletedAt", "desc").execute()
    const trashed = rows.filter(({ id, object }) => object !== null || trashIds?.has(id))
    return {
      count: trashed.length,
      bytes: trashed.reduce((sum, { size }) => sum + size, 0),
      files: trashed.slice(0, maxListed).map(({ id, folderId, name, subFolder, size, deletedAt }) => ({
        id,
        vectorId: folderId,
        name,
        folder: subFolder,
        size,
        deletedAt,
      })),
    }
  }

  #queryByUser(userId: string) {
    return this.#deps.db.selectFrom("trashedFiles").where("userId", "=", userId)
  }

  async emptyTrash(userId: string): Promise<void> {
    const rows = await this.#queryByUser(userId).select(["id", "object"]).execute()
    const ids = new Set(rows.map(({ id }) => id))
    await this.#deps.trash.empty((all) => all.filter((id) => ids.has(id)))
    await this.forgetLost()
    await this.#end(rows.filter(({ object }) => object !== null).map(({ id }) => id))
  }

  async #end(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    await endTrashed(this.#deps.db, ids)
    this.#deps.objectsEnded()
  }

  async removeTrashed(userId: string, trashId: string): Promise<void> {
    const { folderId } = await this.#find(userId, trashId)
    await this.#deps.lock.run(folderId, async () => {
      const { object } = await this.#find(userId, trashId) // it may have been put back in the meantime
      if (object !== null) return this.#end([trashId])
      await this.#deps.trash.empty((all) => all.filter((id) => id === trashId))
      await forgetTrashed(this.#deps.db, [trashId])
    })
  }

  async #find(userId: string, trashId: string) {
    const found = await this.#queryByUser(userId).where("id", "=", trashId).selectAll().executeTakeFirst()
    if (!found) throw goneFromTrash()
    return found
  }

  async putBack(userId: string, trashId: string): Promise<FileEntry> {
    const before = await this.#find(userId, trashId)
    const folder = await this.#deps.access.changeable(userId, before.folderId)
    const row = await this.#deps.lock.run(before.folderId, async () => {
      const { object, size, modifiedMs, generatedBy } = await this.#find(userId, trashId)
      const directories = before.subFolder === "" ? [] : before.subFolder.split("/")
      if (object !== null) {
        const stored = { key: object, size, modifiedMs: modifiedMs ?? 0 }
        const fresh = {
          ...(await freshObject(this.#deps.store, before.folderId, stored, directories, before.name)),
          generatedBy,
        }
        await this.#comeBack(trashId, fresh)
        return fresh
      }
      using bytes = await this.#deps.trash.find(trashId)
      if (!bytes) throw goneFromTrash()
      const put = { of: bytes.path, directories, name: before.name }
      const fresh = await this.#deps.storeFresh(before.folderId, folder, put, { generatedBy })
      await bytes.discard()
      await forgetTrashed(this.#deps.db, [trashId])
      return fresh
    })
    this.#deps.changes.changed([row.id])
    return presentFile(row)
  }

  /** One transaction: the object isn't deleted while the trash has it, and emptying the trash takes it either before this or not at all. */
  #comeBack(trashId: string, row: FileRow): Promise<void> {
    return this.#deps.db.transaction().execute(async (transaction) => {
      const [removed] = await forgetTrashed(transaction, [trashId])
      if (Number(removed?.numDeletedRows ?? 0) === 0) throw goneFromTrash()
      await transaction.insertInto("files").values(row).execute()
    })
  }
}

export const goneFromTrash = () => new AppError("not_found", sentence("deletions.gone_from_trash"))
