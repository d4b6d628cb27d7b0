import SqliteDatabase from "better-sqlite3"
import { queryUntouched } from "./own-database.ts"

/**
 * Switches local-only on in the database at `restored` if it is on in the one at `replaced`: a backup must not connect what its owner has
 * disconnected. A replaced database that can't be read counts as one in which it is on.
 */
export function keepLocalOnly(replaced: string, restored: string): void {
  if (!isLocalOnly(replaced)) return
  const sqlite = new SqliteDatabase(restored, { fileMustExist: true })
  try {
    sqlite.prepare("INSERT OR REPLACE INTO settings (key, value) VALUES ('localOnly', 'true')").run()
  } finally {
    sqlite.close()
  }
}

/** False where there is no database. */
function isLocalOnly(path: string): boolean {
  try {
    const values = queryUntouched(path, "SELECT value FROM settings WHERE key = 'localOnly'") ?? []
    return values.some((value) => value !== "false") // as settings are read
  } catch {
    return true
  }
}
