import { z } from "zod"
import type { Undo } from "../../../shared/contract/deletions.ts"
import type { AlsoWrite, BegunTransaction } from "../../core/database/database.ts"
import { readStored } from "../../core/database/stored-json.ts"
import type { Deletable, NoteDeletion } from "../../core/deletable.ts"
import type { DiskReserve } from "../../core/disk/disk-reserve.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { FolderRow, FolderStore } from "./store.ts"

/** What a folder was before it was hidden. */
const Kept = z.object({ paused: z.int(), chatId: z.string().nullable() })

/** A folder of a chat, as it was before it was hidden. */
export type ShownFolder = Pick<FolderRow, "id" | "paused">

export interface FolderRemovalDeps {
  store: FolderStore
  /** What is in folders, as `FolderContents` says. */
  contents: {
    follow(folderId: string): Promise<void>
    release(folderId: string): Promise<void>
    clear(folderId: string): Promise<void>
    wakeIngestion(): void
  }
  reserve: Pick<DiskReserve, "orFree">
  noteDeletion: NoteDeletion
  /** Ends the folder's deletion now. */
  endDeletion(ownerId: string, folderId: string): Promise<void>
  leaving(folderId: string): Promise<void>
  audience(folderId: string): Promise<readonly string[] | null>
  announce(userIds: readonly string[] | null, folderId: string): void
  logger: Logger
}

/** Hides those of the folders that go. */
type HideFolders = (transaction: BegunTransaction, rows: readonly FolderRow[]) => Promise<void>

/** How folders are deleted: hidden in one write, with all that they hold, and cleared when that can't be undone any more. */
export interface FolderRemoval {
  remove(row: FolderRow): Promise<Undo>
  /** Deletes what nobody asked to be deleted, so that nobody can undo it. */
  discard(row: FolderRow): Promise<void>
  /** Hides those that the function says, with something else; answers what the function answers. */
  removeWith<T>(rows: readonly FolderRow[], hide: (also: HideFolders) => Promise<T>): Promise<T>
  /** Brings back the folder of a chat in one write with the chat, by the function. */
  restoreWith(folder: ShownFolder, chatId: string, restore: (also: AlsoWrite) => Promise<void>): Promise<void>
  /** Removes what a hidden folder held, and the folder; nothing where there is none. */
  clear(folderId: string): Promise<void>
  readonly deletable: Deletable
}

export function createFolderRemoval(deps: FolderRemovalDeps): FolderRemoval {
  const { store, contents, reserve, logger, announce } = deps

  async function leave({ id }: FolderRow, audience: readonly string[] | null): Promise<void> {
    await contents.release(id).catch((error: unknown) => {
      logger.warn({ err: error, folderId: id }, "Work on a deleted folder didn't end at once")
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
        const kept: z.infer<typeof Kept> = { paused: row.paused, chatId: row.chatId }
        const deletion = { ownerId: row.ownerId, kind: "folder", itemId: row.id } as const
        return deps.noteDeletion(transaction, { ...deletion, kept: JSON.stringify(kept) })
      }),
    )

  /** `show` brings it back, by what it is told to write. */
  async function restore(
    folderId: string,
    { paused, chatId }: z.infer<typeof Kept>,
    show: (also: AlsoWrite) => Promise<void>,
  ): Promise<void> {
    let replacedId: string | null = null
    await show(async (transaction) => {
      replacedId = await store.show(folderId, { paused, chatId }, transaction)
    })
    if (paused === 0) await contents.follow(folderId)
    contents.wakeIngestion()
    for (const id of [folderId, replacedId]) if (id !== null) announce(await deps.audience(id), id)
  }

  async function clear(folderId: string): Promise<void> {
    if (!(await store.isHidden(folderId))) return
    await reserve.orFree(() => deps.leaving(folderId))
    await reserve.orFree(() => contents.clear(folderId))
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
        restore(itemId, readStored(Kept, kept) ?? { paused: 0, chatId: null }, (write) =>
          store.transaction(async (transaction: BegunTransaction) => {
            await also(transaction)
            await write(transaction)
          }),
        ),
      end: ({ itemId }) => clear(itemId),
    },
  }
}
