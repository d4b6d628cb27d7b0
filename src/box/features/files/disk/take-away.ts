import { lstat, rename, unlink } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { closedInDataDirectory } from "../../../core/disk/refused-access.ts"
import { asidePrefix, moveToFreeName, syncDirectory } from "../../../core/files/durable-file.ts"
import { isOwnId } from "../../../core/ids.ts"
import { namesOf } from "../file-entry.ts"
import { ifAbsent, type NamedFile, type StoragePlace, type StoredFinder } from "./find-stored.ts"
import { fingerprint } from "./fingerprint.ts"
import { numberedNames } from "./numbered-names.ts"

/** Takes files out of the way, and then for good or not, so that what others save in their place is never lost. */
export function createTakingAway({ locate, find, fingerprintAt, requireName }: StoredFinder) {
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

  return {
    take,
    remove,

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
}

function asideOf(path: string, id: string): string {
  if (!isOwnId(id)) throw new Error("The id of a file can't be the name of one.")
  return join(dirname(path), asidePrefix + id)
}

/** Gives a file that is out of the way its name again, or a numbered one where that is taken. */
async function giveBack(aside: string, path: string): Promise<void> {
  for (const name of numberedNames(basename(path))) {
    try {
      return await moveToFreeName(aside, join(dirname(path), name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
  }
}

/** What somebody else saved isn't what was to be changed. */
export const changedMeanwhile = () => new AppError("conflict", sentence("files.changed_by_others"))

function asRefusal(error: NodeJS.ErrnoException): never {
  if (error.code === "ENOENT") throw changedMeanwhile()
  if (!["EACCES", "EPERM", "EROFS", "EBUSY"].includes(error.code ?? "")) throw error
  const closed = closedInDataDirectory(error)
  if (closed !== null) throw closed
  throw new AppError("forbidden", sentence("files.not_changeable"), {
    cause: error,
  })
}
