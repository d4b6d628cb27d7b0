import { lstat, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { systemTimes, type AgeTimes } from "../age-clock.ts"
import { linkOrCopy, syncDirectory, linkTree } from "./durable-file.ts"
import { isOwnId, newId, timestamp } from "../ids.ts"
import { makeDirectoryInside } from "./path-jail.ts"

/** Files that the API deleted or replaced, kept for 30 days as `trash/<day>/<id>/<name>`. */
export interface Trash {
  /** Keeps a file's bytes; the file itself stays in place until the caller removes or replaces it. */
  keep(path: string): Promise<NewlyTrashedFile>
  /** Returns a file that was kept earlier, by its `id`; null if it isn't in the trash any more. */
  find(id: string): Promise<TrashedFile | null>
  /** Returns the IDs of everything in the trash; null while the directory doesn't belong to the box. */
  ids(): Promise<ReadonlySet<string> | null>
  /** Moves a whole directory; its files are copied if they can't be linked. */
  moveDirectory(path: string): Promise<void>
  /**
   * Deletes everything, or the items that `choose` returns, except items that are being moved into or out of the trash. `choose` is called
   * after these are left out, so that it can look up what the others are needed for.
   */
  empty(choose?: (ids: readonly string[]) => readonly string[] | Promise<readonly string[]>): Promise<void>
  /**
   * Deletes items that are older than 30 days and not needed any more; an item with a future date is treated as today's. Returns the number
   * of days that were deleted.
   */
  purge(now?: number, isNeeded?: (id: string) => boolean): Promise<number>
}

/** A file in the trash, which can't be deleted from it until this is disposed of. */
export interface TrashedFile extends Disposable {
  readonly id: string
  /** Path of its bytes. */
  readonly path: string
  /** Removes it from the trash, because the file isn't deleted after all. */
  discard(): Promise<void>
}

/** A file that was just moved to the trash. */
export interface NewlyTrashedFile extends TrashedFile {
  /**
   * Restores the file at its original path and leaves nothing in the trash; on the same file system this needs no space. The bytes stay in
   * the trash if another file has the name.
   */
  putBack(): Promise<void>
}

const dayMs = 24 * 3_600_000
const retentionMs = 30 * dayMs
const day = /^\d{4}-\d\d-\d\d$/

/** @param isInPlace whether the directory still belongs to the box */
export const createTrash = (
  directory: string,
  times: AgeTimes = systemTimes,
  isInPlace: () => boolean = () => true,
): Trash => new TrashDirectory(directory, times, isInPlace)

class TrashDirectory implements Trash {
  readonly #directory: string
  readonly #times: AgeTimes
  readonly #isInPlace: () => boolean
  readonly #protectedIds = new Set<string>()
  /** IDs that are being deleted, and can't be found any more. */
  readonly #removingIds = new Set<string>()

  constructor(directory: string, times: AgeTimes = systemTimes, isInPlace: () => boolean = () => true) {
    this.#directory = directory
    this.#times = times
    this.#isInPlace = isInPlace
  }

  async keep(path: string): Promise<NewlyTrashedFile> {
    using stack = new DisposableStack()
    const trashDirectory = stack.use(await this.#openTrashDirectory())
    const name = basename(path)
    await linkOrCopy(path, join(trashDirectory.path, name))
    const file = toTrashedFile(trashDirectory.id, trashDirectory.path, name, stack.move())
    return {
      ...file,
      async putBack() {
        try {
          await linkOrCopy(file.path, path)
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "EEXIST") return
          throw error
        }
        await file.discard()
      },
    }
  }

  /** Creates a protected directory for a new item. */
  async #openTrashDirectory(): Promise<{ id: string; path: string } & Disposable> {
    const id = newId()
    using stack = new DisposableStack()
    stack.use(this.#hold(id))
    const path = await this.#makeDirectory(this.#today(), id)
    const held = stack.move()
    return { id, path, [Symbol.dispose]: () => held.dispose() }
  }

  /** Protects an item from deletion until this is disposed of. */
  #hold(id: string): Disposable {
    this.#protectedIds.add(id)
    return { [Symbol.dispose]: () => void this.#protectedIds.delete(id) }
  }

  /** Never creates the parent of the trash directory. */
  #makeDirectory(...names: string[]) {
    return makeDirectoryInside(dirname(this.#directory), [basename(this.#directory), ...names])
  }

  #today() {
    return timestamp(this.#times.latest()).slice(0, 10)
  }

  async find(id: string): Promise<TrashedFile | null> {
    if (this.#removingIds.has(id) || !isOwnId(id)) return null
    using stack = new DisposableStack()
    stack.use(this.#hold(id))
    for (const date of await this.#days()) {
      const trashDirectory = join(this.#directory, date, id)
      const [name] = await names(trashDirectory)
      if (name === undefined || !(await lstat(join(trashDirectory, name))).isFile()) continue
      return toTrashedFile(id, trashDirectory, name, stack.move())
    }
    return null
  }

  async #days() {
    return (await names(this.#directory)).filter((name) => day.test(name))
  }

  async ids(): Promise<ReadonlySet<string> | null> {
    if (!this.#isInPlace()) return null
    const found = await Promise.all((await this.#days()).map((date) => names(join(this.#directory, date))))
    return new Set(found.flat())
  }

  async moveDirectory(path: string): Promise<void> {
    using trashDirectory = await this.#openTrashDirectory()
    const target = join(trashDirectory.path, basename(path))
    await moveTree(path, target)
  }

  async empty(
    choose: (ids: readonly string[]) => readonly string[] | Promise<readonly string[]> = (ids) => ids,
  ): Promise<void> {
    const isFree = (id: string) => !this.#protectedIds.has(id)
    for (const date of await this.#days()) {
      const free = (await names(join(this.#directory, date))).filter(isFree)
      for (const id of await choose(free)) if (isFree(id)) await this.#remove(date, id)
    }
  }

  async #remove(date: string, id: string): Promise<void> {
    this.#removingIds.add(id)
    try {
      await rm(join(this.#directory, date, id), { recursive: true, force: true })
    } finally {
      this.#removingIds.delete(id)
    }
  }

  async purge(now = this.#times.now(), isNeeded: (id: string) => boolean = () => false): Promise<number> {
    if (!this.#isInPlace()) return 0
    const found = await this.#days()
    await this.#redate(found)
    const oldest = timestamp(now - retentionMs).slice(0, 10)
    const old = found.filter((name) => name < oldest)
    for (const name of old) {
      const ids = await names(join(this.#directory, name))
      const gone = ids.filter((id) => !isNeeded(id))
      if (gone.length === ids.length) await rm(join(this.#directory, name), { recursive: true, force: true })
      else for (const id of gone) await this.#remove(name, id)
    }
    return old.length
  }

  /** Corrects future dates, which come from a clock that was ahead. If the clock is behind now, the dates may be right, so they stay. */
  async #redate(found: string[]): Promise<void> {
    const latest = this.#times.latest()
    if (Date.now() < latest) return
    const tomorrow = timestamp(latest + dayMs).slice(0, 10)
    for (const date of found.filter((name) => name > tomorrow)) {
      const trashDirectory = await this.#makeDirectory(this.#today())
      for (const id of await names(join(this.#directory, date)))
        if (!this.#protectedIds.has(id))
          await rename(join(this.#directory, date, id), join(trashDirectory, id))
    }
  }
}

const toTrashedFile = (
  id: string,
  trashDirectory: string,
  name: string,
  held: DisposableStack,
): TrashedFile => ({
  id,
  path: join(trashDirectory, name),
  discard: () => rm(trashDirectory, { recursive: true, force: true }),
  [Symbol.dispose]: () => held.dispose(),
})

/** Returns the names in a directory; nothing for a link, because its target isn't in the trash. */
async function names(path: string): Promise<string[]> {
  try {
    return (await lstat(path)).isDirectory() ? await readdir(path) : []
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
}

async function moveTree(path: string, target: string): Promise<void> {
  await rename(path, target).catch(async (error: NodeJS.ErrnoException) => {
    // For example when moving out of a bind mount, or from a lower layer of overlayfs.
    if (error.code !== "EXDEV") throw error
    await linkTree(path, target)
    await rm(path, { recursive: true })
  })
  await syncDirectory(dirname(path))
}
