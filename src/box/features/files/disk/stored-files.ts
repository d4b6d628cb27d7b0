import { lstat, rename, unlink } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { closedInDataDirectory } from "../../../core/disk/disk-space.ts"
import {
  asidePrefix,
  moveToFreeName,
  syncDirectory,
  bringNear,
  linkOrCopy,
} from "../../../core/files/durable-file.ts"
import { joinInside, makeDirectoryInside, resolveInside } from "../../../core/files/path-jail.ts"
import type { NewlyTrashedFile, Trash } from "../../../core/files/trash.ts"
import { isOwnId } from "../../../core/ids.ts"
import type { FoundFile } from "../../../engines/folder-watcher/scan.ts"
import { getNames } from "../file-entry.ts"
import type { FileStore } from "../store.ts"
import type { KnownDirectories } from "../following/known-directories.ts"
import {
  ifAbsent,
  type NamedFile,
  type StorageLocation,
  type StoredFinder,
  fingerprint,
  numberedNames,
  createStoredFinder,
  describeInside,
  copyUp,
} from "./find-stored.ts"

function getAside(path: string, id: string): string {
  if (!isOwnId(id)) throw new Error("The id of a file can't be the name of one.")
  return join(dirname(path), asidePrefix + id)
}

/** Gives a file that was moved aside its name back, or a numbered one if that is taken. */
async function returnFile(aside: string, path: string): Promise<void> {
  for (const name of numberedNames(basename(path))) {
    try {
      return await moveToFreeName(aside, join(dirname(path), name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
  }
}

/** The file was changed by someone else in the meantime. */
const changedByOthers = () => new AppError("conflict", sentence("files.changed_by_others"))

function throwRefusal(error: NodeJS.ErrnoException): never {
  if (error.code === "ENOENT") throw changedByOthers()
  if (!["EACCES", "EPERM", "EROFS", "EBUSY"].includes(error.code ?? "")) throw error
  const closed = closedInDataDirectory(error)
  if (closed !== null) throw closed
  throw new AppError("forbidden", sentence("files.not_changeable"), {
    cause: error,
  })
}

export interface StoredFilesDeps {
  trash: Trash
  store: Pick<FileStore, "isTaken">
  /** Throws `unavailable` unless the folder's directory and the sub-directory are where they were. */
  requireInPlace: KnownDirectories["requireInPlace"]
}

/** Names, replaces and removes files in the directories of folders so that a power failure loses nothing. */
export class StoredFiles {
  readonly #deps: StoredFilesDeps
  readonly #finder: StoredFinder

  constructor(deps: StoredFilesDeps) {
    this.#deps = deps
    this.#finder = createStoredFinder(deps.requireInPlace)
  }

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
    await this.#deps.requireInPlace(folder, directories)
    const directory = await makeDirectoryInside(folder.path, directories)
    for (const candidate of numberedNames(name)) {
      const target = joinInside(directory, candidate)
      if (await this.#deps.store.isTaken(folder.id, directories.join("/"), candidate)) continue
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
  }

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
    await this.#finder.requireName(folder, names)
    const path = await resolveInside(folder.path, names)
    await using near = await bringNear(staged, dirname(path))
    await begin(await fingerprint(near.path))
    const aside = await this.#moveAside(folder, file, kept)
    await moveToFreeName(near.path, path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "EEXIST" ? changedByOthers() : error
    })
    if (aside !== null) await unlink(aside)
    return describeInside(folder.path, names.join("/"))
  }

  /** Returns the fingerprint of a file that is about to be moved or removed, or null if there is none. */
  async fingerprint(folder: StorageLocation, names: readonly string[]): Promise<string | null> {
    const path = await this.#finder.find(folder, names)
    if (path === null) return null
    await copyUp(path)
    return fingerprint(path)
  }

  /** Returns the mode of a file, or null if there is none. */
  async getMode(folder: StorageLocation, names: readonly string[]): Promise<number | null> {
    const path = await this.#finder.find(folder, names)
    return path === null ? null : (await lstat(path)).mode
  }

  /** Describes the file at a path, or returns null if there is none. */
  async findFile(folder: StorageLocation, names: readonly string[]): Promise<FoundFile | null> {
    const path = await this.#finder.find(folder, names)
    return path === null ? null : describeInside(folder.path, names.join("/"))
  }

  async hasFile(folder: StorageLocation, names: readonly string[]) {
    return (await this.#finder.find(folder, names)) !== null
  }

  /** Keeps a file's bytes in the trash before they are removed. Returns null if the file is already gone. */
  async keep(folder: StorageLocation, names: readonly string[]): Promise<NewlyTrashedFile | null> {
    await this.#finder.requireName(folder, names)
    const path = await this.#finder.find(folder, names)
    return path === null ? null : this.#deps.trash.keep(path)
  }

  /** Restores a file's bytes from the trash, unless its name is taken. */
  async restore(folder: StorageLocation, names: readonly string[], trashId: string): Promise<void> {
    await this.#deps.requireInPlace(folder, names.slice(0, -1))
    using bytes = await this.#deps.trash.find(trashId)
    if (!bytes) return
    await linkOrCopy(bytes.path, await resolveInside(folder.path, names))
    await bytes.discard()
  }

  /** Discards the kept bytes if the file is still in place because its change was refused. */
  async discardUnneeded(
    folder: StorageLocation,
    names: readonly string[],
    was: string | null,
    kept: NewlyTrashedFile | null,
  ): Promise<void> {
    const now = await this.#finder.fingerprintAt(folder, names).catch(() => null)
    if (now !== null && now === was) await kept?.discard()
  }

  /** Returns null if another file is at this path. */
  findIfUnchanged(...file: Parameters<StoredFinder["findIfUnchanged"]>): Promise<FoundFile | null> {
    return this.#finder.findIfUnchanged(...file)
  }

  /**
   * Permanently removes a file whose bytes were kept or aren't needed. Does nothing if the file is already gone; throws `conflict` if
   * another file is in its place.
   */
  async remove(folder: StorageLocation, file: NamedFile, kept: string | null): Promise<void> {
    await this.#finder.requireName(folder, getNames(file))
    const aside = await this.#moveAside(folder, file, kept)
    if (aside === null) return
    await unlink(aside)
    await syncDirectory(dirname(aside))
  }

  /**
   * Moves a file aside and returns its path, or null if there is none. Throws `conflict` if someone saved another version after the bytes
   * were kept. That version exists nowhere else, so it stays or is put back.
   */
  async #moveAside(folder: StorageLocation, file: NamedFile, kept: string | null): Promise<string | null> {
    const path = await this.#finder.find(folder, getNames(file))
    if (path === null) return null
    const aside = getAside(path, file.id)
    if (await lstat(aside).catch(ifAbsent)) await returnFile(aside, path)
    if ((await this.#finder.fingerprintAt(folder, getNames(file))) !== kept) throw changedByOthers()
    await rename(path, aside).catch(throwRefusal)
    if ((await fingerprint(aside)) === kept) return aside // only from here on can no one save over it
    await returnFile(aside, path)
    throw changedByOthers()
  }

  /** Permanently removes a file if it is this one. Another file in its place stays. */
  async removeIfUnchanged(folder: StorageLocation, file: NamedFile, itself: string): Promise<void> {
    if ((await this.#finder.fingerprintAt(folder, getNames(file))) !== itself) return
    await this.remove(folder, file, itself).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === "conflict")) throw error
    })
  }

  /**
   * Settles a change that was interrupted while a file was moved aside. The file gets its name back, or a numbered one if that is taken.
   * If it is one of `own` (the box's, or kept) and its place is taken, it is removed.
   */
  async settleAside(
    folder: StorageLocation,
    file: NamedFile,
    own: readonly (string | null)[],
  ): Promise<void> {
    const path = await this.#finder.locate(folder, getNames(file))
    const aside = path === null ? null : getAside(path, file.id)
    const found = aside === null ? null : await lstat(aside).catch(ifAbsent)
    if (path === null || aside === null || found === null) return
    if (own.includes(await fingerprint(aside)) && (await lstat(path).catch(ifAbsent))) await unlink(aside)
    else await returnFile(aside, path)
  }
}

export const createStoredFiles = (deps: StoredFilesDeps): StoredFiles => new StoredFiles(deps)
