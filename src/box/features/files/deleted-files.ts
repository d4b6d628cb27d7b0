import { join } from "node:path"
import { z } from "zod"
import type { Undo } from "../../../shared/contract/deletions.ts"
import type { AlsoWrite, DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/stored-json.ts"
import type { Deletable, NoteDeletion } from "../../core/deletable.ts"
import { newId } from "../../core/ids.ts"
import type { Trash, TrashedFile } from "../../core/files/trash.ts"
import type { KeyedLock } from "../../core/waiting/keyed-lock.ts"
import type { PassageIndex } from "../../engines/vectors/passage-index.ts"
import { createReturningFiles } from "./disk/returning-files.ts"
import type { StoredFiles } from "./disk/stored-files.ts"
import type { UnfinishedChanges } from "./disk/unfinished-changes.ts"
import { openTo, type UploadPlace } from "./disk/uploads.ts"
import type { FileAccess } from "./file-access.ts"
import type { FileChanges } from "./file-changes.ts"
import { freeName } from "./fresh-files.ts"
import { endUntrashed } from "./objects/trashed-objects.ts"
import { contentFields, namesOf, pathOf, placeFields, type FileRow } from "./file-entry.ts"
import type { FolderPlaces } from "./folder-places.ts"
import { createRechunkStore } from "./passages/rechunk-store.ts"
import type { FileStore } from "./store.ts"
import { forgetTrashed, goneFromTrash, noteTrashed } from "./trashed-files.ts"

/** Of a deleted file, to bring it back. */
const Kept = z.object({
  folderId: z.string(),
  /** The hidden folder that it is in meanwhile. */
  hiddenId: z.string(),
  /** Of its bytes; null where there were none any more: then it comes back without. */
  trashId: z.string().nullable(),
  mode: z.int().nullable(),
})

export interface DeletedFilesDeps {
  db: DbOf<"files">
  folders: Pick<FolderPlaces, "makeHidden" | "removeHidden">
  store: FileStore
  stored: StoredFiles
  unfinished: Pick<UnfinishedChanges, "remove">
  lock: KeyedLock
  trash: Trash
  index: Pick<PassageIndex, "put">
  changes: FileChanges
  access: Pick<FileAccess, "changeable" | "existing">
  noteDeletion: NoteDeletion
  /** Objects were taken out of the trash for good. */
  objectsEnded(): void
}

/**
 * A deleted file's bytes are in the trash, and its row, with its text and passages, in a hidden folder of its own, so that
 * it comes back as it was, and nothing else need know.
 */
export function createDeletedFiles(deps: DeletedFilesDeps) {
  const { db, folders, store, stored, unfinished, lock, trash, index, changes, access } = deps
  const returning = createReturningFiles(db, stored)

  const deletable: Deletable = {
    async restore({ ownerId, itemId, kept: json }, also) {
      const kept = readStored(Kept, json)
      if (!kept) throw goneFromTrash()
      await lock.run(kept.folderId, async () => {
        const place = await access.changeable(ownerId, kept.folderId)
        await putBack(place, await access.existing(kept.hiddenId, itemId), kept, also)
      })
      for await (const records of createRechunkStore(db).records({ id: itemId, folderId: kept.folderId }))
        await index.put(records)
      changes.changed([itemId])
    },

    async end({ itemId, kept }) {
      const { hiddenId } = readStored(Kept, kept) ?? {}
      if (hiddenId === undefined) return
      const object = (await store.find(hiddenId, itemId))?.object ?? null
      await store.remove(await store.idsInFolder(hiddenId))
      if (object !== null && (await endUntrashed(db, object))) deps.objectsEnded()
      changes.passagesGone([itemId]) // once more: the box may have been killed before the index had followed
      await folders.removeHidden(db, hiddenId)
    },
  }

  /**
   * Under a numbered name where its own is taken. A box that is killed in between finds the bytes in their place, and takes them
   * for a file that just came until this is done again.
   */
  async function putBack(
    place: UploadPlace,
    row: FileRow,
    { folderId, hiddenId, trashId, mode }: z.infer<typeof Kept>,
    also: AlsoWrite,
  ): Promise<void> {
    if (row.object !== null) return putBackObject(row, { folderId, hiddenId, trashId }, also)
    using bytes = trashId === null ? null : await trash.find(trashId)
    const left = await returning.left(place, row)
    let put: string | null = null
    const add = (from: TrashedFile | null) => {
      if (!from) throw goneFromTrash()
      return stored.add(place, from.path, namesOf(row).slice(0, -1), row.name, async (name, file) => {
        put = file
        await returning.begin(row.id, name, file)
      })
    }
    const isWithoutBytes = trashId === null && !(await store.isTaken(folderId, row.subFolder, row.name))
    const found = left ?? (isWithoutBytes ? null : await add(bytes))
    const to = { folderId, ...(found && { ...placeFields(found), ...contentFields(found) }) }
    let adopted: string[] = []
    try {
      if (mode !== null && found) await openTo(join(place.path, found.path), mode)
      await db.transaction().execute(async (transaction) => {
        await also(transaction)
        if (left) adopted = await store.removeNamed(transaction, { ...row, ...to })
        await transaction.updateTable("files").set(to).where("id", "=", row.id).execute()
        await returning.end(transaction, row.id)
        await folders.removeHidden(transaction, hiddenId)
        if (trashId !== null) await forgetTrashed(transaction, [trashId])
      })
    } catch (error) {
      if (put !== null) await stored.removeIfStill(place, { ...row, ...to }, put)
      throw error
    }
    changes.removed(folderId, adopted)
    await bytes?.discard()
  }

  /** All in one write: only rows tell of its name. */
  async function putBackObject(
    row: FileRow,
    { folderId, hiddenId, trashId }: Pick<z.infer<typeof Kept>, "folderId" | "hiddenId" | "trashId">,
    also: AlsoWrite,
  ): Promise<void> {
    const name = await freeName(store, folderId, namesOf(row).slice(0, -1), row.name)
    const to = { folderId, ...placeFields({ path: pathOf({ subFolder: row.subFolder, name }) }) }
    await db.transaction().execute(async (transaction) => {
      await also(transaction)
      const forgotten = trashId === null ? [] : await forgetTrashed(transaction, [trashId])
      if (Number(forgotten[0]?.numDeletedRows ?? 0) === 0) throw goneFromTrash()
      await transaction.updateTable("files").set(to).where("id", "=", row.id).execute()
      await folders.removeHidden(transaction, hiddenId)
    })
  }

  /** Takes it out of the folder, with what its deletion needs to be undone. `trashId`: of its bytes, null where there are none. */
  const leave = (ownerId: string, row: FileRow, trashId: string | null, mode: number | null): Promise<Undo> =>
    db.transaction().execute(async (transaction) => {
      const { id: itemId, folderId } = row
      const hiddenId = await folders.makeHidden(transaction, folderId)
      await store.moveOut(transaction, itemId, hiddenId)
      if (trashId !== null) await noteTrashed(transaction, trashId, ownerId, row)
      const kept: z.infer<typeof Kept> = { folderId, hiddenId, trashId, mode }
      const deletion = { ownerId, kind: "file", itemId, kept: JSON.stringify(kept) } as const
      return deps.noteDeletion(transaction, deletion)
    })

  return {
    async remove(ownerId: string, folderId: string, fileId: string): Promise<Undo> {
      const place = await access.changeable(ownerId, folderId)
      const undo = await lock.run(folderId, async () => {
        const row = await access.existing(folderId, fileId)
        if (row.object !== null) return leave(ownerId, row, newId(), null)
        const mode = place.managed ? null : await stored.modeOf(place, namesOf(row))
        return unfinished.remove(place, row, (bytes) => leave(ownerId, row, bytes?.id ?? null, mode))
      })
      changes.removed(folderId, [fileId])
      return undo
    },

    deletable,
  }
}
