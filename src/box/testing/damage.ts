import { closeSync, openSync, writeSync } from "node:fs"
import SqliteDatabase from "better-sqlite3"

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
