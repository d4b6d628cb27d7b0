import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { resolveInside } from "../../../core/files/path-jail.ts"
import { isShownOnly } from "../../../engines/folder-watcher/shown-names.ts"
import type { FileRow } from "../file-entry.ts"
import type { KnownDirectories } from "../following/known-directories.ts"
import { fingerprint } from "./fingerprint.ts"

export interface StoragePlace {
  id: string
  path: string
}

/** A file in such a place. */
export type NamedFile = Pick<FileRow, "id" | "subFolder" | "name">

/** Where files are in the directories of folders. `requireInPlace` throws `unavailable` where those aren't where they were. */
export function createStoredFinder(requireInPlace: KnownDirectories["requireInPlace"]) {
  /** Null where there is no such directory. */
  async function locate(place: StoragePlace, names: readonly string[]): Promise<string | null> {
    await requireInPlace(place, names.slice(0, -1))
    return resolveInside(place.path, names).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "not_found") return null
      throw error
    })
  }

  /** Null where there is no such file. */
  async function find(place: StoragePlace, names: readonly string[]): Promise<string | null> {
    const path = await locate(place, names)
    const found = path === null ? null : await lstat(path).catch(ifAbsent)
    return found?.isFile() ? path : null
  }

  return {
    locate,
    find,

    /** Tells the file at this place from others. Null where there is none. */
    async fingerprintAt(place: StoragePlace, names: readonly string[]): Promise<string | null> {
      const path = await find(place, names)
      return path === null ? null : fingerprint(path)
    },

    /** What is done to the name that is shown wouldn't be done to the file. */
    async requireName(place: StoragePlace, names: readonly string[]): Promise<void> {
      if (!names.some(isShownOnly) || (await lstat(join(place.path, ...names)).catch(() => null))) return
      throw new AppError("conflict", sentence("files.name_not_utf8"))
    },
  }
}

export type StoredFinder = ReturnType<typeof createStoredFinder>

/** What there isn't is null. */
export function ifAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null
  throw error
}
