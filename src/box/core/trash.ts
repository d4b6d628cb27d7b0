import { mkdir, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { systemTimes, type AgeTimes } from "./age-clock.ts"
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

export function createTrash(directory: string, times: AgeTimes = systemTimes): Trash {
  const filling = new Set<string>()
  const today = () => timestamp(times.latest()).slice(0, 10)

  async function fill(put: (place: string) => Promise<void>): Promise<string> {
    const id = newId()
    const path = join(directory, today(), id)
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

  /** The clock was ahead when these came, unless it is behind now: then they may well be right. */
  async function redate(days: string[]): Promise<void> {
    const latest = times.latest()
    if (Date.now() < latest) return
    const tomorrow = timestamp(latest + dayMs).slice(0, 10)
    for (const date of days.filter((name) => name > tomorrow)) {
      const place = join(directory, today())
      await mkdir(place, { recursive: true })
      for (const id of await names(join(directory, date)))
        if (!filling.has(id)) await rename(join(directory, date, id), join(place, id))
    }
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

    async purge(now = times.now()) {
      const days = (await names(directory)).filter((name) => day.test(name))
      await redate(days)
      const oldest = timestamp(now - keptMs).slice(0, 10)
      const old = days.filter((name) => name < oldest)
      for (const name of old) await rm(join(directory, name), { recursive: true, force: true })
      return old.length
    },
  }
}
