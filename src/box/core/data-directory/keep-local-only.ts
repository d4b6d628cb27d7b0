import SqliteDatabase from "better-sqlite3"
import { queryUntouched } from "./claim.ts"

/**
 * Turns local-only on in the database at `restored` if it is on in the one at `replaced`: a backup must not reconnect services that the
 * owner has disconnected. If the replaced database can't be read, local-only is assumed to be on.
 */
export function preserveLocalOnly(replaced: string, restored: string): void {
  if (!isLocalOnly(replaced)) return
  const sqlite = new SqliteDatabase(restored, { fileMustExist: true })
  try {
    sqlite.prepare("INSERT OR REPLACE INTO settings (key, value) VALUES ('localOnly', 'true')").run()
  } finally {
    sqlite.close()
  }
}

/** Returns false if there is no database. */
function isLocalOnly(path: string): boolean {
  try {
    const values = queryUntouched(path, "SELECT value FROM settings WHERE key = 'localOnly'") ?? []
    return values.some((value) => value !== "false") // in the same way as settings are read
  } catch {
    return true
  }
}
