import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AnyTransaction } from "../../core/database/database.ts"
import type { StoredObject } from "../../core/objects/kept-objects.ts"
import type { FoundFile } from "../../engines/folder-watcher/scan.ts"
import { numberedNames } from "./disk/numbered-names.ts"
import type { StoredFiles } from "./disk/stored-files.ts"
import type { UploadTarget } from "./disk/uploads.ts"
import { describeObject, newFileRow, uploadPriority, type FileRow } from "./file-entry.ts"
import type { FileStore } from "./store.ts"

interface FreshFilesDeps {
  stored: Pick<StoredFiles, "add" | "removeIfUnchanged">
  store: Pick<FileStore, "insert" | "isTaken">
}

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
export function createFreshFiles({ stored, store }: FreshFilesDeps): StoreFresh {
  return async (folderId, place, { of, directories, name }, more = {}, also) => {
    const insert = (fresh: FileRow) =>
      store.insert([fresh], async (transaction) => also?.(transaction, fresh))
    if (typeof of !== "string") {
      const fresh = { ...(await freshObject(store, folderId, of, directories, name)), ...more }
      await insert(fresh)
      return fresh
    }
    let itself = ""
    const found: FoundFile = await stored.add(place, of, [...directories], name, async (_, file) => {
      itself = file
    })
    const fresh = { ...newFileRow(folderId, found, uploadPriority), ...more }
    await insert(fresh).catch(async (error: unknown) => {
      await stored.removeIfUnchanged(place, fresh, itself)
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
