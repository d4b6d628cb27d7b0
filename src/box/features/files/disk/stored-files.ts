import { constants } from "node:fs"
import { lstat, open, rename, unlink } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { closedInDataDirectory } from "../../../core/disk/refused-access.ts"
import {
  asidePrefix,
  bringNear,
  linkOrCopy,
  moveToFreeName,
  syncDirectory,
} from "../../../core/files/durable-file.ts"
import { makeDirectoryInside, numberedName, resolveInside } from "../../../core/files/path-jail.ts"
import type { Kept, Trash } from "../../../core/files/trash.ts"
import { describe, type FoundFile } from "../../../engines/folder-watcher/scan.ts"
import { isShownOnly } from "../../../engines/folder-watcher/shown-names.ts"
import { namesOf, type FileRow } from "../file-entry.ts"
import type { KnownDirectories } from "../following/known-directories.ts"

export interface StoredFilesDeps {
  trash: Trash
  /** Whether a name in a sub-folder belongs to a file already. */
  isTaken(folderId: string, subFolder: string, name: string): Promise<boolean>
  /** Throws `unavailable` unless the folder's directory, and the one in it, are where they were. */
  requireInPlace: KnownDirectories["requireInPlace"]
}

export interface StoragePlace {
  id: string
  path: string
}

/** A file in such a place. */
export type NamedFile = Pick<FileRow, "id" | "subFolder" | "name">

const mostNumbers = 10_000

/** Files in the directories of folders: given names, replaced and removed so that a power cut loses nothing. */
export function createStoredFiles({ trash, isTaken, requireInPlace }: StoredFilesDeps) {
  /** What is done to the name that is shown wouldn't be done to the file. */
  async function requireName(place: StoragePlace, names: readonly string[]): Promise<void> {
    if (!names.some(isShownOnly) || (await lstat(join(place.path, ...names)).catch(() => null))) return
    throw new AppError("conflict", sentence("files.name_not_utf8"))
  }

  async function describeInside(root: string, path: string): Promise<FoundFile> {
    const found = describe(path, await lstat(join(root, path), { bigint: true }))
    return { ...found, changedMs: null } // the name goes under which it was staged
  }

  return {
    /**
     * Moves a finished upload to a free name: a taken one gets ` (2)`, ` (3)`… before its extension. `begin` is told each name
     * before it is tried, and which file is to get it.
     */
    async add(
      place: StoragePlace,
      staged: string,
      directories: readonly string[],
      name: string,
      begin: (name: string, file: string) => Promise<void> = () => Promise.resolve(),
    ): Promise<FoundFile> {
      await requireInPlace(place, directories)
      const directory = await makeDirectoryInside(place.path, directories)
      for (let number = 1; number <= mostNumbers; number++) {
        const candidate = numberedName(name, number)
        if (await isTaken(place.id, directories.join("/"), candidate)) continue
        if (await lstat(join(directory, candidate)).catch(() => null)) continue
        try {
          await linkOrCopy(staged, join(directory, candidate), async (path) => {
            await begin(candidate, await fingerprint(path))
          })
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "EEXIST") continue
          throw error
        }
        return describeInside(place.path, [...directories, candidate].join("/"))
      }
      throw new AppError("conflict", sentence("files.too_many_named", { name }))
    },

    /**
     * Puts a finished upload in the place of a file, unless that isn't the one that was kept: then, and when something else
     * comes into its place meanwhile, it throws `conflict`. `begin` is told which file is to get the name, before anything changes.
     */
    async replace(
      place: StoragePlace,
      staged: string,
      file: NamedFile,
      kept: string | null,
      begin: (file: string) => Promise<void>,
    ): Promise<FoundFile> {
      const names = namesOf(file)
      await requireName(place, names)
      const path = await resolveInside(place.path, names)
      await using near = await bringNear(staged, dirname(path))
      await begin(await fingerprint(near.path))
      const aside = await take(place, file, kept)
      await moveToFreeName(near.path, path).catch((error: NodeJS.ErrnoException) => {
        throw error.code === "EEXIST" ? changedMeanwhile() : error
      })
      if (aside !== null) await unlink(aside)
      return describeInside(place.path, names.join("/"))
    },

    /** Tells a file that is about to be moved or removed from others. Null where there is none. */
    async fingerprint(place: StoragePlace, names: readonly string[]): Promise<string | null> {
      const path = await find(place, names)
      if (path === null) return null
      await copyUp(path)
      return fingerprint(path)
    },

    /** Who may do what with a file. Null where there is none. */
    async modeOf(place: StoragePlace, names: readonly string[]): Promise<number | null> {
      const path = await find(place, names)
      return path === null ? null : (await lstat(path)).mode
    },

    isThere: async (place: StoragePlace, names: readonly string[]) => (await find(place, names)) !== null,

    /** Keeps a file's bytes in the trash before they go. Null for one that is gone already. */
    async keep(place: StoragePlace, names: readonly string[]): Promise<Kept | null> {
      await requireName(place, names)
      const path = await find(place, names)
      return path === null ? null : trash.keep(path)
    },

    remove,

    /** Discards what was kept of a file that still stands in its place, since its change was refused. */
    async discardUnneeded(
      place: StoragePlace,
      names: readonly string[],
      was: string | null,
      kept: Kept | null,
    ): Promise<void> {
      const now = await fingerprintAt(place, names).catch(() => null)
      if (now !== null && now === was) await kept?.discard()
    },

    /** Takes a file away for good if it is this one: another one in its place stays. */
    async removeIfStill(place: StoragePlace, file: NamedFile, itself: string): Promise<void> {
      if ((await fingerprintAt(place, namesOf(file))) !== itself) return
      await remove(place, file, itself).catch((error: unknown) => {
        if (!(error instanceof AppError && error.code === "conflict")) throw error
      })
    },

    /**
     * Ends what was cut off while a file was out of the way: it gets its name again, or another one when that is taken, or goes
     * when it is one of the `own`, which are the box's or kept, and something else is in its place.
     */
    async settleAside(place: StoragePlace, file: NamedFile, own: readonly (string | null)[]): Promise<void> {
      const path = await locate(place, namesOf(file))
      const aside = path === null ? null : asideOf(path, file.id)
      const found = aside === null ? null : await lstat(aside).catch(ifAbsent)
      if (path === null || aside === null || found === null) return
      if (own.includes(await fingerprint(aside)) && (await lstat(path).catch(ifAbsent))) await unlink(aside)
      else await giveBack(aside, path)
    },
  }

  /** Tells the file at this place from others. Null where there is none. */
  async function fingerprintAt(place: StoragePlace, names: readonly string[]): Promise<string | null> {
    const path = await find(place, names)
    return path === null ? null : fingerprint(path)
  }

  /**
   * Takes a file away for good, whose bytes were kept or aren't wanted. One that is gone already is no error; another one in
   * its place is a `conflict`.
   */
  async function remove(place: StoragePlace, file: NamedFile, kept: string | null): Promise<void> {
    await requireName(place, namesOf(file))
    const aside = await take(place, file, kept)
    if (aside === null) return
    await unlink(aside)
    await syncDirectory(dirname(aside))
  }

  /**
   * Moves a file out of the way and answers where it is; null where there is none. What somebody saved in its place after its
   * bytes were kept is nowhere else: it stays, or comes back, and this throws `conflict`.
   */
  async function take(place: StoragePlace, file: NamedFile, kept: string | null): Promise<string | null> {
    const path = await find(place, namesOf(file))
    if (path === null) return null
    const aside = asideOf(path, file.id)
    if (await lstat(aside).catch(ifAbsent)) await giveBack(aside, path)
    if ((await fingerprintAt(place, namesOf(file))) !== kept) throw changedMeanwhile()
    await rename(path, aside).catch(asRefusal)
    if ((await fingerprint(aside)) === kept) return aside // only now nobody can save over it any more
    await giveBack(aside, path)
    throw changedMeanwhile()
  }

  /** Null where there is no such file. */
  async function find(place: StoragePlace, names: readonly string[]): Promise<string | null> {
    const path = await locate(place, names)
    const found = path === null ? null : await lstat(path).catch(ifAbsent)
    return found?.isFile() ? path : null
  }

  /** Null where there is no such directory. */
  async function locate(place: StoragePlace, names: readonly string[]): Promise<string | null> {
    await requireInPlace(place, names.slice(0, -1))
    return resolveInside(place.path, names).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "not_found") return null
      throw error
    })
  }
}

