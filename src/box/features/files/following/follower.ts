import type { Logger } from "../../../core/logging/logger.ts"
import type { FolderPlace, FolderPlaces } from "../folder-places.ts"
import { followFolder, type FollowedFolder } from "./followed-folder.ts"
import type { KnownDirectories } from "./known-directories.ts"
import { reconcile, type ReconcileDeps } from "./reconcile.ts"

/** Keeps the database in step with the directories of all folders that aren't paused. */
export interface Follower extends AsyncDisposable {
  /** Begins to follow every folder. */
  start(): Promise<void>
  follow(folderId: string): Promise<void>
  /** Settles when nothing works on the folder any more. */
  release(folderId: string): Promise<void>
  /** Whether the folder's directory is there with what it held, and how many files it lost if they are missed. */
  standing(folderId: string): FolderStanding
  /** Looks through the folder's directory soon, unless it does so now and then because it isn't available. */
  lookAgain(folderId: string): void
  /** Takes the files that are missed now for deleted. */
  forgetMissing(folderId: string): Promise<void>
}

export interface FolderStanding {
  available: boolean
  /** Files that the directory lost, too many at once to be taken for deleted. */
  missingCount: number
}

export interface FollowerDeps {
  folders: Pick<FolderPlaces, "active" | "find">
  logger: Logger
  reconciling: ReconcileDeps
  directories: KnownDirectories
  /** Called before a folder is looked through, once its directory is there. */
  beforeLook(folderId: string): Promise<void>
  /** What `standing` says of a folder has changed. */
  onAvailability(folderId: string): void
}

/** No watch tells of a drive that is mounted, or taken away, below a directory. */
const inPlaceEveryMs = 5_000

export function createFollower(deps: FollowerDeps): Follower {
  const { folders, logger, reconciling, directories, beforeLook, onAvailability } = deps
  const followed = new Map<string, FollowedFolder>()

  function begin(folder: FolderPlace, accepted = 0): void {
    if (followed.has(folder.id)) return
    const one = followFolder({
      folder,
      logger,
      accepted,
      directories,
      async reconcile(options, signal) {
        await beforeLook(folder.id)
        return reconcile(reconciling, folder, options, signal)
      },
      onAvailability: () => onAvailability(folder.id),
    })
    followed.set(folder.id, one)
    keepChecking()
  }

  async function follow(folderId: string, accepted = 0): Promise<void> {
    const folder = await folders.find(folderId)
    if (folder && !folder.paused) begin(folder, accepted)
  }

  async function release(folderId: string): Promise<void> {
    await followed.get(folderId)?.stop()
    followed.delete(folderId)
    keepChecking()
  }

  let checking = false
  let places: NodeJS.Timeout | undefined

  /** While there is any directory of somebody's own to check. */
  function keepChecking(): void {
    if ([...followed.values()].some(({ managed }) => !managed))
      places ??= setInterval(() => void checkPlaces(), inPlaceEveryMs).unref()
    else {
      clearInterval(places)
      places = undefined
    }
  }

  /** One after the other: each drive that hangs would hold a thread. */
  async function checkPlaces(): Promise<void> {
    if (checking) return
    checking = true
    for (const folder of followed.values()) await folder.checkPlace()
    checking = false
  }

  return {
    async start() {
      for (const folder of await folders.active()) begin(folder)
    },
    follow: (folderId) => follow(folderId),
    release,
    standing(folderId) {
      const { available = true, missing = 0 } = followed.get(folderId) ?? {}
      return { available, missingCount: missing }
    },
    lookAgain(folderId) {
      followed.get(folderId)?.lookAgain()
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
