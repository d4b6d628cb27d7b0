import { join } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Undo } from "../../../shared/contract/deletions.ts"
import type { FileEntry, UploadReceipt } from "../../../shared/contract/files.ts"
import { uploadsPath } from "../../core/data-layout.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { Deletable, NoteDeletion } from "../../core/deletable.ts"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { openInside } from "../../core/files/path-jail.ts"
import type { Trash } from "../../core/files/trash.ts"
import type { PassageIndex } from "../../engines/vectors/passage-index.ts"
import type { Receive } from "../../../serve/receive.ts"
import type { SentFile } from "../../http/answers/send-file.ts"
import { identityOf } from "../../parsers/document/opened-document.ts"
import type { Block } from "../../parsers/parser.ts"
import {
  contentFields,
  namesOf,
  newFileRow,
  placeFields,
  presentFile,
  uploadPriority,
  type FileRow,
} from "./file-entry.ts"
import { createContents, type Contents } from "./contents.ts"
import type { FolderPlaces } from "./folder-places.ts"
import { createFileChanges } from "./file-changes.ts"
import type { StoredDocument } from "./file-pages.ts"
import type { FileNews } from "./file-news.ts"
import { createKnownDirectories, notThere } from "./following/known-directories.ts"
import { createMountStore } from "./following/mounts.ts"
import { createDeletedFiles } from "./deleted-files.ts"
import type { FileQuery } from "./rows/find-files.ts"
import { createFileStore, type FileStore } from "./store.ts"
import { createStoredFiles } from "./disk/stored-files.ts"
import { createUnfinishedChanges } from "./disk/unfinished-changes.ts"
import { openTo, receiptOf, stageUpload, type UploadFields, type UploadPlace } from "./disk/uploads.ts"

export interface FilesDeps {
  db: DbOf<"files">
  folders: FolderPlaces
  dataDir: string
  dataDirectoryId: string
  /** It isn't as the last run left it, and what it says had begun may long have ended. */
  isOtherDatabase: boolean
  logger: Logger
  trash: Trash
  news: FileNews
  /** The folder for someone who may see it or who owns it; throws `not_found` or `forbidden`. */
  place(userId: string, folderId: string, right: "read" | "write"): Promise<UploadPlace>
  ingestion: {
    wake(): void
    cancel(fileIds: readonly string[]): void
    release(folderId: string): Promise<void>
  }
  index: Pick<PassageIndex, "put" | "removeFile" | "removeFolder">
  noteDeletion: NoteDeletion
  /** The extracted text of a file, in reading order. */
  blocks(fileId: string): AsyncIterable<Block[]>
}

/** A file whose bytes can be had. Reading throws as `open`, and for a file that has grown since. */
export interface ReadableEntry {
  /** Path inside the folder. */
  path: string
  size: number
  read(): Promise<Uint8Array>
}

/** The files in folders (interface.md 4.3, decisions.md 7). Changing them is the folder owner's alone. */
export interface Files extends Contents, Pick<FileStore, "counts" | "newest" | "attachable"> {
  list(userId: string, folderId: string, query: FileQuery): Promise<{ total: number; files: FileEntry[] }>
  read(userId: string, folderId: string, fileId: string): Promise<FileEntry>
  /** Stores one file durably and queues it. */
  upload(userId: string, folderId: string, receive: Receive<UploadFields>): Promise<UploadReceipt>
  /** Gives a file new bytes, and the name of what was sent; the old bytes go to the trash. */
  replace(
    userId: string,
    folderId: string,
    fileId: string,
    receive: Receive<UploadFields>,
  ): Promise<UploadReceipt>
  remove(userId: string, folderId: string, fileId: string): Promise<Undo>
  /** How a deleted one is brought back, or goes for good. */
  readonly deletable: Deletable
  retry(userId: string, folderId: string, fileId: string): Promise<FileEntry>
  /** Answers how many files had failed. They wait behind files that somebody has just added. */
  retryFailed(userId: string, folderId: string): Promise<number>
  /** Throws `unsupported_media_type` while the bytes are only in a cloud drive. */
  open(userId: string, folderId: string, fileId: string): Promise<SentFile>
  /** Every file of a folder that the user may see, up to so many. */
  readable(userId: string, folderId: string, most: number): Promise<ReadableEntry[]>
  /** Where the bytes are, for pages to be drawn. Throws as `open`. */
  document(userId: string, folderId: string, fileId: string): Promise<StoredDocument>
  /** Throws `conflict` while the file isn't completely indexed. */
  text(userId: string, folderId: string, fileId: string): Promise<AsyncIterable<Block[]>>
}

