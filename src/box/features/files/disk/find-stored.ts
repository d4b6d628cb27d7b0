import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { resolveInside } from "../../../core/files/path-jail.ts"
import { describe, type FoundFile } from "../../../engines/folder-watcher/scan.ts"
import { isShownOnly } from "../../../engines/folder-watcher/shown-names.ts"
import type { FileRow } from "../file-entry.ts"
import type { KnownDirectories } from "../following/known-directories.ts"
import { fingerprint } from "./fingerprint.ts"

export interface StorageLocation {
  id: string
  path: string
}

/** A file in such a location. */
export type NamedFile = Pick<FileRow, "id" | "subFolder" | "name">

/** Finds files in the directories of folders. `requireInPlace` throws `unavailable` if a directory isn't where it was. */
export function createStoredFinder(requireInPlace: KnownDirectories["requireInPlace"]) {
  /** Returns null if there is no such directory. */
  async function locate(folder: StorageLocation, names: readonly string[]): Promise<string | null> {
    await requireInPlace(folder, names.slice(0, -1))
    return resolveInside(folder.path, names).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "not_found") return null
      throw error
    })
  }

  /** Returns null if there is no such file. */
  async function find(folder: StorageLocation, names: readonly string[]): Promise<string | null> {
    const path = await locate(folder, names)
    const found = path === null ? null : await lstat(path).catch(ifAbsent)
    return found?.isFile() ? path : null
  }

  /** Returns a fingerprint of the file at this path, or null if there is none. */
  async function fingerprintAt(folder: StorageLocation, names: readonly string[]): Promise<string | null> {
    const path = await find(folder, names)
    return path === null ? null : fingerprint(path)
  }

  return {
    locate,
    find,
    fingerprintAt,

    /** Returns null if another file is at this path. */
    async findIfUnchanged(
      folder: StorageLocation,
      names: readonly string[],
      itself: string,
    ): Promise<FoundFile | null> {
      const isStill = (await fingerprintAt(folder, names)) === itself
      return isStill ? describeInside(folder.path, names.join("/")) : null
    },

    /** Throws `conflict` for a name that isn't valid UTF-8: a change to the displayed name wouldn't affect the file. */
    async requireName(folder: StorageLocation, names: readonly string[]): Promise<void> {
      if (!names.some(isShownOnly) || (await lstat(join(folder.path, ...names)).catch(() => null))) return
      throw new AppError("conflict", sentence("files.name_not_utf8"))
    },
  }
}

/** Describes a file that has just been given its name. */
export async function describeInside(root: string, path: string): Promise<FoundFile> {
  const found = describe(path, await lstat(join(root, path), { bigint: true }))
  return { ...found, changedMs: null } // removing the staging name changes this time
}

export type StoredFinder = ReturnType<typeof createStoredFinder>

/** Returns null if the file doesn't exist; otherwise throws. */
export function ifAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null
  throw error
}
