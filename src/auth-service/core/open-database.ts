import type { OpenDatabase } from "./database.ts"
import { openPostgres } from "./postgres.ts"
import { openSqlite } from "./sqlite.ts"

/** How long a statement waits for other writers before the request is refused with `RETRY_REQUEST`. */
const lockTimeoutMs = 2_000

/**
 * Opens the SQLite database of a data directory, or the PostgreSQL database at a URL, and migrates it to the newest schema.
 * @throws DatabaseUnusable, or the driver's error if the database can't be reached.
 */
export function openDatabase(dataDir: string, databaseUrl: string | null): Promise<OpenDatabase> {
  return databaseUrl === null ? openSqlite(dataDir, lockTimeoutMs) : openPostgres(databaseUrl, lockTimeoutMs)
}
