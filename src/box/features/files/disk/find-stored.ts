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

  /** Tells the file at this place from others. Null where there is none. */
  async function fingerprintAt(place: StoragePlace, names: readonly string[]): Promise<string | null> {
    const path = await find(place, names)
    return path === null ? null : fingerprint(path)
  }

  return {
    locate,
    find,
    fingerprintAt,

    /** Null where the file at this place is another one. */
    async findIfStill(
      place: StoragePlace,
      names: readonly string[],
      itself: string,
    ): Promise<FoundFile | null> {
      const isStill = (await fingerprintAt(place, names)) === itself
      return isStill ? describeInside(place.path, names.join("/")) : null
    },

    /** What is done to the name that is shown wouldn't be done to the file. */
    async requireName(place: StoragePlace, names: readonly string[]): Promise<void> {
      if (!names.some(isShownOnly) || (await lstat(join(place.path, ...names)).catch(() => null))) return
      throw new AppError("conflict", sentence("files.name_not_utf8"))
    },
  }
}

/** A file that has just been given its name. */
export async function describeInside(root: string, path: string): Promise<FoundFile> {
  const found = describe(path, await lstat(join(root, path), { bigint: true }))
  return { ...found, changedMs: null } // the name goes under which it was staged
}

export type StoredFinder = ReturnType<typeof createStoredFinder>

/** What there isn't is null. */
export function ifAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null
  throw error
}
