import { watch, type FSWatcher } from "node:fs"

/** Calls back periodically, and soon after someone has written to a file directly in the directory, or moved it. */
export interface DirectoryPoller extends Disposable {
  /** Adds a callback and returns how to remove it. An error that the callback throws ends the process. */
  on(listener: () => void): Disposable
}

/** Delay of the check after a change, and the interval until the directory is idle. */
const soonMs = 400
/**
 * Checks without a change after which the directory is idle: 5 s. The system reports a commit when SQLite writes it, but other processes
 * see it only after it is on the disk.
 */
const maxIdleChecks = 12
/** Interval of checks while idle: moving a parent directory or mounting a drive changes nothing in this one. */
const restMs = 60_000
/** Other systems report writes to an open file only after it is closed, if at all. */
const reportsOpenWrites = process.platform === "linux"

/**
 * If the system can't report changes, checks stay as frequent as after a change.
 *
 * @param directory of the database: files in it that are removed and replaced need no separate watch
 */
export function watchDirectory(directory: string, open: typeof watch = watch): DirectoryPoller {
  const listeners = new Set<() => void>()
  let watcher: FSWatcher | undefined
  let idleChecks = 0
  let soon: NodeJS.Timeout | undefined

  /** The first change is enough: an open watch would cost the box time for each page that it writes. */
  function changed(): void {
    watcher?.close()
    watcher = undefined
    idleChecks = 0
    soon ??= setInterval(checkSoon, soonMs).unref()
  }

  function listen(): void {
    if (watcher || !reportsOpenWrites) return
    try {
      watcher = open(directory, { persistent: false }, changed).on("error", changed)
    } catch {
      // the directory is missing, or the system has no watches left
    }
  }

  function checkSoon(): void {
    listen() // first, so that changes during the check aren't missed
    runChecks()
    if (watcher && ++idleChecks >= maxIdleChecks) {
      clearInterval(soon)
      soon = undefined
    }
  }

  function runChecks(): void {
    for (const listener of listeners) listener()
  }

  changed()
  const rest = setInterval(runChecks, restMs).unref()
  return {
    on(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    [Symbol.dispose]() {
      clearInterval(soon)
      clearInterval(rest)
      watcher?.close()
      listeners.clear()
    },
  }
}
