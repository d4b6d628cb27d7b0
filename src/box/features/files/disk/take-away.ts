import { lstat, rename, unlink } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { closedInDataDirectory } from "../../../core/disk/refused-access.ts"
import { asidePrefix, moveToFreeName, syncDirectory } from "../../../core/files/durable-file.ts"
import { isOwnId } from "../../../core/ids.ts"
import { getNames } from "../file-entry.ts"
import { ifAbsent, type NamedFile, type StorageLocation, type StoredFinder } from "./find-stored.ts"
import { fingerprint } from "./fingerprint.ts"
import { numberedNames } from "./numbered-names.ts"

/** Moves files aside and then removes them or puts them back, so that files that others save in their place are never lost. */
export function createTakingAway({ locate, find, fingerprintAt, requireName }: StoredFinder) {
  /**
   * Moves a file aside and returns its path, or null if there is none. Throws `conflict` if someone saved another version after the bytes
   * were kept. That version exists nowhere else, so it stays or is put back.
   */
  async function take(folder: StorageLocation, file: NamedFile, kept: string | null): Promise<string | null> {
    const path = await find(folder, getNames(file))
    if (path === null) return null
    const aside = getAside(path, file.id)
    if (await lstat(aside).catch(ifAbsent)) await giveBack(aside, path)
    if ((await fingerprintAt(folder, getNames(file))) !== kept) throw changedByOthers()
    await rename(path, aside).catch(throwRefusal)
    if ((await fingerprint(aside)) === kept) return aside // only from here on can no one save over it
    await giveBack(aside, path)
    throw changedByOthers()
  }

  /**
   * Permanently removes a file whose bytes were kept or aren't needed. Does nothing if the file is already gone; throws `conflict` if
   * another file is in its place.
   */
  async function remove(folder: StorageLocation, file: NamedFile, kept: string | null): Promise<void> {
    await requireName(folder, getNames(file))
    const aside = await take(folder, file, kept)
    if (aside === null) return
    await unlink(aside)
    await syncDirectory(dirname(aside))
  }

  return {
    take,
    remove,

    /** Permanently removes a file if it is this one. Another file in its place stays. */
    async removeIfUnchanged(folder: StorageLocation, file: NamedFile, itself: string): Promise<void> {
      if ((await fingerprintAt(folder, getNames(file))) !== itself) return
      await remove(folder, file, itself).catch((error: unknown) => {
        if (!(error instanceof AppError && error.code === "conflict")) throw error
      })
    },

    /**
     * Settles a change that was interrupted while a file was moved aside. The file gets its name back, or a numbered one if that is taken.
     * If it is one of `own` (the box's, or kept) and its place is taken, it is removed.
     */
    async settleAside(
      folder: StorageLocation,
      file: NamedFile,
      own: readonly (string | null)[],
    ): Promise<void> {
      const path = await locate(folder, getNames(file))
      const aside = path === null ? null : getAside(path, file.id)
      const found = aside === null ? null : await lstat(aside).catch(ifAbsent)
      if (path === null || aside === null || found === null) return
      if (own.includes(await fingerprint(aside)) && (await lstat(path).catch(ifAbsent))) await unlink(aside)
      else await giveBack(aside, path)
    },
  }
}

function getAside(path: string, id: string): string {
  if (!isOwnId(id)) throw new Error("The id of a file can't be the name of one.")
  return join(dirname(path), asidePrefix + id)
}

/** Gives a file that was moved aside its name back, or a numbered one if that is taken. */
async function giveBack(aside: string, path: string): Promise<void> {
  for (const name of numberedNames(basename(path))) {
    try {
      return await moveToFreeName(aside, join(dirname(path), name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
  }
}

/** The file was changed by someone else in the meantime. */
export const changedByOthers = () => new AppError("conflict", sentence("files.changed_by_others"))

function throwRefusal(error: NodeJS.ErrnoException): never {
  if (error.code === "ENOENT") throw changedByOthers()
  if (!["EACCES", "EPERM", "EROFS", "EBUSY"].includes(error.code ?? "")) throw error
  const closed = closedInDataDirectory(error)
  if (closed !== null) throw closed
  throw new AppError("forbidden", sentence("files.not_changeable"), {
    cause: error,
  })
}