const asideOf = (path: string, id: string) => join(dirname(path), asidePrefix + id)

/** Gives a file that is out of the way its name again, or a numbered one where that is taken. */
async function giveBack(aside: string, path: string): Promise<void> {
  for (let number = 1; number <= mostNumbers; number++) {
    try {
      return await moveToFreeName(aside, join(dirname(path), numberedName(basename(path), number)))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
  }
}

const changedMeanwhile = () => new AppError("conflict", sentence("files.changed_by_others"))

/**
 * On overlayfs (live systems, containers) a file of a lower layer is copied when it is first linked, renamed or opened for
 * writing, and tells itself from then on as another file does: better before it is compared than in between.
 */
async function copyUp(path: string): Promise<void> {
  if (process.platform !== "linux") return
  await open(path, constants.O_RDWR | constants.O_NOFOLLOW).then(
    (handle) => handle.close(),
    () => undefined, // the change itself says what is wrong
  )
}

/** Another file in its place has another one, and so has this one once it was written to. */
async function fingerprint(path: string): Promise<string> {
  const { identity, size, modifiedMs } = describe("", await lstat(path, { bigint: true }))
  return `${identity} ${size} ${modifiedMs}`
}

function ifAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null
  throw error
}

function asRefusal(error: NodeJS.ErrnoException): never {
  if (error.code === "ENOENT") throw changedMeanwhile()
  if (!["EACCES", "EPERM", "EROFS", "EBUSY"].includes(error.code ?? "")) throw error
  const closed = closedInDataDirectory(error)
  if (closed !== null) throw closed
  throw new AppError("forbidden", sentence("files.not_changeable"), {
    cause: error,
  })
}

export type StoredFiles = ReturnType<typeof createStoredFiles>
