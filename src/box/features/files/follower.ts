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
  isAvailable(folderId: string): boolean
}

export interface FollowerDeps {
  db: Database
  logger: Logger
  reconciling: ReconcileDeps
  /** A folder's directory has vanished or come back. */
  onAvailability(folderId: string): void
}

export function createFollower({ db, logger, reconciling, onAvailability }: FollowerDeps): Follower {
  const followed = new Map<string, FollowedFolder>()
  const columns = ["id", "path", "managed", "device"] as const
  const active = () => db.selectFrom("folders").select(columns).where("paused", "=", 0)

  function begin(row: { id: string; path: string; managed: number; device: string | null }): void {
    if (followed.has(row.id)) return
    const folder = { ...row, managed: row.managed === 1 }
    const one = followFolder({
      folder,
      logger,
      reconcile: (paths, signal) => reconcile(reconciling, folder, paths, signal),
      onAvailability: () => onAvailability(row.id),
      async rememberDevice(device) {
        await db.updateTable("folders").set({ device }).where("id", "=", row.id).execute()
      },
    })
    followed.set(row.id, one)
  }

  return {
    async start() {
      for (const row of await active().execute()) begin(row)
    },
    async follow(folderId) {
      const row = await active().where("id", "=", folderId).executeTakeFirst()
      if (row) begin(row)
    },
    async release(folderId) {
      await followed.get(folderId)?.stop()
      followed.delete(folderId)
    },
    isAvailable: (folderId) => followed.get(folderId)?.available ?? true,
    async [Symbol.asyncDispose]() {
      await Promise.all([...followed.values()].map((folder) => folder.stop()))
    },
  }
}
