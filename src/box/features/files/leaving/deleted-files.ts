import type { Undo } from "../../../../shared/contract/deletions.ts"
import { ownTables, type DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import type { Deletable, NoteDeletion } from "../../../core/deletable.ts"
import type { KeyedLock } from "../../../core/waiting/locks.ts"
import type { FileAccess } from "../file-access.ts"
import type { FileChanges } from "../file-changes.ts"
import type { StoredFolders } from "../folder-places.ts"
import { endUntrashed, goneFromTrash, noteTrashed } from "./trashed-files.ts"
import type { FileStore } from "../store.ts"
import { TakenFile, type TakenFiles } from "./taken-files.ts"

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
        const place = await access.changeable(ownerId, kept.folderId)
        await taken.put(place, await access.existing(kept.hiddenId, itemId), kept, also)
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
      const place = await access.changeable(ownerId, folderId)
      const undo = await lock.run(folderId, async () => {
        const row = await access.existing(folderId, fileId)
        return taken.take(place, row, async (transaction, kept) => {
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
