import { mkdir, readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { linkOrCopy, syncDirectory } from "./durable-file.ts"
import { newId, timestamp } from "./ids.ts"

/** What the API deleted or replaced, kept for 30 days as `trash/<day>/<id>/<name>`. */
export interface Trash {
  /** Keeps a file's bytes; the file itself stays where it is until the caller removes or replaces it. */
  keep(path: string): Promise<void>
  /** Moves a whole directory that lies on the same file system. */
  moveDirectory(path: string): Promise<void>
  /** Deletes everything that isn't on its way into the trash at this moment. */
  empty(): Promise<void>
  /** Deletes what is older than 30 days. Answers how many days' worth it deleted. */
  purge(now?: number): Promise<number>
}

const keptMs = 30 * 24 * 3_600_000
const day = /^\d{4}-\d\d-\d\d$/

export function createTrash(directory: string): Trash {
  const filling = new Set<string>()

  async function fill(put: (place: string) => Promise<void>): Promise<void> {
    const id = newId()
    const path = join(directory, timestamp().slice(0, 10), id)
    filling.add(id)
    try {
      await mkdir(path, { recursive: true })
      await syncDirectory(dirname(path))
      await put(path)
    } finally {
      filling.delete(id)
    }
  }

  const names = (path: string) =>
    readdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return []
      throw error
    })

  return {
    keep: (path) => fill((place) => linkOrCopy(path, join(place, basename(path)))),

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

    async purge(now = Date.now()) {
      const oldest = timestamp(now - keptMs).slice(0, 10)
      const old = (await names(directory)).filter((name) => day.test(name) && name < oldest)
      for (const name of old) await rm(join(directory, name), { recursive: true, force: true })
      return old.length
    },
  }
}
