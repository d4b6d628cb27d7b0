import type { Logger } from "../../../core/logging/logger.ts"
import type { StoredFolder, StoredFolders } from "../folder-places.ts"
import { followFolder, type FollowedFolder } from "./followed-folder.ts"
import type { KnownDirectories } from "./known-directories.ts"
import { reconcile, type ReconcileDeps } from "./reconcile.ts"

/** Keeps the database in sync with the directories of all folders that aren't paused. */
export interface Follower extends AsyncDisposable {
  /** Starts following every folder. */
  start(): Promise<void>
  follow(folderId: string): Promise<void>
  /** Settles when all work on the folder has stopped. */
  release(folderId: string): Promise<void>
  /** Returns whether the folder's directory is available with its content, and how many of its files are missing. */
  getAvailability(folderId: string): FolderAvailability
  /** Schedules a scan of the folder's directory, unless it is unavailable and therefore scanned periodically. */
  rescan(folderId: string): void
  /** Treats the currently missing files as deleted. */
  forgetMissing(folderId: string): Promise<void>
}

export interface FolderAvailability {
  available: boolean
  /** Number of missing files, if they are too many at once to be treated as deleted. */
  missingCount: number
}

export interface FollowerDeps {
  folders: Pick<StoredFolders, "active" | "find">
  logger: Logger
  reconciling: ReconcileDeps
  directories: KnownDirectories
  /** Called before a folder is scanned, after its directory became available. */
  beforeScan(folderId: string): Promise<void>
  /** Called when the result of `standing` has changed for a folder. */
  onAvailability(folderId: string): void
}

/** A watch doesn't report drives that are mounted or removed below a directory. */
const directoryCheckIntervalMs = 5_000

export function createFollower(deps: FollowerDeps): Follower {
  const { folders, logger, reconciling, directories, beforeScan, onAvailability } = deps
  const followed = new Map<string, FollowedFolder>()

  function begin(folder: StoredFolder, accepted = 0): void {
    if (followed.has(folder.id)) return
    const one = followFolder({
      folder,
      logger,
      accepted,
      directories,
      async reconcile(options, signal) {
        await beforeScan(folder.id)
        return reconcile(reconciling, folder, options, signal)
      },
      onAvailability: () => onAvailability(folder.id),
    })
    followed.set(folder.id, one)
    scheduleChecks()
  }

  async function follow(folderId: string, accepted = 0): Promise<void> {
    const folder = await folders.find(folderId)
    if (folder && !folder.paused) begin(folder, accepted)
  }

  async function release(folderId: string): Promise<void> {
    await followed.get(folderId)?.stop()
    followed.delete(folderId)
    scheduleChecks()
  }

  let checking = false
  let places: NodeJS.Timeout | undefined

  /** Keeps checking while any followed directory belongs to a user. */
  function scheduleChecks(): void {
    if ([...followed.values()].some(({ managed }) => !managed))
      places ??= setInterval(() => void checkDirectories(), directoryCheckIntervalMs).unref()
    else {
      clearInterval(places)
      places = undefined
    }
  }

  /** One after another, because each drive that hangs blocks a thread. */
  async function checkDirectories(): Promise<void> {
    if (checking) return
    checking = true
    for (const folder of followed.values()) await folder.checkDirectory()
    checking = false
  }

  return {
    async start() {
      for (const folder of await folders.active()) begin(folder)
    },
    follow: (folderId) => follow(folderId),
    release,
    getAvailability(folderId) {
      const { available = true, missing = 0 } = followed.get(folderId) ?? {}
      return { available, missingCount: missing }
    },
    rescan(folderId) {
      followed.get(folderId)?.rescan()
    },
    async forgetMissing(folderId) {
      const { missing = 0 } = followed.get(folderId) ?? {}
      if (missing === 0) return
      await release(folderId)
      await follow(folderId, missing)
    },
    async [Symbol.asyncDispose]() {
      clearInterval(places)
      await Promise.all([...followed.values()].map((folder) => folder.stop()))
    },
  }
}