export function createFiles(deps: FilesDeps): Files {
  const { db, folders, logger, trash, news, ingestion, index } = deps
  const store = createFileStore(db)
  const mounts = createMountStore(db)
  const directories = createKnownDirectories({ folders, mounts, onOther: (id) => contents.lookAgain(id) })
  const { requireInPlace } = directories
  const stored = createStoredFiles({ trash, isTaken: store.isTaken, requireInPlace })
  const lock = createKeyedLock()
  const staging = { directory: uploadsPath(deps.dataDir), owner: deps.dataDirectoryId }
  const changes = createFileChanges({ news, ingestion, index, logger })
  const unfinished = createUnfinishedChanges({
    db,
    folders,
    lock,
    isOtherDatabase: deps.isOtherDatabase,
    stored,
    store,
    removed: changes.removed,
    logger,
  })
  const contents: Contents = createContents({
    folders,
    dataDir: deps.dataDir,
    dataDirectoryId: deps.dataDirectoryId,
    store,
    mounts,
    directories,
    lock,
    unfinished,
    logger,
    trash,
    news,
    changes,
    ingestion,
    index,
  })

  const deleted = createDeletedFiles({
    db,
    folders,
    store,
    stored,
    unfinished,
    lock,
    trash,
    index,
    changes,
    changeable,
    existing,
    noteDeletion: deps.noteDeletion,
  })

  async function find(userId: string, folderId: string, fileId: string, right: "read" | "write") {
    const place = await deps.place(userId, folderId, right)
    return { place, row: await existing(folderId, fileId) }
  }

  /** The folder, for its owner to change what is in it: not while something else may be where its files were. */
  async function changeable(userId: string, folderId: string): Promise<UploadPlace> {
    const place = await deps.place(userId, folderId, "write")
    await requireInPlace(place, [])
    const { available, missingCount } = contents.standing(folderId)
    if (place.managed || available) return place
    if (missingCount === 0) throw notThere()
    throw new AppError("unavailable", sentence("files.missing_on_drive"))
  }

  async function existing(folderId: string, fileId: string): Promise<FileRow> {
    const row = await store.find(folderId, fileId)
    if (!row) throw new AppError("not_found", sentence("files.none_such"))
    return row
  }

  async function findStored(userId: string, folderId: string, fileId: string) {
    const found = await find(userId, folderId, fileId, "read")
    if (found.row.storage === "local") return found
    throw new AppError("unsupported_media_type", sentence("files.cloud_only"))
  }

  /** No more bytes than were counted: a file may grow while it is read. */
  async function readWhole(userId: string, folderId: string, { id, size }: FileRow): Promise<Uint8Array> {
    const { place, row } = await findStored(userId, folderId, id)
    await using handle = await openInside(place.path, namesOf(row))
    const bytes = Buffer.alloc((await handle.stat()).size > size ? 0 : size)
    const { bytesRead } = await handle.read(bytes, 0, bytes.byteLength, 0)
    if (bytesRead === size) return bytes
    throw new AppError("conflict", sentence("files.changed_since"))
  }

  return {
    ...contents,
    counts: store.counts,
    newest: store.newest,
    attachable: store.attachable,

    async readable(userId, folderId, most) {
      await deps.place(userId, folderId, "read")
      const { rows } = await store.page(folderId, { limit: most, offset: 0 })
      return rows.map((row) => ({
        path: namesOf(row).join("/"),
        size: row.size,
        read: () => readWhole(userId, folderId, row),
      }))
    },

    async list(userId, folderId, query) {
      await deps.place(userId, folderId, "read")
      const { total, rows } = await store.page(folderId, query)
      return { total, files: rows.map(presentFile) }
    },

    async read(userId, folderId, fileId) {
      return presentFile((await find(userId, folderId, fileId, "read")).row)
    },

    async upload(userId, folderId, receive) {
      const place = await changeable(userId, folderId)
      await using staged = await stageUpload(receive, place, staging)
      const row = await lock.run(folderId, async () => {
        await changeable(userId, folderId) // it may have been deleted while the bytes came
        let itself = ""
        const found = await stored.add(
          place,
          staged.path,
          staged.directories,
          staged.name,
          async (_, file) => {
            itself = file
          },
        )
        const fresh = newFileRow(folderId, found, uploadPriority)
        await store.insert([fresh]).catch(async (error: unknown) => {
          await stored.removeIfStill(place, fresh, itself)
          throw error
        })
        return fresh
      })
      changes.changed([row.id])
      return receiptOf(row, place, staged.received)
    },

    async replace(userId, folderId, fileId, receive) {
      const place = await changeable(userId, folderId)
      await existing(folderId, fileId)
      await using staged = await stageUpload(receive, place, staging)
      const row = await lock.run(folderId, async () => {
        await changeable(userId, folderId)
        const from = await existing(folderId, fileId)
        const renamed = from.name !== staged.name
        const directories = from.subFolder === "" ? [] : from.subFolder.split("/")
        const fromFile = await stored.fingerprint(place, namesOf(from))
        const mode = place.managed ? null : await stored.modeOf(place, namesOf(from))
        if (mode !== null) await openTo(staged.path, mode)
        using kept = await stored.keep(place, namesOf(from))
        let toFile = ""
        const begin = (toName: string, file: string) => {
          toFile = file
          return unfinished.beginReplacement(from, toName, { fromFile, toFile })
        }
        try {
          const found = renamed
            ? await stored.add(place, staged.path, directories, staged.name, begin)
            : await stored.replace(place, staged.path, from, fromFile, (file) => begin(from.name, file))
          const to = { ...placeFields(found), ...contentFields(found) }
          await store
            .change([{ from, to, newContent: true }], uploadPriority)
            .catch(async (error: unknown) => {
              if (!renamed) await stored.removeIfStill(place, from, toFile).then(() => kept?.putBack())
              throw error
            })
          return { ...from, ...to }
        } finally {
          await unfinished.settleReplacement(fileId)
          await stored.discardUnneeded(place, namesOf(from), fromFile, kept)
        }
      })
      changes.passagesGone([fileId])
      changes.changed([fileId])
      return receiptOf(row, place, staged.received)
    },

    remove: deleted.remove,
    deletable: deleted.deletable,

    async retry(userId, folderId, fileId) {
      await find(userId, folderId, fileId, "write")
      await store.requeue(fileId)
      changes.changed([fileId])
      return presentFile(await existing(folderId, fileId))
    },

    async retryFailed(userId, folderId) {
      await deps.place(userId, folderId, "write")
      const ids = await store.requeueFailed(folderId)
      changes.changed(ids)
      return ids.length
    },

    async document(userId, folderId, fileId) {
      const { place, row } = await findStored(userId, folderId, fileId)
      await using handle = await openInside(place.path, namesOf(row))
      const { size, mtimeMs } = await handle.stat()
      const path = join(place.path, ...namesOf(row))
      return {
        path,
        identity: await identityOf(handle),
        name: row.name,
        version: `${row.id}-${size}-${Math.round(mtimeMs)}`,
      }
    },

    async open(userId, folderId, fileId) {
      const { place, row } = await findStored(userId, folderId, fileId)
      return { handle: await openInside(place.path, namesOf(row)), name: row.name, mimeType: row.mimeType }
    },

    async text(userId, folderId, fileId) {
      const { row } = await find(userId, folderId, fileId, "read")
      if (row.status !== "completed") {
        throw new AppError("conflict", sentence("files.no_text_yet", { status: row.status }))
      }
      return deps.blocks(fileId)
    },
  }
}
