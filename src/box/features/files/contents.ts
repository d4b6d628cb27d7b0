import { lstat, readdir, rm } from "node:fs/promises"
import { basename, join } from "node:path"
import { storedPath } from "../../core/data-layout.ts"
import type { KeyedLock } from "../../core/waiting/locks.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { partialPrefix } from "../../core/files/durable-file.ts"
import { resolveInside } from "../../core/files/path-jail.ts"
import type { Trash } from "../../core/files/trash.ts"
import type { PassageIndex } from "../../engines/vectors/passage-index.ts"
import type { StoredFolders } from "./folder-places.ts"
import type { FileChanges, FileNews } from "./file-changes.ts"
import { createFollower, type Follower } from "./following/follower.ts"
import type { KnownDirectories, MountStore } from "./following/known-directories.ts"
import type { FileStore } from "./store.ts"
import type { UnfinishedChanges } from "./disk/unfinished-changes.ts"
import { ownPartialPrefix } from "./disk/uploads.ts"

export interface ContentsDeps {
  folders: StoredFolders
  dataDir: string
  /** Stays the same when the data directory is moved. Each box has a different one. */
  dataDirectoryId: string
  /** Whether the box's own folders have directories. If not, they aren't watched. */
  hasOwnDirectories: boolean
  store: FileStore
  mounts: MountStore
  directories: KnownDirectories
  lock: KeyedLock
  unfinished: Pick<UnfinishedChanges, "settleAll" | "settleReturned">
  logger: Logger
  trash: Trash
  /** Returns trash IDs of files that are being moved elsewhere. */
  moving(): Promise<string[]>
  /** Clears the recorded locations of files that are missing from the trash. */
  forgetLost: () => Promise<void>
  news: FileNews
  changes: FileChanges
  ingestion: { release(folderId: string): Promise<void> }
  index: Pick<PassageIndex, "removeFolder">
}

/** Operations on whole folders: following, releasing and clearing them. */
export interface Contents
  extends AsyncDisposable, Pick<Follower, "getAvailability" | "forgetMissing" | "rescan"> {
  /** Starts following the directories of all folders. */
  start(): Promise<void>
  follow(folderId: string): Promise<void>
  release(folderId: string): Promise<void>
  /** Removes all content of a released folder; files stored by the box are moved to the trash. */
  clear(folderId: string): Promise<void>
}

const dayMs = 24 * 3_600_000

/** Returns only folders that aren't the box's own. */
const excludeOwnFolders = (folders: Pick<StoredFolders, "active" | "find">): typeof folders => ({
  active: async () => (await folders.active()).filter(({ managed }) => !managed),
  async find(folderId) {
    const folder = await folders.find(folderId)
    return folder?.managed ? undefined : folder
  },
})

export function createContents(deps: ContentsDeps): Contents {
  const { folders, dataDir, dataDirectoryId, store, lock, logger, trash, news, changes, ingestion, index } =
    deps
  const { mounts, directories } = deps
  let purging: NodeJS.Timeout | undefined
  const follower = createFollower({
    folders: deps.hasOwnDirectories ? folders : excludeOwnFolders(folders),
    logger,
    directories,
    reconciling: {
      store,
      mounts,
      lock,
      onChanged: changes.changed,
      onReplaced: changes.removePassages,
      onRemoved: changes.removed,
    },
    beforeScan: deps.unfinished.settleReturned,
    onAvailability: news.folderChanged,
  })

  function purgeTrash(): void {
    deps
      .moving()
      .then((ids) => trash.purge(undefined, (id) => ids.includes(id)))
      .then(deps.forgetLost)
      .catch((error: unknown) => {
        logger.warn({ err: error }, "Removing items older than 30 days from the trash failed")
      })
  }

  /**
   * Removes partial files that a crash left in folders. Other boxes may be writing files into the users' directories, which may be slow;
   * their partial files have other names.
   */
  async function removeCutOff(started: number): Promise<void> {
    for (const { path, managed } of await folders.all()) {
      const prefix = managed ? partialPrefix : ownPartialPrefix(dataDirectoryId)
      const paths = await readdir(path, { recursive: managed }).catch(() => [])
      for (const partial of paths.filter((name) => basename(name).startsWith(prefix))) {
        // A second name of a file shares its modification time, so the change time is compared.
        const { ctimeMs } = await lstat(join(path, partial))
        if (ctimeMs < started) await rm(join(path, partial), { force: true })
      }
    }
  }

  return {
    async start() {
      removeCutOff(Date.now()).catch((error: unknown) => {
        logger.warn({ err: error }, "Removing leftovers of interrupted changes failed")
      })
      await deps.unfinished.settleAll()
      await follower.start()
      purgeTrash()
      purging = setInterval(purgeTrash, dayMs).unref()
    },
    follow: follower.follow,
    async release(folderId) {
      await follower.release(folderId)
      await ingestion.release(folderId)
    },
    getAvailability: follower.getAvailability,
    forgetMissing: follower.forgetMissing,
    rescan: follower.rescan,

    clear: (folderId) =>
      lock.run(folderId, async () => {
        const folder = await folders.find(folderId)
        if (folder?.managed)
          await resolveInside(dataDir, storedPath(dataDir, folder.path).split("/"))
            .then((path) => trash.moveDirectory(path))
            .catch((error: NodeJS.ErrnoException) => {
              if (error.code !== "ENOENT" && error.code !== "not_found") throw error
            })
        const fileIds = await store.idsInFolder(folderId)
        await store.remove(fileIds)
        news.changed([]) // no notification for each file: the folder is gone
        await index.removeFolder(folderId).catch((error: unknown) => {
          logger.warn({ err: error, folderId }, "Old passages remain in the search index until it is rebuilt")
        })
      }),

    async [Symbol.asyncDispose]() {
      clearInterval(purging)
      await follower[Symbol.asyncDispose]()
    },
  }
}
