import { type BigIntStats, closeSync, fstatSync, lstatSync, openSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { keptDirectories, managedFoldersPath, temporaryPath, uploadsPath } from "../data-layout.ts"
import type { Logger } from "../logging/logger.ts"
import type { DirectoryLooks } from "./directory-looks.ts"
import { statOf } from "./stat-of.ts"
import { watchDatabase, type DatabaseLoss } from "./watch-database.ts"

/** Location of the data directory that this process has opened. */
export interface Place extends Disposable {
  /** Whether its path still leads to it. */
  isKept(): boolean
  /**
   * @throws AppError `unavailable` if new data wouldn't be stored in the directory or its database, or only through a link or on another
   * drive
   */
  requireKept(): void
  /**
   * Call it after the database is opened: from then on its files must stay the same until the box ends. Calls `lost` once, if a file was
   * overwritten, or was removed or replaced, so that no later start would find new data.
   */
  watchDatabase(path: string, isShared: boolean, lost: (how: DatabaseLoss) => void): Disposable
}

const lossNews: Record<DatabaseLoss, string> = {
  removed:
    "A file of Casella's database was removed or replaced while Casella runs, so nothing more is stored. Restart Casella once all is saved",
  overwritten:
    "A file of Casella's database was written over by another program while Casella runs, so nothing more is stored. Restart Casella once what can be read is saved, and restore a backup if anything is missing then",
}

/** Windows doesn't move a directory with an open file in it, and doesn't remove a file that SQLite has open. */
const unmovable: Place = {
  isKept: () => true,
  requireKept: () => undefined,
  watchDatabase: () => ({ [Symbol.dispose]: () => undefined }),
  [Symbol.dispose]: () => undefined,
}

/**
 * Detects that the directory is moved, unmounted or replaced while it is in use. Files are written by path, but the database stays where it
 * was opened. Call it before anything is opened, with the path that is used to write files.
 */
export function watchPlace(directory: string, looks: DirectoryLooks, logger: Logger): Place {
  if (process.platform === "win32") return unmovable
  const opened = openSync(directory, "r") // some file systems give a directory a new inode number when no process has it open
  const ownDevice = fstatSync(opened, { bigint: true }).dev
  const watched = [
    ...keptDirectories.map((name) => join(directory, name)),
    uploadsPath(directory),
    temporaryPath(directory),
  ].map((path) => ({ path, device: lstatOf(path)?.dev ?? ownDevice })) // drives that are already mounted are intentional
  let wasKept = true
  let knownLink: string | undefined
  let knownMount: string | undefined
  let hasDatabase = () => true
  let database: Disposable | undefined

  function isKept(): boolean {
    const [own, there] = [fstatSync(opened, { bigint: true }), statOf(directory)]
    const kept = typeof there === "object" && there.ino === own.ino && there.dev === own.dev
    if (kept !== wasKept) tell(kept)
    wasKept = kept
    return kept
  }

  function tell(kept: boolean): void {
    if (kept) logger.warn({ directory }, "The data directory is back in its place")
    else
      logger.error(
        { directory },
        "The data directory was moved or replaced while Casella runs, so nothing is stored any more. Move it back, or stop Casella and start it with --data and the new place",
      )
  }

  /** Data that is written through a link would be stored in someone else's directory. */
  function hasNoLink(): boolean {
    // The uploads of a folder report their own problems, and the other folders keep working.
    const link = watched.find(
      ({ path }) => path !== managedFoldersPath(directory) && lstatOf(path)?.isSymbolicLink(),
    )?.path
    if (link !== knownLink && link !== undefined)
      logger.error(
        { path: link },
        "A directory of Casella's data was replaced by a symbolic link while Casella runs, so nothing is stored. Put the directory back in its place",
      )
    knownLink = link
    return link === undefined
  }

  /** Data on a drive that is mounted or unmounted in the meantime is lost when the previous state is restored. */
  function isOnSameDrives(): boolean {
    const mount = watched.find(({ path, device }) => (lstatOf(path)?.dev ?? device) !== device)?.path
    if (mount !== knownMount && mount !== undefined)
      logger.error(
        { path: mount },
        "A directory of Casella's data has come to lie on another drive while Casella runs, so nothing is stored. Mount or unmount the drive, so that it is as before, or restart Casella if it is to stay so",
      )
    knownMount = mount
    return mount === undefined
  }

  const looking = looks.on(() => isKept() && hasDatabase() && hasNoLink() && isOnSameDrives())
  return {
    isKept,
    requireKept() {
      if (!isKept()) throw new AppError("unavailable", sentence("core.data_moved"))
      if (!hasDatabase()) throw new AppError("unavailable", sentence("core.database_replaced"))
      if (!hasNoLink()) throw new AppError("unavailable", sentence("core.directory_linked"))
      if (!isOnSameDrives()) throw new AppError("unavailable", sentence("core.directory_on_other_drive"))
    },
    watchDatabase(path, isShared, lost) {
      const watch = watchDatabase(path, isShared)
      database = watch
      let isLost = false
      hasDatabase = () => {
        if (isLost) return false
        const loss = watch.findLoss()
        if (loss === undefined || !isKept()) return true // it was moved at this moment
        isLost = true
        logger.error({ path: loss.file }, lossNews[loss.how])
        lost(loss.how)
        return false
      }
      return { [Symbol.dispose]: () => void (hasDatabase = () => !isLost) }
    },
    [Symbol.dispose]() {
      looking[Symbol.dispose]()
      database?.[Symbol.dispose]()
      closeSync(opened)
    },
  }
}

function lstatOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // requests that write there report the reason
  }
}
