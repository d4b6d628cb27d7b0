import type { FoundFile } from "../../engines/folder-watcher/scan.ts"
import type { StoredFiles } from "./disk/stored-files.ts"
import type { UploadPlace } from "./disk/uploads.ts"
import { newFileRow, uploadPriority, type FileRow } from "./file-entry.ts"
import type { FileStore } from "./store.ts"

interface FreshFilesDeps {
  stored: Pick<StoredFiles, "add" | "removeIfStill">
  store: Pick<FileStore, "insert">
}

/** Where bytes are, and what the file of them is to be called. */
interface Bytes {
  path: string
  directories: readonly string[]
  name: string
}

export type StoreFresh = (
  folderId: string,
  place: UploadPlace,
  bytes: Bytes,
  more?: Partial<FileRow>,
) => Promise<FileRow>

/** Puts bytes into a folder as a file that it hasn't had; what can't be written down isn't left on the disk. */
export function createFreshFiles({ stored, store }: FreshFilesDeps): StoreFresh {
  return async (folderId, place, { path, directories, name }, more = {}) => {
    let itself = ""
    const found: FoundFile = await stored.add(place, path, [...directories], name, async (_, file) => {
      itself = file
    })
    const fresh = { ...newFileRow(folderId, found, uploadPriority), ...more }
    await store.insert([fresh]).catch(async (error: unknown) => {
      await stored.removeIfStill(place, fresh, itself)
      throw error
    })
    return fresh
  }
}
