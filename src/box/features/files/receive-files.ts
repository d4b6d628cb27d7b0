import type { Receive } from "../../../serve/serve.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { GeneratedBy, type UploadReceipt } from "../../../shared/contract/files.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AnyTransaction } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { StoredObject, ObjectFiles } from "../../core/objects/object-files.ts"
import type { KeyedLock } from "../../core/waiting/locks.ts"
import type { FoundFile } from "../../engines/folder-watcher/scan.ts"
import { numberedNames } from "./disk/find-stored.ts"
import type { StoredFiles } from "./disk/stored-files.ts"
import type { UnfinishedChanges } from "./disk/unfinished-changes.ts"
import {
  type UploadTarget,
  addPermissions,
  createReceipt,
  stageUpload,
  type StagedUpload,
  type Staging,
  type UploadFields,
} from "./disk/uploads.ts"
import type { FileAccess } from "./file-access.ts"
import type { FileChanges } from "./file-changes.ts"
import {
  describeObject,
  newFileRow,
  uploadPriority,
  type FileRow,
  contentFields,
  getNames,
  getPath,
  locationFields,
} from "./file-entry.ts"
import type { FileStore } from "./store.ts"

/** The location of the bytes, and the name for their file. */
interface Bytes {
  /** A local file, or an object in the object store. */
  of: string | StoredObject
  directories: readonly string[]
  name: string
}

export type StoreFresh = (
  folderId: string,
  place: UploadTarget,
  bytes: Bytes,
  more?: Partial<FileRow>,
  also?: (transaction: AnyTransaction, fresh: FileRow) => Promise<void>,
) => Promise<FileRow>

/** Stores bytes in a folder as a new file. If its row can't be stored, the file is removed from disk. */
export function createFreshFiles(
  stored: Pick<StoredFiles, "add" | "removeIfUnchanged">,
  store: Pick<FileStore, "insert" | "isTaken">,
): StoreFresh {
  return async (folderId, target, { of, directories, name }, more = {}, also) => {
    const insert = (fresh: FileRow) =>
      store.insert([fresh], async (transaction) => also?.(transaction, fresh))
    if (typeof of !== "string") {
      const fresh = { ...(await freshObject(store, folderId, of, directories, name)), ...more }
      await insert(fresh)
      return fresh
    }
    let itself = ""
    const found: FoundFile = await stored.add(target, of, [...directories], name, async (_, file) => {
      itself = file
    })
    const fresh = { ...newFileRow(folderId, found, uploadPriority), ...more }
    await insert(fresh).catch(async (error: unknown) => {
      await stored.removeIfUnchanged(target, fresh, itself)
      throw error
    })
    return fresh
  }
}

/** Returns the row of a new file with an object. Call it while the folder is locked. */
export async function freshObject(
  store: Pick<FileStore, "isTaken">,
  folderId: string,
  object: StoredObject,
  directories: readonly string[],
  name: string,
): Promise<FileRow> {
  const free = await freeName(store, folderId, directories, name)
  const found = describeObject([...directories, free].join("/"), object)
  return { ...newFileRow(folderId, found, uploadPriority), object: object.key }
}

/** For folders whose files have no directory: returns the name, with a number if it is taken. Call it while the folder is locked. */
export async function freeName(
  store: Pick<FileStore, "isTaken">,
  folderId: string,
  directories: readonly string[],
  name: string,
): Promise<string> {
  for (const candidate of numberedNames(name))
    if (!(await store.isTaken(folderId, directories.join("/"), candidate))) return candidate
  throw new AppError("conflict", sentence("files.too_many_named", { name }))
}

export interface FileReceivingDeps {
  access: Pick<FileAccess, "changeable" | "existing">
  store: Pick<FileStore, "insert" | "change" | "isTaken">
  stored: StoredFiles
  storeFresh: StoreFresh
  /** Object store for files in the server's own folders. If null, the files are stored in the folders' directories. */
  objects: ObjectFiles | null
  unfinished: Pick<UnfinishedChanges, "startReplacement" | "settleReplacement">
  lock: KeyedLock
  staging: Staging
  changes: Pick<FileChanges, "changed" | "removePassages">
  quota: FileQuota
  /** Throws `forbidden` if what a chat has read stays on this computer, but the folder's files may leave it. */
  requireToStay(userId: string, chatId: string, folderId: string): Promise<void>
}

/** Checks whether a folder owner may store this much more. Throws `quota_full`. */
export interface FileQuota {
  requireRoom(userId: string, wanted: { files: number; bytes: number }): Promise<void>
  /** Reserves the room while `work` runs, so that no other upload uses it. */
  withRoom<T>(userId: string, wanted: { files: number; bytes: number }, work: () => Promise<T>): Promise<T>
}

