import { rmdir, stat } from "node:fs/promises"
import { basename } from "node:path"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import type { Undo } from "../../../shared/contract/deletions.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type {
  Folder,
  FolderDraft,
  FolderEntry,
  FolderPatch,
  StoredPassage,
} from "../../../shared/contract/folders.ts"
import type { AgeTimes } from "../../core/age-clock.ts"
import { managedFoldersPath } from "../../core/data-layout.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { Deletable, NoteDeletion } from "../../core/deletable.ts"
import type { DiskReserve } from "../../core/disk/disk-reserve.ts"
import type { Push } from "../../core/push.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { requireOwner, type Caller } from "../../http/caller.ts"
import type { FolderAccess } from "./access.ts"
import { createChatFolders, type ChatFolders } from "./chat-folders.ts"
import type { FolderQuery, FolderSearchResult, SearchFolders } from "./folder-search.ts"
import { createFolderRemoval, type FolderRemoval } from "./folder-removal.ts"
import { createFolderStore, presentEntry, presentFolder, type FileCounts, type FolderRow } from "./store.ts"
import { checkWatchedDirectory } from "./watched-directory.ts"
import { makeDirectoryInside } from "../../core/files/path-jail.ts"

/** A file of a chat's folder, for its messages. */
export interface AttachableFile {
  fileId: string
  name: string
  size: number
  createdAt: string
}

