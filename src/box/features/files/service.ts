import type { Undo } from "../../../shared/contract/deletions.ts"
import type { FileEntry, FilePatch, ReadAs } from "../../../shared/contract/files.ts"
import { uploadsPath } from "../../core/data-layout.ts"
import type { AnyTransaction, DbOf } from "../../core/database/database.ts"
import type { Deletable, NoteDeletion } from "../../core/deletable.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { ObjectFiles } from "../../core/objects/object-files.ts"
import type { UnusedObjects } from "../../core/objects/unused-objects.ts"
import type { Trash } from "../../core/files/trash.ts"
import type { PassageIndex } from "../../engines/vectors/passage-index.ts"
import type { ReadingOptions } from "../../parsers/readers.ts"
import { createContents, type Contents } from "./contents.ts"
import { createDeletedFiles, createTakenFiles } from "./leaving/taken-files.ts"
import { createStoredFiles } from "./disk/stored-files.ts"
import { createUnfinishedChanges } from "./disk/unfinished-changes.ts"
import { createFileAccess, type FileAccess, type FileAccessDeps } from "./file-access.ts"
import { createFileChanges, type FileNews } from "./file-changes.ts"
import { presentFile } from "./file-entry.ts"
import type { StoredFolders } from "./folder-places.ts"
import { createKnownDirectories, createMountStore } from "./following/known-directories.ts"
import { createFindBytes } from "./disk/find-stored.ts"
import type { RereadCounts } from "./ingestion/reread-files.ts"
import { createMovedFiles, type MovedFiles } from "./leaving/moved-files.ts"
import { endTrashedObjects, createTrashedFiles, type TrashedFiles } from "./leaving/trashed-files.ts"
import {
  type FilePasswords,
  createFileReading,
  type FileReading,
  type FileReadingDeps,
} from "./read-files.ts"
import {
  createFileReceiving,
  type FileQuota,
  type FileReceiving,
  type FileReceivingDeps,
  createFreshFiles,
} from "./receive-files.ts"
import { createFileStore, type FileStore } from "./store.ts"
import type { PictureDescriber } from "./descriptions/describe-pictures.ts"
import type { FetchPage } from "./web-pages/fetch-page.ts"
import { createWebPages, type WebPages } from "./web-pages/web-pages.ts"

export interface FilesDeps {
  db: DbOf<"files">
  folders: StoredFolders
  dataDir: string
  dataDirectoryId: string
  /** Whether the database differs from the one that the last run left. Changes that it lists as started may have finished long ago. */
  isOtherDatabase: boolean
  logger: Logger
  trash: Trash
  /** Object store for files in the server's own folders, used instead of directories. */
  objects: ObjectFiles | null
  unusedObjects: Pick<UnusedObjects, "wake" | "endAll"> | null
  news: FileNews
  locate: FileAccessDeps["locate"]
  ingestion: {
    wake(): void
    cancel(fileIds: readonly string[]): void
    release(folderId: string): Promise<void>
  }
  index: Pick<PassageIndex, "put" | "removeFile" | "removeFolder">
  /** Describes pictures; null: nothing can. */
  describer: Pick<PictureDescriber, "getObstacle"> | null
  noteDeletion: NoteDeletion
  /** Trash IDs of files that are being moved to another location, including moves that were interrupted when the server was killed. */
  moving(): Promise<string[]>
  blocks: FileReadingDeps["blocks"]
  fetchPage: FetchPage
  passwords: FilePasswords
  quota: FileQuota
  requireToStay: FileReceivingDeps["requireToStay"]
}

