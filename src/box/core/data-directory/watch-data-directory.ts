import { type BigIntStats, closeSync, fstatSync, lstatSync, openSync, watch, type FSWatcher } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { persistentDirectories, managedFoldersPath, temporaryPath, uploadsPath } from "../data-layout.ts"
import type { Logger } from "../logging/logger.ts"
import { getStat, watchDatabase, type DatabaseLoss } from "./database-files.ts"

/** Location of the data directory that this process has opened. */
export interface DataDirectory extends Disposable {
  /** Whether its path still leads to it. */
  isInPlace(): boolean
  /**
   * @throws AppError `unavailable` if new data wouldn't be stored in the directory or its database, or only through a link or on another
   * drive
   */
  requireIntact(): void
  /**
   * Call it after the database is opened: from then on its files must stay the same until the box ends. Calls `lost` once, if a file was
   * overwritten, or was removed or replaced, so that no later start would find new data.
   */
  watchDatabase(path: string, isShared: boolean, onLost: (how: DatabaseLoss) => void): Disposable
}

const lossNews: Record<DatabaseLoss, string> = {
  removed:
    "A file of Casella's database was removed or replaced while Casella was running, so nothing more is stored. Restart Casella when everything is saved",
  overwritten:
    "A file of Casella's database was overwritten by another program while Casella was running, so nothing more is stored. Save what can still be read, restart Casella, and restore a backup if anything is missing",
}

/** Windows doesn't move a directory with an open file in it, and doesn't remove a file that SQLite has open. */
const unmovable: DataDirectory = {
  isInPlace: () => true,
  requireIntact: () => undefined,
  watchDatabase: () => ({ [Symbol.dispose]: () => undefined }),
  [Symbol.dispose]: () => undefined,
}

/**
 * Detects that the directory is moved, unmounted or replaced while it is in use. Files are written by path, but the database stays where it
 * was opened. Call it before anything is opened, with the path that is used to write files.
 */
export function watchDataDirectory(
  directory: string,
  directoryWatch: DirectoryPoller,
  logger: Logger,
): DataDirectory {
  if (process.platform === "win32") return unmovable
  const opened = openSync(directory, "r") // some file systems give a directory a new inode number when no process has it open
  const ownDevice = fstatSync(opened, { bigint: true }).dev
  const watched = [
    ...persistentDirectories.map((name) => join(directory, name)),
    uploadsPath(directory),
    temporaryPath(directory),
  ].map((path) => ({ path, device: getLstat(path)?.dev ?? ownDevice })) // drives that are already mounted are intentional
  let wasInPlace = true
  let knownLink: string | undefined
  let knownMount: string | undefined
  let hasDatabase = () => true
  let database: Disposable | undefined

  function isInPlace(): boolean {
    const [own, current] = [fstatSync(opened, { bigint: true }), getStat(directory)]
    const kept = typeof current === "object" && current.ino === own.ino && current.dev === own.dev
    if (kept !== wasInPlace) logChange(kept)
    wasInPlace = kept
    return kept
  }

  function logChange(kept: boolean): void {
    if (kept) logger.warn({ directory }, "The data directory is back in its location")
    else
      logger.error(
        { directory },
        "The data directory was moved or replaced while Casella was running, so nothing is stored any more. Move it back, or restart Casella with --data and the new location",
      )
  }

  /** Data that is written through a link would be stored in someone else's directory. */
  function hasNoLink(): boolean {
    // The uploads of a folder report their own problems, and the other folders keep working.
    const link = watched.find(
      ({ path }) => path !== managedFoldersPath(directory) && getLstat(path)?.isSymbolicLink(),
    )?.path
    if (link !== knownLink && link !== undefined)
      logger.error(
        { path: link },
        "A directory of Casella's data was replaced by a symbolic link while Casella was running, so nothing is stored. Put the directory back",
      )
    knownLink = link
    return link === undefined
  }

  /** Data on a drive that is mounted or unmounted in the meantime is lost when the previous state is restored. */
  function isOnSameDrives(): boolean {
    const mount = watched.find(({ path, device }) => (getLstat(path)?.dev ?? device) !== device)?.path
    if (mount !== knownMount && mount !== undefined)
      logger.error(
        { path: mount },
        "A directory of Casella's data is now on another drive, so nothing is stored. Mount or unmount the drive as before, or restart Casella to accept the change",
      )
    knownMount = mount
    return mount === undefined
  }

  const subscription = directoryWatch.on(
    () => isInPlace() && hasDatabase() && hasNoLink() && isOnSameDrives(),
  )
  return {
    isInPlace,
    requireIntact() {
      if (!isInPlace()) throw new AppError("unavailable", sentence("core.data_moved"))
      if (!hasDatabase()) throw new AppError("unavailable", sentence("core.database_replaced"))
      if (!hasNoLink()) throw new AppError("unavailable", sentence("core.directory_linked"))
      if (!isOnSameDrives()) throw new AppError("unavailable", sentence("core.directory_on_other_drive"))
    },
    watchDatabase(path, isShared, onLost) {
      const watch = watchDatabase(path, isShared)
      database = watch
      let isLost = false
      hasDatabase = () => {
        if (isLost) return false
        const loss = watch.findLoss()
        if (loss === undefined || !isInPlace()) return true // it was moved at this moment
        isLost = true
        logger.error({ path: loss.file }, lossNews[loss.how])
        onLost(loss.how)
        return false
      }
      return { [Symbol.dispose]: () => void (hasDatabase = () => !isLost) }
    },
    [Symbol.dispose]() {
      subscription[Symbol.dispose]()
      database?.[Symbol.dispose]()
      closeSync(opened)
    },
  }
}

function getLstat(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // requests that write there report the reason
  }
}

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
