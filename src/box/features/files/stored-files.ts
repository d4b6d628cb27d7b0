import { lstat, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { linkOrCopy, replaceDurably, syncDirectory } from "../../core/durable-file.ts"
import { makeDirectoryInside, numberedName, resolveInside } from "../../core/path-jail.ts"
import type { Kept, Trash } from "../../core/trash.ts"
import { describe, type FoundFile } from "../../engines/folder-watcher/scan.ts"
import { isShownOnly } from "../../engines/folder-watcher/shown-names.ts"

export interface StoredFilesDeps {
  trash: Trash
  /** Whether a name in a sub-folder belongs to a file already. */
  isTaken(folderId: string, subFolder: string, name: string): Promise<boolean>
}

export interface StoragePlace {
  id: string
  path: string
}

const mostNumbers = 10_000

/** Files in the directories of folders: given names, replaced and removed so that a power cut loses nothing. */
export function createStoredFiles({ trash, isTaken }: StoredFilesDeps) {
  async function requireRoot(place: StoragePlace): Promise<void> {
    const root = await lstat(place.path).catch(() => null)
    if (!root?.isDirectory()) {
      throw new AppError(
        "unavailable",
        "The folder's directory isn't there. Connect its drive or restore it.",
      )
    }
  }

  /** What is done to the name that is shown wouldn't be done to the file. */
  async function requireName(place: StoragePlace, names: readonly string[]): Promise<void> {
    if (!names.some(isShownOnly) || (await lstat(join(place.path, ...names)).catch(() => null))) return
    throw new AppError(
      "conflict",
      "The name of this file isn't valid UTF-8, so it can't be changed or deleted here. Rename it first.",
    )
  }

  async function describeInside(root: string, path: string): Promise<FoundFile> {
    return describe(path, await lstat(join(root, path), { bigint: true }))
  }

  return {
    /**
     * Moves a finished upload to a free name: a taken one gets ` (2)`, ` (3)`… before its extension. `begin` is told each name
     * before it is tried.
     */
    async add(
      place: StoragePlace,
      staged: string,
      directories: readonly string[],
      name: string,
      begin: (name: string) => Promise<void> = () => Promise.resolve(),
    ): Promise<FoundFile> {
      await requireRoot(place)
      const directory = await makeDirectoryInside(place.path, directories)
      for (let number = 1; number <= mostNumbers; number++) {
        const candidate = numberedName(name, number)
        if (await isTaken(place.id, directories.join("/"), candidate)) continue
        if (await lstat(join(directory, candidate)).catch(() => null)) continue
        await begin(candidate)
        try {
          await linkOrCopy(staged, join(directory, candidate))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "EEXIST") continue
          throw error
        }
        return describeInside(place.path, [...directories, candidate].join("/"))
      }
      throw new AppError("conflict", `There are too many files named "${name}" here. Choose another name.`)
    },

    /** Puts a finished upload in the place of a file. */
    async replace(place: StoragePlace, staged: string, names: readonly string[]): Promise<FoundFile> {
      await requireRoot(place)
      await requireName(place, names)
      const path = await resolveInside(place.path, names)
      await replaceDurably(staged, path).catch(asRefusal)
      return describeInside(place.path, names.join("/"))
    },

    isThere: async (place: StoragePlace, names: readonly string[]) => (await find(place, names)) !== null,

    /** Keeps a file's bytes in the trash before they go. Null for one that is gone already. */
    async keep(place: StoragePlace, names: readonly string[]): Promise<Kept | null> {
      await requireName(place, names)
      const path = await find(place, names)
      return path === null ? null : trash.keep(path)
    },

    /** Takes a file away for good, whose bytes were kept or aren't wanted. One that is gone already is no error. */
    async remove(place: StoragePlace, names: readonly string[]): Promise<void> {
      await requireName(place, names)
      const path = await find(place, names)
      if (path === null) return
      await unlink(path).catch(asRefusal)
      await syncDirectory(dirname(path))
    },
  }

  /** Null where there is no such file. */
  async function find(place: StoragePlace, names: readonly string[]): Promise<string | null> {
    await requireRoot(place)
    const path = await resolveInside(place.path, names).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "not_found") return null
      throw error
    })
    const found = path === null ? null : await lstat(path).catch(ifAbsent)
    return found?.isFile() ? path : null
  }
}

function ifAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null
  throw error
}

function asRefusal(error: NodeJS.ErrnoException): never {
  if (!["EACCES", "EPERM", "EROFS", "EBUSY"].includes(error.code ?? "")) throw error
  throw new AppError(
    "forbidden",
    "The box may not change this file. Check its permissions, or close it elsewhere.",
    {
      cause: error,
    },
  )
}

export type StoredFiles = ReturnType<typeof createStoredFiles>
