import { rmdir, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import type { Undo } from "../../../shared/contract/deletions.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import type { FolderDraft, FolderPatch, Folder, ImageCosts } from "../../../shared/contract/folders.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AgeTimes } from "../../core/age-clock.ts"
import { managedFoldersPath } from "../../core/data-layout.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { Deletable, NoteDeletion } from "../../core/deletable.ts"
import type { DiskReserve } from "../../core/disk/disk-space.ts"
import { makeDirectoryInside } from "../../core/files/path-jail.ts"
import type { HeldItems } from "../../core/held-items.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Push } from "../../core/event-bus.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import {
  requireConfirmed,
  requireFullRights,
  requireOwner,
  type Caller,
  type Rights,
} from "../../http/caller.ts"
import { createChatFolders, type ChatFolders } from "./chat-folders.ts"
import { createFolderRemoval, type FolderRemoval } from "./folder-removal.ts"
import {
  createFolderReading,
  folderNotFound,
  present,
  type FolderReading,
  type ReadingDeps,
} from "./reading.ts"
import { type FolderRow, type FolderStore, createFolderStore, isHeld, leftOffPlace } from "./store.ts"
import { checkExactDirectory, checkWatchedDirectory } from "./watched-directory.ts"

const defaults = {
  topK: 8,
  filter: 0,
  strategy: "hybrid",
  visibility: "PRIVATE",
  remote: "allowed",
  hiddenParts: "skip",
  images: "none",
  pipeline: "full",
} as const

interface NewFolder {
  draft: FolderDraft
  ownerId: string
  /** The chat whose attachments the folder contains. */
  chatId: string | null
  createdAt: string
}

/**
 * Stores a new folder, in a managed directory unless the draft names one. Throws the same errors for the directory as `create` of folders.
 */
async function storeNewFolder(
  { draft, ownerId, chatId, createdAt }: NewFolder,
  store: Pick<FolderStore, "insert">,
  { dataDir, hasOwnDirectories }: { dataDir: string; hasOwnDirectories: boolean },
): Promise<FolderRow> {
  const id = newId()
  const watched = draft.folder ? await checkWatchedDirectory(draft.folder, dataDir) : null
  const names = [basename(managedFoldersPath(dataDir)), id]
  const isDirectory = watched !== null || hasOwnDirectories
  const made = isDirectory && watched === null ? await makeDirectoryInside(dataDir, names) : null
  const path = watched ?? made ?? join(dataDir, ...names)
  const { dev, ino } = isDirectory ? await stat(path, { bigint: true }) : { dev: null, ino: null }
  const row: FolderRow = {
    id,
    ownerId,
    name: draft.name,
    description: draft.description ?? "",
    path,
    heldPath: null,
    managed: watched === null ? 1 : 0,
    device: dev === null ? null : String(dev),
    inode: ino === null ? null : String(ino),
    topK: draft.topK ?? defaults.topK,
    filter: draft.filter ?? defaults.filter,
    strategy: draft.strategy ?? defaults.strategy,
    pipeline: draft.pipeline ?? defaults.pipeline,
    visibility: draft.visibility ?? defaults.visibility,
    remote: draft.remote ?? defaults.remote,
    images: draft.images ?? defaults.images,
    includeGenerated: draft.includeGenerated === true ? 1 : 0,
    hiddenParts: draft.hiddenParts ?? defaults.hiddenParts,
    iconName: draft.iconName ?? null,
    accentColor: draft.accentColor ?? null,
    paused: 0,
    removed: 0,
    chatId,
    createdAt,
    updatedAt: createdAt,
  }
  await store.insert(row).catch(async (error: unknown) => {
    if (made !== null) await rmdir(made)
    throw error
  })
  return row
}

/** `null` resets an optional field to its default. */
function toChange(patch: FolderPatch): Partial<FolderRow> {
  const { name, description, topK, filter, strategy, visibility, remote } = patch
  const { includeGenerated, hiddenParts, images, iconName, accentColor, paused } = patch
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description: description ?? "" }),
    ...(topK === undefined ? {} : { topK: topK ?? defaults.topK }),
    ...(filter === undefined ? {} : { filter: filter ?? defaults.filter }),
    ...(strategy === undefined ? {} : { strategy: strategy ?? defaults.strategy }),
    ...(visibility === undefined ? {} : { visibility: visibility ?? defaults.visibility }),
    ...(remote === undefined ? {} : { remote: remote ?? defaults.remote }),
    ...(images === undefined ? {} : { images: images ?? defaults.images }),
    ...(includeGenerated === undefined ? {} : { includeGenerated: includeGenerated === true ? 1 : 0 }),
    ...(hiddenParts === undefined ? {} : { hiddenParts: hiddenParts ?? defaults.hiddenParts }),
    ...(iconName === undefined ? {} : { iconName }),
    ...(accentColor === undefined ? {} : { accentColor }),
    ...(paused === undefined ? {} : { paused: paused ? 1 : 0 }),
  }
}