/** The files in folders. Only the folder's owner can change them. */
export interface Files
  extends
    Contents,
    FileReading,
    FileReceiving,
    Pick<WebPages, "addUrl">,
    TrashedFiles,
    MovedFiles,
    Pick<FileStore, "counts" | "countByCompleteness" | "countByStatus" | "newest" | "attachable"> {
  /** The number of a folder's indexed files that are to be read again, and of those that were read without their pictures. */
  countOutdated(folder: ReadingOptions & { id: string }): Promise<RereadCounts>
  /** The folder of a file, regardless of its owner; null if the file doesn't exist. */
  getFolder(fileId: string): Promise<string | null>
  /** The files that exist, each with its folder. A deleted file is in a hidden folder. */
  getFolders(fileIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  remove(userId: string, folderId: string, fileId: string): Promise<Undo>
  /** Deletes everything in the trash, regardless of who deleted it, and forgets the original locations. */
  emptyWholeTrash(): Promise<void>
  /** Restores a deleted file or deletes it permanently. */
  readonly deletable: Deletable
  /**
   * Excludes a file from the index or includes it again, changes how a text is read or how often a web page is refreshed, or opens an
   * encrypted file with its password.
   */
  update(userId: string, folderId: string, fileId: string, patch: FilePatch): Promise<FileEntry>
  /** Replaces the tags of a file, in the same transaction as `also`. */
  tag(
    userId: string,
    folderId: string,
    fileId: string,
    tags: readonly string[],
    also: (transaction: AnyTransaction) => Promise<void>,
  ): Promise<FileEntry>
  /** Queues a file again. A web page is fetched again, and queued if its content has changed or couldn't be read. */
  retry(userId: string, folderId: string, fileId: string): Promise<FileEntry>
  /** Returns how many files had failed. They are queued after files that someone has just added. */
  retryFailed(userId: string, folderId: string): Promise<number>
}

export function createFiles(deps: FilesDeps): Files {
  const { store, contents, deleted, moved, trashed, receiving, webPages, reading, edits } = createParts(deps)
  return {
    async start() {
      await contents.start()
      await webPages.start()
    },
    async [Symbol.asyncDispose]() {
      await webPages[Symbol.asyncDispose]()
      await contents[Symbol.asyncDispose]()
    },
    follow: (folderId) => contents.follow(folderId),
    release: (folderId) => contents.release(folderId),
    clear: (folderId) => contents.clear(folderId),
    getAvailability: (folderId) => contents.getAvailability(folderId),
    forgetMissing: (folderId) => contents.forgetMissing(folderId),
    rescan: (folderId) => contents.rescan(folderId),
    list: (userId, folderId, query) => reading.list(userId, folderId, query),
    read: (userId, folderId, fileId, generated) => reading.read(userId, folderId, fileId, generated),
    open: (userId, folderId, fileId) => reading.open(userId, folderId, fileId),
    readable: (userId, folderId, max, which) => reading.readable(userId, folderId, max, which),
    bytes: (userId, folderId, fileId) => reading.bytes(userId, folderId, fileId),
    document: (userId, folderId, fileId) => reading.document(userId, folderId, fileId),
    spreadsheets: (userId, folderId) => reading.spreadsheets(userId, folderId),
    text: (userId, folderId, fileId, generated) => reading.text(userId, folderId, fileId, generated),
    upload: (...upload) => receiving.upload(...upload),
    replace: (...upload) => receiving.replace(...upload),
    addUrl: (...page) => webPages.addUrl(...page),
    trashed: (userId) => trashed.trashed(userId),
    emptyTrash: (userId) => trashed.emptyTrash(userId),
    removeTrashed: (userId, trashId) => trashed.removeTrashed(userId, trashId),
    forgetLost: () => trashed.forgetLost(),
    putBack: (userId, trashId) => trashed.putBack(userId, trashId),
    emptyWholeTrash: () => emptyWholeTrash(deps, trashed),
    move: (...change) => moved.move(...change),
    completeMove: (...change) => moved.completeMove(...change),
    counts: (folderIds) => store.counts(folderIds),
    countByCompleteness: (folderId) => store.countByCompleteness(folderId),
    async countOutdated(folder) {
      const { countOutdated } = await import("./ingestion/reread-files.ts") // loaded with the first folder that is opened
      return countOutdated(deps, folder)
    },
    countByStatus: () => store.countByStatus(),
    newest: (folderIds) => store.newest(folderIds),
    attachable: (folderId) => store.attachable(folderId),
    getFolder: async (fileId) => (await store.findByIds([fileId]))[0]?.folderId ?? null,
    getFolders: async (fileIds) =>
      new Map((await store.findByIds(fileIds)).map(({ id, folderId }) => [id, folderId])),
    remove: (userId, folderId, fileId) => deleted.remove(userId, folderId, fileId),
    deletable: deleted.deletable,
    update: (...change) => edits.update(...change),
    tag: (...change) => edits.tag(...change),
    retry: (...file) => edits.retry(...file),
    retryFailed: (...folder) => edits.retryFailed(...folder),
  }
}

/** Creates and connects the parts of the service. */
function createParts(deps: FilesDeps) {
  const base = createBase(deps, (folderId) => contents.rescan(folderId))
  const { store } = base
  const hasOwnDirectories = deps.objects === null
  const contents: Contents = createContents({
    ...deps,
    ...base,
    hasOwnDirectories,
    forgetLost: () => trashed.forgetLost(),
  })
  const access = createFileAccess({
    locate: deps.locate,
    store,
    requireInPlace: base.directories.requireInPlace,
    hasOwnDirectories,
    getAvailability: contents.getAvailability,
  })
  const shared = { ...deps, ...base, access }
  const { deleted, moved, trashed } = createLeaving(shared)
  const staging = { directory: uploadsPath(deps.dataDir), owner: deps.dataDirectoryId }
  const receiving = createFileReceiving({ ...shared, staging })
  const webPages = createWebPages({ ...shared, receiving })
  const getPassword = deps.passwords.of
  const reading = createFileReading({ ...shared, getPassword, find: createFindBytes(deps.objects) })
  const edits = new FileEdits({ ...shared, webPages })
  return { store, contents, deleted, moved, trashed, receiving, webPages, reading, edits }
}

type Base = ReturnType<typeof createBase>
type Shared = FilesDeps & Base & { access: FileAccess }

/** Creates the parts that store files and record their changes. `rescan` is called when another directory is in the place of a folder. */
function createBase(deps: FilesDeps, rescan: (folderId: string) => void) {
  const { db, folders, trash } = deps
  const store = createFileStore(db)
  const mounts = createMountStore(db)
  const directories = createKnownDirectories(folders, mounts, rescan)
  const { requireInPlace } = directories
  const stored = createStoredFiles({ trash, store, requireInPlace })
  const lock = createKeyedLock()
  const changes = createFileChanges(deps)
  const unfinished = createUnfinishedChanges({ ...deps, lock, stored, store, removed: changes.removed })
  const storeFresh = createFreshFiles(stored, store)
  return { store, mounts, directories, stored, lock, changes, unfinished, storeFresh }
}

/** Creates the parts that delete files, move them elsewhere, or restore them from the trash. */
function createLeaving(shared: Shared) {
  const objectsEnded = () => shared.unusedObjects?.wake()
  const taken = createTakenFiles(shared)
  const deleted = createDeletedFiles({ ...shared, taken, objectsEnded })
  const moved = createMovedFiles({ ...shared, taken, endDeleted: deleted.deletable.end })
  const trashed = createTrashedFiles({ ...shared, objectsEnded })
  return { deleted, moved, trashed }
}

async function emptyWholeTrash(deps: FilesDeps, trashed: TrashedFiles): Promise<void> {
  await deps.trash.empty(async (ids) => {
    const movingIds = new Set(await deps.moving())
    return ids.filter((id) => !movingIds.has(id))
  })
  await trashed.forgetLost()
  await endTrashedObjects(deps.db)
  await deps.unusedObjects?.endAll()
}

interface FileEditsDeps extends Pick<Shared, "access" | "store" | "lock" | "changes" | "news" | "passwords"> {
  webPages: Pick<WebPages, "setRefresh" | "refetch">
}

/** Changes what is stored about files, and queues them for reading. */
class FileEdits implements Pick<Files, "update" | "tag" | "retry" | "retryFailed"> {
  readonly #deps: FileEditsDeps

  constructor(deps: FileEditsDeps) {
    this.#deps = deps
  }

  async update(
    userId: string,
    folderId: string,
    fileId: string,
    { leftOut, readAs, refreshHours, password }: FilePatch,
  ): Promise<FileEntry> {
    const { access, webPages } = this.#deps
    const { row } = await access.find(userId, folderId, fileId, "write")
    if (refreshHours !== undefined) await webPages.setRefresh(row, refreshHours)
    if (leftOut === true) await this.#excludeFromSearch(folderId, fileId)
    if (readAs !== undefined) await this.#readAs(fileId, readAs)
    if (password !== undefined) this.#deps.passwords.remember(fileId, password)
    const isExcluded = row.leftOut === 1
    if (!(leftOut ?? isExcluded) && (password !== undefined || isExcluded))
      await this.#includeInSearch(fileId)
    return presentFile(await access.existing(folderId, fileId))
  }

  async tag(
    userId: string,
    folderId: string,
    fileId: string,
    tags: readonly string[],
    also: (transaction: AnyTransaction) => Promise<void>,
  ): Promise<FileEntry> {
    const { access, store } = this.#deps
    await access.find(userId, folderId, fileId, "write")
    await store.tag(fileId, tags, also)
    this.#deps.news.changed([fileId])
    return presentFile(await access.existing(folderId, fileId))
  }

  async retry(userId: string, folderId: string, fileId: string): Promise<FileEntry> {
    const { access, webPages } = this.#deps
    const { row } = await access.find(userId, folderId, fileId, "write")
    if (row.webPage !== null) await webPages.refetch(fileId)
    const isUnread = row.status !== "completed" && row.leftOut === 0
    if (row.webPage === null || isUnread) await this.#includeInSearch(fileId)
    return presentFile(await access.existing(folderId, fileId))
  }

  async retryFailed(userId: string, folderId: string): Promise<number> {
    const { access, store, changes } = this.#deps
    await access.place(userId, folderId, "write")
    const ids = await store.requeueFailed(folderId)
    changes.changed(ids)
    return ids.length
  }

  async #excludeFromSearch(folderId: string, fileId: string): Promise<void> {
    const { store, lock, changes } = this.#deps
    if ((await lock.run(folderId, () => store.excludeFromSearch([fileId]))).length === 0) return
    changes.removePassages([fileId])
    changes.changed([fileId])
  }

  async #readAs(fileId: string, readAs: ReadAs | null): Promise<void> {
    const { store, changes } = this.#deps
    const isChosen = (readAs?.encoding ?? readAs?.delimiter ?? null) !== null
    await store.readAs(fileId, isChosen ? readAs : null)
    changes.removePassages([fileId])
    changes.changed([fileId])
  }

  async #includeInSearch(fileId: string): Promise<void> {
    await this.#deps.store.requeue(fileId)
    this.#deps.changes.changed([fileId])
  }
}
