import { actualPath } from "../../core/data-layout.ts"
import type { Database } from "../../core/database.ts"
import type { Logger } from "../../core/logger.ts"
import { followFolder, type FollowedFolder } from "./followed-folder.ts"
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
  /** Takes the files that are missed now for deleted. */
  forgetMissing(folderId: string): Promise<void>
}

export interface FolderStanding {
  available: boolean
  /** Files that the directory lost, too many at once to be taken for deleted. */
  missingCount: number
}

export interface FollowerDeps {
  db: Database
  dataDir: string
  logger: Logger
  reconciling: ReconcileDeps
  /** What `standing` says of a folder has changed. */
  onAvailability(folderId: string): void
}

export function createFollower({ db, dataDir, logger, reconciling, onAvailability }: FollowerDeps): Follower {
  const followed = new Map<string, FollowedFolder>()
  const columns = ["id", "path", "managed", "device"] as const
  const active = () => db.selectFrom("folders").select(columns).where("paused", "=", 0)

  interface Row {
    id: string
    path: string
    managed: number
    device: string | null
  }

  function begin(row: Row, accepted = 0): void {
    if (followed.has(row.id)) return
    const folder = { ...row, path: actualPath(dataDir, row.path), managed: row.managed === 1 }
    const one = followFolder({
      folder,
      logger,
      accepted,
      reconcile: (options, signal) => reconcile(reconciling, folder, options, signal),
      onAvailability: () => onAvailability(row.id),
      async rememberDevice(device) {
        await db.updateTable("folders").set({ device }).where("id", "=", row.id).execute()
      },
    })
    followed.set(row.id, one)
  }

  async function follow(folderId: string, accepted = 0): Promise<void> {
    const row = await active().where("id", "=", folderId).executeTakeFirst()
    if (row) begin(row, accepted)
  }

  async function release(folderId: string): Promise<void> {
    await followed.get(folderId)?.stop()
    followed.delete(folderId)
  }

  return {
    async start() {
      for (const row of await active().execute()) begin(row)
    },
    follow: (folderId) => follow(folderId),
    release,
    standing(folderId) {
      const { available = true, missing = 0 } = followed.get(folderId) ?? {}
      return { available, missingCount: missing }
    },
    async forgetMissing(folderId) {
      const { missing = 0 } = followed.get(folderId) ?? {}
      if (missing === 0) return
      await release(folderId)
      await follow(folderId, missing)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...followed.values()].map((folder) => folder.stop()))
    },
  }
}
