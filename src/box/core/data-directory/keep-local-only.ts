import { existsSync, rmSync, statSync } from "node:fs"
import SqliteDatabase from "better-sqlite3"

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
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return false
  const journals = [`${path}-wal`, `${path}-shm`].filter((journal) => !existsSync(journal))
  try {
    const sqlite = new SqliteDatabase(path, { readonly: true, fileMustExist: true })
    try {
      const value = sqlite.prepare("SELECT value FROM settings WHERE key = 'localOnly'").pluck().get()
      return value !== undefined && value !== "false" // as settings are read
    } finally {
      sqlite.close()
      for (const journal of journals) rmSync(journal, { force: true }) // SQLite makes them also for reading
    }
  } catch {
    return true
  }
}
