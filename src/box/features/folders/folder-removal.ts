import { z } from "zod"
import type { Undo } from "../../../shared/contract/deletions.ts"
import type { AlsoWrite, AnyTransaction } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { Deletable, NoteDeletion } from "../../core/deletable.ts"
import type { DiskReserve } from "../../core/disk/disk-space.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { FolderRow, FolderStore } from "./store.ts"

/** State of a folder before it was hidden. */
const TrashedDetails = z.object({ paused: z.int(), chatId: z.string().nullable() })

/** A chat's folder as it was before it was hidden. */
export type ShownFolder = Pick<FolderRow, "id" | "paused">

export interface FolderRemovalDeps {
  store: FolderStore
  /** Folder contents, as described in `FolderContents`. */
  contents: {
    follow(folderId: string): Promise<void>
    release(folderId: string): Promise<void>
    clear(folderId: string): Promise<void>
  }
  ingestion: { wake(): void }
  reserve: Pick<DiskReserve, "withReserve">
  noteDeletion: NoteDeletion
  /** Finishes the folder's deletion now. */
  endDeletion(ownerId: string, folderId: string): Promise<void>
  beforeDeletion(folderId: string): Promise<void>
  audience(folderId: string): Promise<readonly string[] | null>
  announce(userIds: readonly string[] | null, folderId: string): void
  logger: Logger
}

/** Hides the folders that are removed. */
type HideFolders = (transaction: AnyTransaction, rows: readonly FolderRow[]) => Promise<void>

/** Deletes folders: hides each with all its contents in one write, and clears it when the deletion can no longer be undone. */
export interface FolderRemoval {
  remove(row: FolderRow): Promise<Undo>
  /** Deletes a folder without a user's request, so the deletion can't be undone. */
  discard(row: FolderRow): Promise<void>
  /** Hides the folders that the function selects, in one transaction with its other writes. Returns the function's result. */
  removeWith<T>(rows: readonly FolderRow[], hide: (also: HideFolders) => Promise<T>): Promise<T>
  /** Restores a chat's folder in the same write as the chat, through the function. */
  restoreWith(folder: ShownFolder, chatId: string, restore: (also: AlsoWrite) => Promise<void>): Promise<void>
  /** Removes a hidden folder and its contents. Does nothing if it doesn't exist. */
  clear(folderId: string): Promise<void>
  readonly deletable: Deletable
}

export function createFolderRemoval(deps: FolderRemovalDeps): FolderRemoval {
  const { store, contents, reserve, logger, announce } = deps

  async function leave({ id }: FolderRow, audience: readonly string[] | null): Promise<void> {
    await contents.release(id).catch((error: unknown) => {
      logger.warn({ err: error, folderId: id }, "Work on a deleted folder didn't end immediately")
    })
    announce(audience, id)
  }

  async function removeWith<T>(
    rows: readonly FolderRow[],
    hide: (also: HideFolders) => Promise<T>,
  ): Promise<T> {
    const audiences = new Map<FolderRow, readonly string[] | null>()
    for (const row of rows) audiences.set(row, await deps.audience(row.id))
    let going: readonly FolderRow[] = []
    const hidden = await hide(async (transaction, some) => {
      for (const { id } of some) await store.hide(id, transaction)
      going = some
    })
    for (const row of going) await leave(row, audiences.get(row) ?? null)
    return hidden
  }

  const remove = (row: FolderRow): Promise<Undo> =>
    removeWith([row], (hide) =>
      store.transaction(async (transaction) => {
        await hide(transaction, [row])
        const kept: z.infer<typeof TrashedDetails> = { paused: row.paused, chatId: row.chatId }
        const deletion = { ownerId: row.ownerId, kind: "folder", itemId: row.id } as const
        return deps.noteDeletion(transaction, { ...deletion, kept: JSON.stringify(kept) })
      }),
    )

  /** `show` restores the folder by running the write that it is given. */
  async function restore(
    folderId: string,
    { paused, chatId }: z.infer<typeof TrashedDetails>,
    show: (also: AlsoWrite) => Promise<void>,
  ): Promise<void> {
    let replacedId: string | null = null
    await show(async (transaction) => {
      replacedId = await store.show(folderId, { paused, chatId }, transaction)
    })
    if (paused === 0) await contents.follow(folderId)
    deps.ingestion.wake()
    for (const id of [folderId, replacedId]) if (id !== null) announce(await deps.audience(id), id)
  }

  async function clear(folderId: string): Promise<void> {
    if (!(await store.isHidden(folderId))) return
    await reserve.withReserve(() => deps.beforeDeletion(folderId))
    await reserve.withReserve(() => contents.clear(folderId))
    await store.remove(folderId)
  }

  return {
    remove,
    async discard(row) {
      await remove(row)
      await deps.endDeletion(row.ownerId, row.id)
    },
    removeWith,
    restoreWith: ({ id, paused }, chatId, show) => restore(id, { paused, chatId }, show),
    clear,
    deletable: {
      restore: ({ itemId, kept }, also) =>
        restore(itemId, readStored(TrashedDetails, kept) ?? { paused: 0, chatId: null }, (write) =>
          store.transaction(async (transaction: AnyTransaction) => {
            await also(transaction)
            await write(transaction)
          }),
        ),
      end: ({ itemId }) => clear(itemId),
    },
  }
}
