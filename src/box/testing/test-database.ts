import { closeSync, openSync, writeSync } from "node:fs"
import SqliteDatabase from "better-sqlite3"
import type { KyselyPlugin } from "kysely"
import type { Database } from "../core/database/database.ts"
import { timestamp } from "../core/ids.ts"

/**
 * Overwrites pages of a table or index in a closed database, as a failing disk would. `chosen` selects them from all pages that contain
 * rows.
 */
export function damagePages(path: string, name: string, chosen: (pages: number[]) => number[]): void {
  const sqlite = new SqliteDatabase(path)
  sqlite.pragma("wal_checkpoint(TRUNCATE)")
  const pageSize = sqlite.pragma("page_size", { simple: true }) as number
  const pages = sqlite
    .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
    .pluck()
    .all(name) as number[]
  sqlite.close()
  const file = openSync(path, "r+")
  for (const page of chosen(pages))
    writeSync(file, Buffer.alloc(pageSize, 0xa5), 0, pageSize, (page - 1) * pageSize)
  closeSync(file)
}

/** Wraps a database and records the largest number of rows changed by one statement. */
export function watchWrites(db: Database): { db: Database; largest(): number } {
  let largest = 0
  const recorder: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      largest = Math.max(largest, Number(result.numAffectedRows ?? 0))
      return result
    },
  }
  return { db: db.withPlugin(recorder), largest: () => largest }
}

/** Stores the user "alice" and her folder "folder", created by the box, at this path. */
export async function addStoredFolder(db: Database, path: string): Promise<void> {
  const now = timestamp()
  await db
    .insertInto("users")
    .values({ id: "alice", email: "a@example.com", name: "", createdAt: now })
    .execute()
  const folder = { id: "folder", ownerId: "alice", path, managed: 1, device: null, chatId: null }
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
    .values({ ...folder, ...search, ...appearance, ...state })
    .execute()
}