export interface FoldersDeps extends ReadingDeps {
  db: DbOf<"folders">
  dataDir: string
  /** Whether managed folders have directories; otherwise their files are stored in an object store. */
  hasOwnDirectories: boolean
  ingestion: {
    /** Continues to index files of folders that aren't paused. */
    wake(): void
    /** Embeds passages that the embedding model wasn't allowed to read until now. */
    retryEmbedding(): void
    /** Reads files of folders that aren't paused again if older readers, or other settings of their folder, read them. */
    requestReread(): void
  }
  push: Push
  reserve: Pick<DiskReserve, "withReserve">
  logger: Logger
  /** Dates new folders. A clock that is temporarily behind mustn't make the attachments of a new chat look abandoned. */
  times: Pick<AgeTimes, "latest">
  /** Titles of the user's chats that exist, by ID. */
  chatTitles(ownerId: string, chatIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Whether the chat has read a folder that stays on this computer, or its project has one. A new chat starts in `newProjectId`. */
  chatStaysHere(ownerId: string, chatId: string, newProjectId: string | undefined): Promise<boolean>
  /**
   * Called before a folder is permanently deleted. Chats that have read a folder that stays on this computer must stay here after its
   * deletion, too.
   */
  beforeDeletion(folderId: string): Promise<void>
  /** Estimates what describing the images of a folder takes. */
  estimateImageCosts(folderId: string): Promise<ImageCosts>
  deletions: {
    note: NoteDeletion
    endNow(ownerId: string, kind: "folder", folderId: string): Promise<void>
  }
}

export interface Folders
  extends FolderReading, Pick<ChatFolders, "getFolderOfChat" | "findChatFolder" | "removeWithChats"> {
  /** Restores a chat's folder in the same write as the chat, through the function. */
  restoreWithChat: FolderRemoval["restoreWith"]
  /** Removes a hidden folder with all its contents. */
  clear: FolderRemoval["clear"]
  /**
   * Throws `validation` if `folder` isn't a directory that can be followed, `forbidden` for users who don't own a workspace and for a key
   * without full rights that wants images to be described, and `conflict` if there are too many folders.
   */
  create(caller: Pick<Caller, "userId" | "isOwner"> & Rights, draft: FolderDraft): Promise<Folder>
  /**
   * Owner only: throws `not_found` for everyone else. Throws `validation` for a new directory that can't be followed, and `forbidden` for a
   * key without full rights that would let remote models read a folder that stays on this computer.
   */
  update(caller: Pick<Caller, "userId"> & Rights, id: string, patch: FolderPatch): Promise<Folder>
  /** Owner only. Estimates what describing the images of the folder takes. */
  estimateImageCosts(userId: string, id: string): Promise<ImageCosts>
  /** Owner only. Treats the files reported as missing from the directory as deleted. */
  forgetMissing(userId: string, id: string): Promise<Folder>
  /** Owner only. Stored files eventually go to the trash; a followed directory isn't changed. */
  remove(userId: string, id: string): Promise<Undo>
  readonly held: HeldItems
  /** Restores a deleted folder or deletes it permanently. */
  readonly deletable: Deletable
  /**
   * Removes folders of chats that didn't start within 30 days. Called once a day, and after folders are followed when the server starts.
   */
  clean(now: number): Promise<void>
}

/** Limit per person, because every start checks all folders. Chats' folders aren't included. */
const maxFolders = 1_000

export function createFolders(deps: FoldersDeps): Folders {
  const { push, access, contents, ingestion, deletions } = deps
  const store = createFolderStore(deps.db, deps.dataDir)
  const announce = (userIds: readonly string[] | null, vectorId: string) =>
    push(userIds, { type: "folder", vectorId })
  const edits = new FolderEdits({ ...deps, store, announce })
  const removal = createFolderRemoval({
    store,
    contents,
    ingestion,
    reserve: deps.reserve,
    logger: deps.logger,
    announce,
    audience: (folderId) => access.audience(folderId),
    noteDeletion: deletions.note,
    beforeDeletion: deps.beforeDeletion,
    endDeletion: (ownerId, id) => deletions.endNow(ownerId, "folder", id),
  })
  const chatFolders = createChatFolders({
    store,
    chatTitles: deps.chatTitles,
    newestFiles: contents.newest,
    chatStaysHere: deps.chatStaysHere,
    make: (userId, chatId, settings) => edits.make(userId, { name: "Attachments", ...settings }, chatId),
    present: (row, userId) => present(row, userId, contents),
    removal,
  })
  return {
    ...createFolderReading({ ...deps, store }),
    create: (caller, draft) => edits.create(caller, draft),
    update: (caller, id, patch) => edits.update(caller, id, patch),
    estimateImageCosts: async (userId, id) => deps.estimateImageCosts((await edits.findOwned(userId, id)).id),
    forgetMissing: (userId, id) => edits.forgetMissing(userId, id),
    remove: async (userId, id) => removal.remove(await edits.findOwned(userId, id)),
    held: {
      list: async () => (await import("./adopt-folders.ts")).listHeldFolders(deps.db),
      turnOn: (id) => edits.followHeld(id),
      leaveOff: (id) => edits.pauseHeld(id),
    },
    getFolderOfChat: chatFolders.getFolderOfChat,
    findChatFolder: chatFolders.findChatFolder,
    removeWithChats: chatFolders.removeWithChats,
    restoreWithChat: removal.restoreWith,
    clear: removal.clear,
    deletable: removal.deletable,
    clean: chatFolders.removeAbandoned,
  }
}

interface FolderEditsDeps extends Pick<
  FoldersDeps,
  "dataDir" | "hasOwnDirectories" | "access" | "contents" | "ingestion" | "times"
> {
  store: FolderStore
  /** Notifies these users that the folder has changed; null means everyone. */
  announce(userIds: readonly string[] | null, folderId: string): void
}

/** A checked change to a folder. */
interface FolderChange {
  changed: Partial<FolderRow>
  /** The directory from now on. */
  path: string
  isRemoteNewlyAllowed: boolean
}

/** Creates and changes folders. */
class FolderEdits {
  readonly #deps: FolderEditsDeps
  // Changes to one folder run one at a time: each stops following the old directory before it follows the new one.
  readonly #lock = createKeyedLock()

