import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Folder, FolderDraft } from "../../../shared/contract/folders.ts"
import { timestamp } from "../../core/ids.ts"
import type { AnyTransaction } from "../../core/database/database.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import type { FolderRemoval, ShownFolder } from "./folder-removal.ts"
import type { FolderRow, FolderStore } from "./store.ts"

/** Folders for chat attachments, which appear in no list. A chat can have one before its first question. */
export interface ChatFolders {
  /**
   * Returns the chat's folder; `made` is true if this call created it. Throws `conflict` if the user has too many unstarted chats whose
   * folders all contain files. A new folder stays on this computer if its chat, the chat it was forked from, or a folder of the chat's
   * project does.
   */
  getFolderOfChat(
    userId: string,
    chatId: string,
    source: { projectId: string | undefined } | { from: string; settings: Partial<FolderDraft> },
  ): Promise<{ vector: Folder; made: boolean }>
  /** The chat's folder, if it has one. */
  findChatFolder(userId: string, chatId: string): Promise<Folder | null>
  /**
   * Removes chats through the function, and in the same transaction the folders that it selects. Otherwise the next chat with such an ID
   * would get the old folder. Returns the function's result.
   */
  removeWithChats<T>(
    userId: string,
    chatIds: readonly string[],
    removeChats: (also: WriteOfChats, folders: ReadonlyMap<string, ShownFolder>) => Promise<T>,
  ): Promise<T>
  /** Removes folders whose chats haven't started or no longer exist and that received no file for 30 days. They go to the trash. */
  removeAbandoned(now: number): Promise<void>
}

type WriteOfChats = (transaction: AnyTransaction, chatIds: readonly string[]) => Promise<void>

interface ChatFoldersDeps {
  store: FolderStore
  /** Titles of the user's chats that exist, by ID. */
  chatTitles(ownerId: string, chatIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The time at which the newest file of each folder was added. Folders without files are left out. */
  newestFiles(folderIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Whether the chat has read a folder that stays on this computer, or its project has one. A new chat starts in `newProjectId`. */
  chatStaysHere(userId: string, chatId: string, newProjectId: string | undefined): Promise<boolean>
  make(userId: string, chatId: string, settings: Partial<FolderDraft>): Promise<Folder>
  present(row: FolderRow, userId: string): Promise<Folder>
  removal: Pick<FolderRemoval, "removeWith" | "discard">
}

/** Questions may wait, with their files, until a model is installed. */
const retentionMs = 30 * 24 * 3_600_000
/** Limit per person for folders of chats that haven't started. */
const maxUnstarted = 1_000

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

  /** Folders whose chats don't exist, for one person or everyone, with the time of their newest file. Each person's oldest come first. */
  async function findUnstartedFolders(
    ownerId?: string,
  ): Promise<{ row: FolderRow; newestFile: string | null }[]> {
    const rows: FolderRow[] = []
    for (const [owner, some] of Map.groupBy(await store.listChatFolders(ownerId), (row) => row.ownerId)) {
      const titles = await chatTitles(
        owner,
        some.map(({ chatId }) => chatId ?? ""),
      )
      rows.push(...some.filter(({ chatId }) => !titles.has(chatId ?? "")))
    }
    const newest = await newestFiles(rows.map(({ id }) => id))
    return rows.map((row) => ({ row, newestFile: newest.get(row.id) ?? null }))
  }

  /** If there are too many, removes the oldest folder without files. */
  async function makeRoom(userId: string): Promise<void> {
    const found = await findUnstartedFolders(userId)
    if (found.length < maxUnstarted) return
    const empty = found.find(({ newestFile }) => newestFile === null)
    if (!empty) throw new AppError("conflict", sentence("folders.too_many_unasked", { count: maxUnstarted }))
    await removal.discard(empty.row)
  }

  return {
    getFolderOfChat: (userId, chatId, source) =>
      lock.run(userId, async () => {
        const row = await store.getFolderOfChat(userId, chatId)
        if (row) return { vector: await present(row, userId), made: false }
        await makeRoom(userId)
        const isFork = "from" in source
        const settings: Partial<FolderDraft> = isFork ? { ...source.settings } : {}
        const staysHere = isFork
          ? await chatStaysHere(userId, source.from, undefined)
          : await chatStaysHere(userId, chatId, source.projectId)
        if (staysHere) settings.remote = "never"
        return { vector: await make(userId, chatId, settings), made: true }
      }),

    async findChatFolder(userId, chatId) {
      const row = await store.getFolderOfChat(userId, chatId)
      return row ? present(row, userId) : null
    },

    async removeWithChats(userId, chatIds, removeChats) {
      const rows = new Map<string, FolderRow>()
      for (const chatId of chatIds) {
        const row = await store.getFolderOfChat(userId, chatId)
        if (row) rows.set(chatId, row)
      }
      const listChatFolders = (ids: readonly string[]) => ids.flatMap((id) => rows.get(id) ?? [])
      return removal.removeWith([...rows.values()], (hide) =>
        removeChats((transaction, ids) => hide(transaction, listChatFolders(ids)), rows),
      )
    },

    async removeAbandoned(now) {
      const before = timestamp(now - retentionMs)
      for (const { row, newestFile } of await findUnstartedFolders())
        if (row.createdAt < before && (newestFile ?? "") < before) await removal.discard(row)
    },
  }
}
