import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Folder, FolderDraft } from "../../../shared/contract/folders.ts"
import { timestamp } from "../../core/ids.ts"
import type { BegunTransaction } from "../../core/database/database.ts"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import type { FolderRemoval, ShownFolder } from "./folder-removal.ts"
import type { FolderRow, FolderStore } from "./store.ts"

/** Folders of chats' attachments, which no list shows. A chat has one before its first question. */
export interface ChatFolders {
  /**
   * The chat's folder; `made` by this call. Throws `conflict` when there are too many of chats that haven't begun, all
   * with files. A new folder stays on this computer if its chat does, or the chat that it is a fork of, or a folder of the project
   * that the chat is in or begins in.
   */
  ofChat(
    userId: string,
    chatId: string,
    begins: { projectId: string | undefined } | { from: string; settings: Partial<FolderDraft> },
  ): Promise<{ vector: Folder; made: boolean }>
  /** The chat's folder, if it has one. */
  findOfChat(userId: string, chatId: string): Promise<Folder | null>
  /**
   * Removes chats by the function, and with the same write the folders of those that it says, or the next chat of such an id
   * would be given one; answers what the function does.
   */
  removeWithChats<T>(
    userId: string,
    chatIds: readonly string[],
    removeChats: (also: WriteOfChats, folders: ReadonlyMap<string, ShownFolder>) => Promise<T>,
  ): Promise<T>
  /** Removes folders of chats that haven't begun, or are gone, and were given no file for 30 days; they go to the trash. */
  removeAbandoned(now: number): Promise<void>
}

type WriteOfChats = (transaction: BegunTransaction, chatIds: readonly string[]) => Promise<void>

interface ChatFoldersDeps {
  store: FolderStore
  /** Titles of those of a user's chats that there are, by id. */
  chatTitles(ownerId: string, chatIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** When the newest file of each of the folders came that have any. */
  newestFiles(folderIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Whether the chat has read a folder that stays on this computer, or its project has one; a new chat starts in `newProjectId`. */
  chatStaysHere(userId: string, chatId: string, newProjectId: string | undefined): Promise<boolean>
  make(userId: string, chatId: string, settings: Partial<FolderDraft>): Promise<Folder>
  present(row: FolderRow, userId: string): Promise<Folder>
  removal: Pick<FolderRemoval, "removeWith" | "discard">
}

/** Questions may wait, with their files, for a model to be installed. */
const keptMs = 30 * 24 * 3_600_000
/** Of one person, without those of chats that have begun. */
const mostUnbegun = 1_000

export function createChatFolders({
  store,
  chatTitles,
  newestFiles,
  chatStaysHere,
  make,
  present,
  removal,
}: ChatFoldersDeps): ChatFolders {
  const lock = createKeyedLock()

  /** Folders of chats that don't exist, of one person or all, and when their newest file came; each person's oldest first. */
  async function unbegun(ownerId?: string): Promise<{ row: FolderRow; newestFile: string | null }[]> {
    const rows: FolderRow[] = []
    for (const [owner, some] of Map.groupBy(await store.ofChats(ownerId), (row) => row.ownerId)) {
      const titles = await chatTitles(
        owner,
        some.map(({ chatId }) => chatId ?? ""),
      )
      rows.push(...some.filter(({ chatId }) => !titles.has(chatId ?? "")))
    }
    const newest = await newestFiles(rows.map(({ id }) => id))
    return rows.map((row) => ({ row, newestFile: newest.get(row.id) ?? null }))
  }

  /** Where there are too many, the oldest that nobody put a file into makes room. */
  async function makeRoom(userId: string): Promise<void> {
    const found = await unbegun(userId)
    if (found.length < mostUnbegun) return
    const empty = found.find(({ newestFile }) => newestFile === null)
    if (!empty) throw new AppError("conflict", sentence("folders.too_many_unasked", { count: mostUnbegun }))
    await removal.discard(empty.row)
  }

  return {
    ofChat: (userId, chatId, begins) =>
      lock.run(userId, async () => {
        const row = await store.ofChat(userId, chatId)
        if (row) return { vector: await present(row, userId), made: false }
        await makeRoom(userId)
        const isFork = "from" in begins
        const settings: Partial<FolderDraft> = isFork ? { ...begins.settings } : {}
        const staysHere = isFork
          ? await chatStaysHere(userId, begins.from, undefined)
          : await chatStaysHere(userId, chatId, begins.projectId)
        if (staysHere) settings.remote = "never"
        return { vector: await make(userId, chatId, settings), made: true }
      }),

    async findOfChat(userId, chatId) {
      const row = await store.ofChat(userId, chatId)
      return row ? present(row, userId) : null
    },

    async removeWithChats(userId, chatIds, removeChats) {
      const rows = new Map<string, FolderRow>()
      for (const chatId of chatIds) {
        const row = await store.ofChat(userId, chatId)
        if (row) rows.set(chatId, row)
      }
      const ofChats = (ids: readonly string[]) => ids.flatMap((id) => rows.get(id) ?? [])
      return removal.removeWith([...rows.values()], (hide) =>
        removeChats((transaction, ids) => hide(transaction, ofChats(ids)), rows),
      )
    },

    async removeAbandoned(now) {
      const before = timestamp(now - keptMs)
      for (const { row, newestFile } of await unbegun())
        if (row.createdAt < before && (newestFile ?? "") < before) await removal.discard(row)
    },
  }
}
