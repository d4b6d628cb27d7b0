import { constants } from "node:fs"
import { lstat, open } from "node:fs/promises"
import { join, basename, dirname } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { resolveInside, numberedName } from "../../../core/files/path-jail.ts"
import type { ObjectFiles } from "../../../core/objects/object-files.ts"
import { describe, type FoundFile, isShownOnly } from "../../../engines/folder-watcher/scan.ts"
import { type FileRow, getNames } from "../file-entry.ts"
import type { KnownDirectories } from "../following/known-directories.ts"

/** Returns a value that differs for any other file at this path, and changes when the file is written to. */
export async function fingerprint(path: string): Promise<string> {
  const { identity, size, modifiedMs } = describe("", await lstat(path, { bigint: true }))
  return `${identity} ${size} ${modifiedMs}`
}

/**
 * On overlayfs (live systems, containers), a file of a lower layer is copied when it is first linked, renamed or opened for writing, which
 * changes its fingerprint. Triggers that copy before the file is compared.
 */
export async function copyUp(path: string): Promise<void> {
  if (process.platform !== "linux") return
  await open(path, constants.O_RDWR | constants.O_NOFOLLOW).then(
    (handle) => handle.close(),
    () => undefined, // the change itself reports the error
  )
}

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

const maxNumbers = 10_000

/** Yields the name, then numbered names to try if it is taken. */
export function* numberedNames(name: string): Generator<string> {
  for (let number = 1; number <= maxNumbers; number++) yield numberedName(name, number)
}

/** The location of a file's bytes, valid until disposed. */
export interface StoredBytes extends Disposable {
  /** A directory. */
  root: string
  /** Path segments of the file inside it. */
  names: string[]
}

/** Finds the bytes of files in their folder's directory or as local copies of objects. Throws the errors of `hold`. */
export type FindBytes = (
  root: string,
  file: Pick<FileRow, "subFolder" | "name" | "object" | "size">,
) => Promise<StoredBytes>

export const createFindBytes =
  (objects: Pick<ObjectFiles, "hold"> | null): FindBytes =>
  async (root, file) => {
    if (file.object === null || objects === null)
      return { root, names: getNames(file), [Symbol.dispose]: () => undefined }
    const held = await objects.hold(file.object, file.size)
    return {
      root: dirname(held.path),
      names: [basename(held.path)],
      [Symbol.dispose]: () => held[Symbol.dispose](),
    }
  }
