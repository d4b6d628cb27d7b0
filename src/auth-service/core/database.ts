import type { Kysely, Transaction } from "kysely"
import type { DatabaseSchema } from "./database-schema.ts"
import { openPostgres } from "./postgres.ts"
import { openSqlite } from "./sqlite.ts"

export type Database = Kysely<DatabaseSchema>
export type DatabaseTransaction = Transaction<DatabaseSchema>

export interface OpenDatabase extends AsyncDisposable {
  readonly db: Database
  readonly type: "sqlite" | "postgres"
}

/** How long a statement waits for other writers before the request is refused with `RETRY_REQUEST`. */
const lockTimeoutMs = 2_000

/**
 * Opens the database of a data directory, or the PostgreSQL database of an address, on the newest schema.
 * @throws DatabaseUnusable, or the driver's error when it can't be reached.
 */
export function openDatabase(dataDir: string, databaseUrl: string | null): Promise<OpenDatabase> {
  return databaseUrl === null ? openSqlite(dataDir, lockTimeoutMs) : openPostgres(databaseUrl, lockTimeoutMs)
}

/** PostgreSQL: lock not available, deadlock, serialisation failure. SQLite: another process holds the lock. */
const conflictCodes = new Set(["55P03", "40P01", "40001", "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT"])

/** Whether a statement failed only because others were writing the same rows. */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof Error && conflictCodes.has((error as Error & { code?: string }).code ?? "")
}