/** Receives files that folder owners upload. */
export interface FileReceiving {
  /** Stores one file durably and queues it for indexing. */
  upload(
    userId: string,
    folderId: string,
    receive: Receive<UploadFields>,
    more?: Partial<Pick<FileRow, "webPage" | "refreshAt" | "generatedBy">>,
    also?: (transaction: AnyTransaction, fresh: FileRow) => Promise<void>,
  ): Promise<UploadReceipt>
  /** Replaces the bytes and name of a file. The file is no longer marked as written by a model, and the old bytes go to the trash. */
  replace(
    userId: string,
    folderId: string,
    fileId: string,
    receive: Receive<UploadFields>,
  ): Promise<UploadReceipt>
}

export function createFileReceiving(deps: FileReceivingDeps): FileReceiving {
  const { access, store, stored, storeFresh, objects, unfinished, lock, staging, changes, quota } = deps

  /** An answer contains what its chat has read. */
  async function requireMayEnter(userId: string, folderId: string, generatedBy: string): Promise<void> {
    const chatId = readStored(GeneratedBy, generatedBy)?.chatId
    if (chatId !== undefined) await deps.requireToStay(userId, chatId, folderId)
  }

  /** The previous object is deleted after 30 days. */
  async function replaceObject(from: FileRow, object: StoredObject, wanted: string): Promise<FileRow> {
    const directories = getNames(from).slice(0, -1)
    const name = wanted === from.name ? wanted : await freeName(store, from.folderId, directories, wanted)
    const found = describeObject(getPath({ subFolder: from.subFolder, name }), object)
    const to = { ...locationFields(found), ...contentFields(found), object: object.key, generatedBy: null }
    await store.change([{ from, to, newContent: true }], uploadPriority)
    return { ...from, ...to }
  }

  async function replaceStored(folder: UploadTarget, from: FileRow, staged: StagedUpload): Promise<FileRow> {
    const renamed = from.name !== staged.name
    const directories = from.subFolder === "" ? [] : from.subFolder.split("/")
    const fromFile = await stored.fingerprint(folder, getNames(from))
    const mode = folder.managed ? null : await stored.getMode(folder, getNames(from))
    if (mode !== null) await addPermissions(staged.path, mode)
    using kept = await stored.keep(folder, getNames(from))
    let toFile = ""
    const begin = (toName: string, file: string) => {
      toFile = file
      return unfinished.startReplacement(from, toName, { fromFile, toFile })
    }
    try {
      const found = renamed
        ? await stored.add(folder, staged.path, directories, staged.name, begin)
        : await stored.replace(folder, staged.path, from, fromFile, (file) => begin(from.name, file))
      const to = { ...locationFields(found), ...contentFields(found), generatedBy: null }
      await store.change([{ from, to, newContent: true }], uploadPriority).catch(async (error: unknown) => {
        if (!renamed) await stored.removeIfUnchanged(folder, from, toFile).then(() => kept?.putBack())
        throw error
      })
      return { ...from, ...to }
    } finally {
      await unfinished.settleReplacement(from.id)
      await stored.discardUnneeded(folder, getNames(from), fromFile, kept)
    }
  }

  return {
    async upload(userId, folderId, receive, more = {}, also) {
      const folder = await access.changeable(userId, folderId)
      await quota.requireRoom(userId, { files: 1, bytes: 0 })
      await using staged = await stageUpload(receive, folder, staging)
      const wanted = { files: 1, bytes: staged.received.size }
      await quota.requireRoom(userId, wanted)
      const { generatedBy } = staged.received.fields
      if (generatedBy !== undefined) await requireMayEnter(userId, folderId, generatedBy)
      const of = folder.managed && objects ? await objects.put(staged.path) : staged.path
      const fields = { ...more, ...(generatedBy !== undefined && { generatedBy }) }
      const row = await lock.run(folderId, async () => {
        await access.changeable(userId, folderId) // the folder may have been deleted during the upload
        const bytes = { of, directories: staged.directories, name: staged.name }
        return quota.withRoom(userId, wanted, () => storeFresh(folderId, folder, bytes, fields, also))
      })
      changes.changed([row.id])
      return createReceipt(row, folder, staged.received)
    },

    async replace(userId, folderId, fileId, receive) {
      const folder = await access.changeable(userId, folderId)
      const { size: before } = await access.existing(folderId, fileId)
      await using staged = await stageUpload(receive, folder, staging)
      const { size } = staged.received
      await quota.requireRoom(userId, { files: 0, bytes: size - before })
      const object = folder.managed && objects ? await objects.put(staged.path) : null
      const row = await lock.run(folderId, async () => {
        await access.changeable(userId, folderId)
        const from = await access.existing(folderId, fileId)
        return quota.withRoom(userId, { files: 0, bytes: size - from.size }, () =>
          object ? replaceObject(from, object, staged.name) : replaceStored(folder, from, staged),
        )
      })
      changes.removePassages([fileId])
      changes.changed([fileId])
      return createReceipt(row, folder, staged.received)
    },
  }
}
