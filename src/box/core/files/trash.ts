import { lstat, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { systemTimes, type AgeTimes } from "../age-clock.ts"
import { linkOrCopy, syncDirectory } from "./durable-file.ts"
import { isOwnId, newId, timestamp } from "../ids.ts"
import { linkTree } from "./link-tree.ts"
import { makeDirectoryInside } from "./path-jail.ts"

/** What the API deleted or replaced, kept for 30 days as `trash/<day>/<id>/<name>`. */
export interface Trash {
  /** Keeps a file's bytes; the file itself stays where it is until the caller removes or replaces it. */
  keep(path: string): Promise<Kept>
  /** What was kept earlier, by its `id`; null where it isn't in the trash any more. */
  find(id: string): Promise<TrashedFile | null>
  /** Ids of all that is in it; null while what lies there isn't the box's own. */
  ids(): Promise<ReadonlySet<string> | null>
  /** Moves a whole directory; its files are copied where they can't be linked. */
  moveDirectory(path: string): Promise<void>
  /** Deletes everything, or what is wanted by its id, that isn't on its way into or out of the trash at this moment. */
  empty(isWanted?: (id: string) => boolean): Promise<void>
  /**
   * Deletes what is older than 30 days, but for what is needed still; what is dated ahead counts from today. Answers how many
   * days' worth it deleted.
   */
  purge(now?: number, isNeeded?: (id: string) => boolean): Promise<number>
}

/** A file in the trash, which nobody empties of it until this is disposed of. */
export interface TrashedFile extends Disposable {
  readonly id: string
  /** Where its bytes are. */
  readonly path: string
  /** Takes it out of the trash, because it isn't deleted. */
  discard(): Promise<void>
}

/** A file that was just kept. */
export interface Kept extends TrashedFile {
  /**
   * Gives the bytes their place again, and leaves nothing in the trash; on the same file system this takes no room. They stay
   * in the trash when something else has the name by now.
   */
  putBack(): Promise<void>
}

const dayMs = 24 * 3_600_000
const keptMs = 30 * dayMs
const day = /^\d{4}-\d\d-\d\d$/

/** @param isKept whether what lies there is still the box's own */
export function createTrash(
  directory: string,
  times: AgeTimes = systemTimes,
  isKept: () => boolean = () => true,
): Trash {
  const filling = new Set<string>()
  /** What is being deleted, and can't be found any more. */
  const leaving = new Set<string>()
  const today = () => timestamp(times.latest()).slice(0, 10)

  /** Never makes what its own directory is in. */
  const makePlace = (...names: string[]) =>
    makeDirectoryInside(dirname(directory), [basename(directory), ...names])

  const days = async () => (await names(directory)).filter((name) => day.test(name))

  /** Until it is disposed of, nobody empties it. */
  function hold(id: string): Disposable {
    filling.add(id)
    return { [Symbol.dispose]: () => void filling.delete(id) }
  }

  /** A place for something, which is held. */
  async function openPlace(): Promise<{ id: string; path: string } & Disposable> {
    const id = newId()
    using stack = new DisposableStack()
    stack.use(hold(id))
    const path = await makePlace(today(), id)
    const held = stack.move()
    return { id, path, [Symbol.dispose]: () => held.dispose() }
  }

  async function remove(date: string, id: string): Promise<void> {
    leaving.add(id)
    try {
      await rm(join(directory, date, id), { recursive: true, force: true })
    } finally {
      leaving.delete(id)
    }
  }

  /** The clock was ahead when these came, unless it is behind now: then they may well be right. */
  async function redate(found: string[]): Promise<void> {
    const latest = times.latest()
    if (Date.now() < latest) return
    const tomorrow = timestamp(latest + dayMs).slice(0, 10)
    for (const date of found.filter((name) => name > tomorrow)) {
      const place = await makePlace(today())
      for (const id of await names(join(directory, date)))
        if (!filling.has(id)) await rename(join(directory, date, id), join(place, id))
    }
  }

  return {
    async keep(path) {
      using stack = new DisposableStack()
      const place = stack.use(await openPlace())
      const name = basename(path)
      await linkOrCopy(path, join(place.path, name))
      const file = trashed(place.id, place.path, name, stack.move())
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
    },

    async find(id) {
      if (leaving.has(id) || !isOwnId(id)) return null
      using stack = new DisposableStack()
      stack.use(hold(id))
      for (const date of await days()) {
        const place = join(directory, date, id)
        const [name] = await names(place)
        if (name === undefined || !(await lstat(join(place, name))).isFile()) continue
        return trashed(id, place, name, stack.move())
      }
      return null
    },

    async ids() {
      if (!isKept()) return null
      const found = await Promise.all((await days()).map((date) => names(join(directory, date))))
      return new Set(found.flat())
    },

    async moveDirectory(path) {
      using place = await openPlace()
      const target = join(place.path, basename(path))
      await moveTree(path, target)
    },

    async empty(isWanted = () => true) {
      for (const date of await days()) {
        for (const id of await names(join(directory, date)))
          if (!filling.has(id) && isWanted(id)) await remove(date, id)
      }
    },

    async purge(now = times.now(), isNeeded = () => false) {
      if (!isKept()) return 0
      const found = await days()
      await redate(found)
      const oldest = timestamp(now - keptMs).slice(0, 10)
      const old = found.filter((name) => name < oldest)
      for (const name of old) {
        const ids = await names(join(directory, name))
        const gone = ids.filter((id) => !isNeeded(id))
        if (gone.length === ids.length) await rm(join(directory, name), { recursive: true, force: true })
        else for (const id of gone) await remove(name, id)
      }
      return old.length
    },
  }
}

const trashed = (id: string, place: string, name: string, held: DisposableStack): TrashedFile => ({
  id,
  path: join(place, name),
  discard: () => rm(place, { recursive: true, force: true }),
  [Symbol.dispose]: () => held.dispose(),
})

/** Of what is in a directory; a link in its place leads to what isn't in the trash. */
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
    // Such as out of a bind mount, or what overlayfs has in a lower layer.
    if (error.code !== "EXDEV") throw error
    await linkTree(path, target)
    await rm(path, { recursive: true })
  })
  await syncDirectory(dirname(path))
}