  constructor(deps: FolderEditsDeps) {
    this.#deps = deps
  }

  async create(caller: Pick<Caller, "userId" | "isOwner"> & Rights, draft: FolderDraft): Promise<Folder> {
    const { userId } = caller
    if (draft.images === "description") requireMayDescribe(caller)
    // The server reads with the permissions of the person who runs it. Another user's key must not open that person's files.
    if (draft.folder) requireOwner(caller)
    if ((await this.#deps.store.countOwned(userId)) >= maxFolders)
      throw new AppError("conflict", sentence("folders.too_many", { count: maxFolders }))
    return this.make(userId, draft, null)
  }

  /** Creates a folder without checking the caller. */
  async make(ownerId: string, draft: FolderDraft, chatId: string | null): Promise<Folder> {
    const { store, contents, times } = this.#deps
    const createdAt = timestamp(times.latest())
    const row = await storeNewFolder({ draft, ownerId, chatId, createdAt }, store, this.#deps)
    await contents.follow(row.id)
    await this.#announce(row.id)
    return present(row, ownerId, contents)
  }

  async findOwned(userId: string, id: string): Promise<FolderRow> {
    const row = await this.#deps.store.find(id)
    if (row?.ownerId !== userId) throw folderNotFound()
    return row
  }

  update(caller: Pick<Caller, "userId"> & Rights, id: string, patch: FolderPatch): Promise<Folder> {
    return this.#lock.run(id, () => this.#update(caller, id, patch))
  }

  forgetMissing(userId: string, id: string): Promise<Folder> {
    const { contents } = this.#deps
    return this.#lock.run(id, async () => {
      const row = await this.findOwned(userId, id)
      await contents.forgetMissing(id)
      await this.#announce(id)
      return present(row, userId, contents)
    })
  }

  /** Follows the held directory of a restored backup from now on. */
  followHeld(id: string): Promise<void> {
    return this.#lock.run(id, async () => {
      // Exactly the path that the owner was shown, because a backup could name another directory in a form that is decoded.
      const path = await checkExactDirectory(await this.#findHeldPath(id), this.#deps.dataDir)
      await this.#release(id, { path, heldPath: null })
    })
  }

