import { lstat, unlink } from "node:fs/promises"
import { dirname } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { bringNear, linkOrCopy, moveToFreeName } from "../../../core/files/durable-file.ts"
import { joinInside, makeDirectoryInside, resolveInside } from "../../../core/files/path-jail.ts"
import type { NewlyTrashedFile, Trash } from "../../../core/files/trash.ts"
import type { FoundFile } from "../../../engines/folder-watcher/scan.ts"
import { getNames } from "../file-entry.ts"
import type { KnownDirectories } from "../following/known-directories.ts"
import { createStoredFinder, describeInside, type NamedFile, type StorageLocation } from "./find-stored.ts"
import { copyUp, fingerprint } from "./fingerprint.ts"
import { numberedNames } from "./numbered-names.ts"
import { changedByOthers, createTakingAway } from "./take-away.ts"

export interface StoredFilesDeps {
  trash: Trash
  /** Returns whether a name in a sub-folder already belongs to a file. */
  isTaken(folderId: string, subFolder: string, name: string): Promise<boolean>
  /** Throws `unavailable` unless the folder's directory and the sub-directory are where they were. */
  requireInPlace: KnownDirectories["requireInPlace"]
}

/** Names, replaces and removes files in the directories of folders so that a power failure loses nothing. */
export function createStoredFiles({ trash, isTaken, requireInPlace }: StoredFilesDeps) {
  const finder = createStoredFinder(requireInPlace)
  const { find, findIfUnchanged, fingerprintAt, requireName } = finder
  const { take, remove, removeIfUnchanged, settleAside } = createTakingAway(finder)

  return {
    /**
     * Moves a finished upload to a free name: adds ` (2)`, ` (3)`… before the extension if the name is taken. Calls `begin` with each name
     * before it is tried, and with the fingerprint of the file that will get it.
     */
    async add(
      folder: StorageLocation,
      staged: string,
      directories: readonly string[],
      name: string,
      begin: (name: string, file: string) => Promise<void> = () => Promise.resolve(),
    ): Promise<FoundFile> {
      await requireInPlace(folder, directories)
      const directory = await makeDirectoryInside(folder.path, directories)
      for (const candidate of numberedNames(name)) {
        const target = joinInside(directory, candidate)
        if (await isTaken(folder.id, directories.join("/"), candidate)) continue
        if (await lstat(target).catch(() => null)) continue
        try {
          await linkOrCopy(staged, target, async (path) => {
            await begin(candidate, await fingerprint(path))
          })
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "EEXIST") continue
          throw error
        }
        return describeInside(folder.path, [...directories, candidate].join("/"))
      }
      throw new AppError("conflict", sentence("files.too_many_named", { name }))
    },

    /**
     * Replaces a file with a finished upload. Throws `conflict` if the file isn't the one that was kept, or if another file appears in its
     * place. Calls `begin` with the fingerprint of the new file before anything changes.
     */
    async replace(
      folder: StorageLocation,
      staged: string,
      file: NamedFile,
      kept: string | null,
      begin: (file: string) => Promise<void>,
    ): Promise<FoundFile> {
      const names = getNames(file)
      await requireName(folder, names)
      const path = await resolveInside(folder.path, names)
      await using near = await bringNear(staged, dirname(path))
      await begin(await fingerprint(near.path))
      const aside = await take(folder, file, kept)
      await moveToFreeName(near.path, path).catch((error: NodeJS.ErrnoException) => {
        throw error.code === "EEXIST" ? changedByOthers() : error
      })
      if (aside !== null) await unlink(aside)
      return describeInside(folder.path, names.join("/"))
    },

    /** Returns the fingerprint of a file that is about to be moved or removed, or null if there is none. */
    async fingerprint(folder: StorageLocation, names: readonly string[]): Promise<string | null> {
      const path = await find(folder, names)
      if (path === null) return null
      await copyUp(path)
      return fingerprint(path)
    },

    /** Returns the mode of a file, or null if there is none. */
    async getMode(folder: StorageLocation, names: readonly string[]): Promise<number | null> {
      const path = await find(folder, names)
      return path === null ? null : (await lstat(path)).mode
    },

    /** Describes the file at a path, or returns null if there is none. */
    async findFile(folder: StorageLocation, names: readonly string[]): Promise<FoundFile | null> {
      const path = await find(folder, names)
      return path === null ? null : describeInside(folder.path, names.join("/"))
    },

    hasFile: async (folder: StorageLocation, names: readonly string[]) =>
      (await find(folder, names)) !== null,

    /** Keeps a file's bytes in the trash before they are removed. Returns null if the file is already gone. */
    async keep(folder: StorageLocation, names: readonly string[]): Promise<NewlyTrashedFile | null> {
      await requireName(folder, names)
      const path = await find(folder, names)
      return path === null ? null : trash.keep(path)
    },

    /** Restores a file's bytes from the trash, unless its name is taken. */
    async bringBack(folder: StorageLocation, names: readonly string[], trashId: string): Promise<void> {
      await requireInPlace(folder, names.slice(0, -1))
      using bytes = await trash.find(trashId)
      if (!bytes) return
      await linkOrCopy(bytes.path, await resolveInside(folder.path, names))
      await bytes.discard()
    },

    /** Discards the kept bytes if the file is still in place because its change was refused. */
    async discardUnneeded(
      folder: StorageLocation,
      names: readonly string[],
      was: string | null,
      kept: NewlyTrashedFile | null,
    ): Promise<void> {
      const now = await fingerprintAt(folder, names).catch(() => null)
      if (now !== null && now === was) await kept?.discard()
    },

    findIfUnchanged,
    remove,
    removeIfUnchanged,
    settleAside,
  }
}

export type StoredFiles = ReturnType<typeof createStoredFiles>
