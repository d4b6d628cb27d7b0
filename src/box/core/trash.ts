import { mkdir, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { linkOrCopy, replaceDurably, syncDirectory } from "./durable-file.ts"
import { newId, timestamp } from "./ids.ts"

/** What the API deleted or replaced, kept for 30 days as `trash/<day>/<id>/<name>`. */
export interface Trash {
  /** Keeps a file's bytes; the file itself stays where it is until the caller removes or replaces it. */
  keep(path: string): Promise<Kept>
  /** Moves a whole directory that lies on the same file system. */
  moveDirectory(path: string): Promise<void>
  /** Deletes everything that isn't on its way into the trash at this moment. */
  empty(): Promise<void>
  /** Deletes what is older than 30 days; what is dated ahead counts from today. Answers how many days' worth it deleted. */
  purge(now?: number): Promise<number>
}

/** A file in the trash. */
export interface Kept {
  /** Gives the bytes their place again, over whatever is there; on the same file system this takes no room. */
  putBack(): Promise<void>
}

const dayMs = 24 * 3_600_000
const keptMs = 30 * dayMs
const day = /^\d{4}-\d\d-\d\d$/

/** @param ageNow what counts as now for how old something is */
export function createTrash(directory: string, ageNow = Date.now): Trash {
  const filling = new Set<string>()

  async function fill(put: (place: string) => Promise<void>): Promise<string> {
    const id = newId()
    const path = join(directory, timestamp().slice(0, 10), id)
    filling.add(id)
    try {
      await mkdir(path, { recursive: true })
      await syncDirectory(dirname(path))
      await put(path)
      return path
    } finally {
      filling.delete(id)
    }
  }

  const names = (path: string) =>
    readdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return []
      throw error
    })

  /** The clock was ahead when these came. */
  async function redate(date: string): Promise<void> {
    const today = join(directory, timestamp().slice(0, 10))
    await mkdir(today, { recursive: true })
    for (const id of await names(join(directory, date)))
      if (!filling.has(id)) await rename(join(directory, date, id), join(today, id))
  }

  return {
    async keep(path) {
      const place = await fill((place) => linkOrCopy(path, join(place, basename(path))))
      return { putBack: () => replaceDurably(join(place, basename(path)), path) }
    },

    async moveDirectory(path) {
      await fill((place) => rename(path, join(place, basename(path))))
      await syncDirectory(dirname(path))
    },

    async empty() {
      for (const date of (await names(directory)).filter((name) => day.test(name))) {
        for (const id of await names(join(directory, date)))
          if (!filling.has(id)) await rm(join(directory, date, id), { recursive: true, force: true })
      }
    },

    async purge(now = ageNow()) {
      const days = (await names(directory)).filter((name) => day.test(name))
      const tomorrow = timestamp(Date.now() + dayMs).slice(0, 10)
      for (const name of days) if (name > tomorrow) await redate(name)
      const oldest = timestamp(now - keptMs).slice(0, 10)
      const old = days.filter((name) => name < oldest)
      for (const name of old) await rm(join(directory, name), { recursive: true, force: true })
      return old.length
    },
  }
}
