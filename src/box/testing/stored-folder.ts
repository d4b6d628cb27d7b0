import type { Database } from "../core/database/database.ts"
import { timestamp } from "../core/ids.ts"

/** Stores the user "alice" and her folder "folder", created by the box, at this path. */
export async function addStoredFolder(db: Database, path: string): Promise<void> {
  const now = timestamp()
  await db
    .insertInto("users")
    .values({ id: "alice", email: "a@example.com", name: "", createdAt: now })
    .execute()
  const place = { id: "folder", ownerId: "alice", path, managed: 1, device: null, chatId: null }
  const search = { topK: 8, filter: 0, strategy: "hybrid", pipeline: "full" } as const
  const appearance = {
    name: "",
    description: "",
    visibility: "PRIVATE",
    iconName: null,
    accentColor: null,
  } as const
  const state = { paused: 0, removed: 0, createdAt: now, updatedAt: now }
  await db
    .insertInto("folders")
    .values({ ...place, ...search, ...appearance, ...state })
    .execute()
}
