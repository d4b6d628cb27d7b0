import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { UploadTarget } from "./disk/uploads.ts"
import type { FileRow } from "./file-entry.ts"
import type { Follower } from "./following/follower.ts"
import { notThere, type KnownDirectories } from "./following/known-directories.ts"
import type { FileStore } from "./store.ts"

export interface FileAccessDeps {
  /** Returns the folder if the user may see it or owns it; throws `not_found` or `forbidden`. */
  locate(userId: string, folderId: string, right: "read" | "write"): Promise<UploadTarget>
  store: Pick<FileStore, "find">
  requireInPlace: KnownDirectories["requireInPlace"]
  /** Whether the box's own folders have directories. If not, their files are in object storage. */
  hasOwnDirectories: boolean
  getAvailability: Follower["getAvailability"]
}

/** Returns folders and files to users who may see or change them. Throws for everyone else, and if they don't exist. */
export function createFileAccess(deps: FileAccessDeps) {
  const { locate, store, requireInPlace, hasOwnDirectories, getAvailability } = deps

  /** Returns the file without checking the user. */
  async function existing(folderId: string, fileId: string): Promise<FileRow> {
    const row = await store.find(folderId, fileId)
    if (!row) throw new AppError("not_found", sentence("files.none_such"))
    return row
  }

  return {
    place: locate,
    existing,

    async find(userId: string, folderId: string, fileId: string, right: "read" | "write") {
      const found = await locate(userId, folderId, right)
      return { place: found, row: await existing(folderId, fileId) }
    },

    /** Returns the folder for its owner to change. Throws while something else may be in the place of its files. */
    async changeable(userId: string, folderId: string): Promise<UploadTarget> {
      const folder = await locate(userId, folderId, "write")
      if (folder.managed && !hasOwnDirectories) return folder
      await requireInPlace(folder, [])
      const { available, missingCount } = getAvailability(folderId)
      if (folder.managed || available) return folder
      if (missingCount === 0) throw notThere()
      throw new AppError("unavailable", sentence("files.missing_on_drive"))
    },
  }
}

export type FileAccess = ReturnType<typeof createFileAccess>