  /**
   * Pauses a folder whose directory was held, until its owner chooses a directory. `heldPath` is kept, because the folder's files may be in
   * other folders, too, and must stay on this computer there if they stay here.
   */
  pauseHeld(id: string): Promise<void> {
    return this.#lock.run(id, async () => {
      await this.#findHeldPath(id)
      await this.#release(id, { path: leftOffPlace, paused: 1 })
    })
  }

  /** Throws `not_found` if someone else has decided about the folder in the meantime. */
  async #findHeldPath(id: string): Promise<string> {
    const row = await this.#deps.store.find(id)
    if (!row || row.heldPath === null || !isHeld(row)) throw folderNotFound()
    return row.heldPath
  }

  async #release(id: string, change: Partial<FolderRow>): Promise<void> {
    const { store, contents, ingestion } = this.#deps
    await store.update(id, { ...change, updatedAt: timestamp() })
    await contents.follow(id)
    ingestion.wake()
    await this.#announce(id)
  }

  async #update(caller: Pick<Caller, "userId"> & Rights, id: string, patch: FolderPatch): Promise<Folder> {
    const { userId } = caller
    const { access, contents, ingestion } = this.#deps
    const row = await this.findOwned(userId, id)
    const change = await this.#check(row, caller, patch)
    const before = await access.audience(id)
    await this.#store(row, change)
    const { paused = row.paused, hiddenParts = row.hiddenParts, images = row.images } = change.changed
    if (paused !== row.paused) await (paused === 1 ? contents.release(id) : contents.follow(id))
    const maySeeMore = change.isRemoteNewlyAllowed && images === "description"
    const isReadDifferently = hiddenParts !== row.hiddenParts || images !== row.images || maySeeMore
    if (paused !== row.paused || isReadDifferently) ingestion.requestReread()
    if (change.isRemoteNewlyAllowed) ingestion.retryEmbedding()
    const after = await access.audience(id)
    const audience = before === null || after === null ? null : [...new Set([...before, ...after])]
    this.#deps.announce(audience, id)
    return present(await this.findOwned(userId, id), userId, contents)
  }

  async #check(row: FolderRow, caller: Rights, patch: FolderPatch): Promise<FolderChange> {
    if (isHeld(row) && (patch.folder !== undefined || patch.paused === false))
      throw new AppError("conflict", sentence("storage.held"))
    if (row.heldPath !== null && patch.folder === undefined && patch.paused === false)
      throw new AppError("conflict", sentence("folders.left_off"))
    const changed = toChange(patch)
    const isRemoteNewlyAllowed = row.remote === "never" && changed.remote === "allowed"
    if (isRemoteNewlyAllowed) requireFullRights(caller, sentence("folders.remote_needs_rights"))
    if (changed.images === "description" && row.images !== "description") requireMayDescribe(caller)
    if ((changed.visibility ?? row.visibility) !== row.visibility && changed.visibility !== "PRIVATE")
      requireConfirmed(caller)
    const path = patch.folder === undefined ? row.path : await this.#resolveNewDirectory(row, patch.folder)
    if (row.chatId !== null && (changed.visibility ?? "PRIVATE") !== "PRIVATE") {
      throw invalidField("visibility", sentence("folders.attachments_not_shared"))
    }
    return { changed, path, isRemoteNewlyAllowed }
  }

  async #resolveNewDirectory(row: FolderRow, path: string): Promise<string> {
    if (row.managed === 1) throw invalidField("folder", sentence("folders.not_followed"))
    return checkWatchedDirectory(path, this.#deps.dataDir)
  }

  async #store(row: FolderRow, { changed, path }: FolderChange): Promise<void> {
    const { store, contents } = this.#deps
    const isMoving = path !== row.path
    if (isMoving) await contents.release(row.id)
    try {
      await store.update(row.id, {
        ...changed,
        updatedAt: timestamp(),
        ...(isMoving && { path, heldPath: null }),
      })
    } finally {
      // Follows the new directory as if it had replaced the known one: its files are compared with the known files. If the new path
      // couldn't be stored, the old directory is followed again.
      if (isMoving && row.paused === 0) await contents.follow(row.id)
    }
  }

  async #announce(id: string): Promise<void> {
    this.#deps.announce(await this.#deps.access.audience(id), id)
  }
}

/** A key for folders must not cause requests to models, which may be on servers and cost money. */
const requireMayDescribe = (caller: Rights): void =>
  requireFullRights(caller, sentence("folders.descriptions_need_rights"))
