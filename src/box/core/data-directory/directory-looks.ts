import { watch, type FSWatcher } from "node:fs"

/** Calls back now and then, and soon where anybody has written to a file right in the directory, or moved it. */
export interface DirectoryLooks extends Disposable {
  /** Adds what is to be called; returns how to stop. Whatever it throws ends the process. */
  on(look: () => void): Disposable
}

/** How soon after a change is looked, and how often until the directory has come to rest. */
const soonMs = 400
/**
 * Looks without a change in between after which the directory is at rest: 5 s. SQLite tells the system of a commit when it writes
 * it, and others see it only once the disk has it.
 */
const restingLooks = 12
/** How often is looked at rest: who moves a directory above, or mounts a drive, changes nothing in this one. */
const restMs = 60_000
/** Elsewhere the system tells of what is written to an open file only once that is closed, if at all. */
const tellsOfWrites = process.platform === "linux"

/**
 * Where the system can't tell of changes, each of them is looked for as soon as if there had been one just now.
 *
 * @param directory the database's: it needs no watch on files that are removed and exchanged
 */
export function lookAtDirectory(directory: string, open: typeof watch = watch): DirectoryLooks {
  const looks = new Set<() => void>()
  let watcher: FSWatcher | undefined
  let quietLooks = 0
  let soon: NodeJS.Timeout | undefined

  /** The first change says enough: a watch that stayed open would cost the box something for each page that it writes. */
  function changed(): void {
    watcher?.close()
    watcher = undefined
    quietLooks = 0
    soon ??= setInterval(lookSoon, soonMs).unref()
  }

  function listen(): void {
    if (watcher || !tellsOfWrites) return
    try {
      watcher = open(directory, { persistent: false }, changed).on("error", changed)
    } catch {
      // it isn't there, or the system has no watches left
    }
  }

  function lookSoon(): void {
    listen() // first, so that what comes while somebody looks isn't missed
    lookNow()
    if (watcher && ++quietLooks >= restingLooks) {
      clearInterval(soon)
      soon = undefined
    }
  }

  function lookNow(): void {
    for (const look of looks) look()
  }

  changed()
  const rest = setInterval(lookNow, restMs).unref()
  return {
    on(look) {
      looks.add(look)
      return { [Symbol.dispose]: () => void looks.delete(look) }
    },
    [Symbol.dispose]() {
      clearInterval(soon)
      clearInterval(rest)
      watcher?.close()
      looks.clear()
    },
  }
}