/** What folders need of the files in them. */
export interface FolderContents {
  /** Reconciles the folder with its directory and follows it from then on. Settles when the first is begun. */
  follow(folderId: string): Promise<void>
  /** Stops following; settles when nothing works on the folder any more. */
  release(folderId: string): Promise<void>
  /** Whether the folder's directory is there with what it held, and how many files it lost if they are missed. */
  standing(folderId: string): { available: boolean; missingCount: number }
  /** Takes the files that are missed now for deleted; none when the directory isn't there. */
  forgetMissing(folderId: string): Promise<void>
  /** Removes all files, passages and index entries of a released folder; the box's own directory goes to the trash. */
  clear(folderId: string): Promise<void>
  /** Continues to index files of folders that aren't paused. */
  wakeIngestion(): void
  /** How many files the folders have, and in which state; nothing of those without any. */
  counts(folderIds: readonly string[]): Promise<ReadonlyMap<string, FileCounts>>
  /** When the newest file of each of the folders came that have any. */
  newest(folderIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  attachable(folderId: string): Promise<AttachableFile[]>
}

export interface FoldersDeps {
  db: DbOf<"folders">
  dataDir: string
  push: Push
  access: FolderAccess
  /** Whether the user owns the workspace. */
  colleagues(userId: string): Promise<string[]>
  contents: FolderContents
  search: SearchFolders
  reserve: Pick<DiskReserve, "orFree">
  logger: Logger
  /** Dates folders: a clock that is behind for a while mustn't make the attachments of a new chat look abandoned. */
  times: Pick<AgeTimes, "latest">
  /** Titles of those of a user's chats that there are, by id. */
  chatTitles(ownerId: string, chatIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Passages of completed files, whosever they are; unknown ids are left out. */
  passagesById(ids: readonly string[]): Promise<StoredPassage[]>
  deletions: {
    note: NoteDeletion
    endNow(ownerId: string, kind: "folder", folderId: string): Promise<void>
  }
}

export interface Folders extends Pick<ChatFolders, "ofChat" | "findOfChat" | "removeWithChat"> {
  /** Brings back the folder of a chat in one write with the chat, by the function. */
  restoreWithChat: FolderRemoval["restoreWith"]
  /** Removes a hidden folder with all it held. */
  clear: FolderRemoval["clear"]
  list(userId: string): Promise<FolderEntry[]>
  /**
   * Throws `validation` when `folder` isn't a directory that can be watched, `forbidden` for those who own no workspace,
   * `conflict` when there are too many.
   */
  create(caller: Pick<Caller, "userId" | "isOwner">, draft: FolderDraft): Promise<Folder>
  read(userId: string, id: string): Promise<Folder>
  /** Throws `not_found` as `read` does, and when the passage isn't in this folder. */
  passage(userId: string, id: string, passageId: string): Promise<StoredPassage>
  /** Owner only: throws `not_found` for everyone else. */
  update(userId: string, id: string, patch: FolderPatch): Promise<Folder>
  /** Owner only. Files that the directory lost are taken for deleted, as many as were told. */
  forgetMissing(userId: string, id: string): Promise<Folder>
  /** Owner only. What the box stored goes to the trash in the end; a watched directory stays as it is. */
  remove(userId: string, id: string): Promise<Undo>
  /** How a deleted one is brought back, or goes for good. */
  readonly deletable: Deletable
  search(userId: string, query: FolderQuery): Promise<FolderSearchResult>
  /** Files of the chat's own folder, in the order in which they came. */
  attachable(userId: string, chatId: string): Promise<AttachableFile[]>
  /** Removes folders of chats that didn't begin within 30 days. Called when the box starts, once folders are followed, and once a day. */
  clean(now: number): Promise<void>
}

const defaults = { topK: 8, filter: 0, strategy: "hybrid", visibility: "PRIVATE", pipeline: "full" } as const
/** Of one person: every start looks through all of them. Folders of chats don't count. */
const mostFolders = 1_000

export function createFolders({
  db,
  dataDir,
  push,
  access,
  colleagues,
  contents,
  search,
  reserve,
  logger,
  times,
  chatTitles,
  passagesById,
  deletions,
}: FoldersDeps): Folders {
  const store = createFolderStore(db, dataDir)
  const missing = () => new AppError("not_found", sentence("folders.none_such"))

  async function owned(userId: string, id: string): Promise<FolderRow> {
    const row = await store.find(id)
    if (row?.ownerId !== userId) throw missing()
    return row
  }

  async function present(row: FolderRow, userId: string): Promise<Folder> {
    const counts = (await contents.counts([row.id])).get(row.id)
    return presentFolder(row, userId, counts, contents.standing(row.id))
  }

  const announce = (userIds: readonly string[] | null, vectorId: string) =>
    push(userIds, { type: "folder", vectorId })

  async function makeDirectory(id: string): Promise<string> {
    return makeDirectoryInside(dataDir, [basename(managedFoldersPath(dataDir)), id])
  }

  async function make(userId: string, draft: FolderDraft, chatId: string | null): Promise<Folder> {
    const id = newId()
    const now = timestamp(times.latest())
    const watched = draft.folder ? await checkWatchedDirectory(draft.folder, dataDir) : null
    const path = watched ?? (await makeDirectory(id))
    const { dev, ino } = await stat(path, { bigint: true })
    const row: FolderRow = {
      id,
      ownerId: userId,
      name: draft.name,
      description: draft.description ?? "",
      path,
      managed: watched === null ? 1 : 0,
      device: String(dev),
      inode: String(ino),
      topK: draft.topK ?? defaults.topK,
      filter: draft.filter ?? defaults.filter,
      strategy: draft.strategy ?? defaults.strategy,
      pipeline: draft.pipeline ?? defaults.pipeline,
      visibility: draft.visibility ?? defaults.visibility,
      iconName: draft.iconName ?? null,
      accentColor: draft.accentColor ?? null,
      paused: 0,
      removed: 0,
      chatId,
      createdAt: now,
      updatedAt: now,
    }
    await store.insert(row).catch(async (error: unknown) => {
      if (watched === null) await rmdir(path)
      throw error
    })
    await contents.follow(id)
    announce(await access.audience(id), id)
    return present(row, userId)
  }

  const removal = createFolderRemoval({
    store,
    contents,
    reserve,
    logger,
    announce,
    audience: access.audience,
    noteDeletion: deletions.note,
    endDeletion: (ownerId, id) => deletions.endNow(ownerId, "folder", id),
  })
  const ofChats = createChatFolders({
    store,
    chatTitles,
    newestFiles: contents.newest,
    make: (userId, chatId) => make(userId, { name: "Attachments" }, chatId),
    present,
    removal,
  })

  return {
    async list(userId) {
      const rows = await store.visible(userId, await colleagues(userId))
      const counts = await contents.counts(rows.map((row) => row.id))
      return rows.map((row) => presentEntry(row, userId, counts.get(row.id)))
    },

    async create(caller, draft) {
      const { userId } = caller
      // The box reads with the rights of whoever runs it: another user's key mustn't open that person's files.
      if (draft.folder) requireOwner(caller)
      if ((await store.countOwned(userId)) >= mostFolders)
        throw new AppError("conflict", sentence("folders.too_many", { count: mostFolders }))
      return make(userId, draft, null)
    },

    async read(userId, id) {
      const { allowed } = await access.accessible(userId, [id])
      const row = allowed.length > 0 ? await store.find(id) : undefined
      if (!row) throw missing()
      return present(row, userId)
    },

    async passage(userId, id, passageId) {
      const { allowed } = await access.accessible(userId, [id])
      const [passage] = allowed.length > 0 ? await passagesById([passageId]) : []
      if (passage?.vectorId === id) return passage
      throw new AppError("not_found", sentence("folders.no_passage"))
    },

    async update(userId, id, patch) {
      const row = await owned(userId, id)
      const change = toChange(patch)
      if (row.chatId !== null && (change.visibility ?? "PRIVATE") !== "PRIVATE") {
        throw invalidField("visibility", sentence("folders.attachments_not_shared"))
      }
      const before = await access.audience(id)
      await store.update(id, { ...change, updatedAt: timestamp() })
      if (change.paused !== undefined && change.paused !== row.paused) {
        if (change.paused === 1) await contents.release(id)
        else await contents.follow(id)
        contents.wakeIngestion()
      }
      const after = await access.audience(id)
      announce(before === null || after === null ? null : [...new Set([...before, ...after])], id)
      return present(await owned(userId, id), userId)
    },

    async forgetMissing(userId, id) {
      const row = await owned(userId, id)
      await contents.forgetMissing(id)
      announce(await access.audience(id), id)
      return present(row, userId)
    },

    async remove(userId, id) {
      return removal.remove(await owned(userId, id))
    },

    async search(userId, query) {
      const { missing, forbidden } = await access.accessible(userId, query.vectorIds)
      const details = [...missing, ...forbidden]
      if (details.length > 0) throw new AppError("not_found", sentence("folders.none_such"), { details })
      return search(query)
    },

    async attachable(userId, chatId) {
      const row = await store.ofChat(userId, chatId)
      return row ? contents.attachable(row.id) : []
    },

    ofChat: ofChats.ofChat,
    findOfChat: ofChats.findOfChat,
    removeWithChat: ofChats.removeWithChat,
    restoreWithChat: removal.restoreWith,
    clear: removal.clear,
    deletable: removal.deletable,
    clean: ofChats.removeAbandoned,
  }
}

/** `null` clears an optional field, which means its default. */
function toChange(patch: FolderPatch): Partial<FolderRow> {
  const { name, description, topK, filter, strategy, visibility, iconName, accentColor, paused } = patch
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description: description ?? "" }),
    ...(topK === undefined ? {} : { topK: topK ?? defaults.topK }),
    ...(filter === undefined ? {} : { filter: filter ?? defaults.filter }),
    ...(strategy === undefined ? {} : { strategy: strategy ?? defaults.strategy }),
    ...(visibility === undefined ? {} : { visibility: visibility ?? defaults.visibility }),
    ...(iconName === undefined ? {} : { iconName }),
    ...(accentColor === undefined ? {} : { accentColor }),
    ...(paused === undefined ? {} : { paused: paused ? 1 : 0 }),
  }
}
