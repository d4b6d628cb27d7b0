import type { Kysely, Transaction } from "kysely"
import type { DatabaseSchema } from "./database-schema.ts"

export type Database = Kysely<DatabaseSchema>
export type DatabaseTransaction = Transaction<DatabaseSchema>

export interface OpenDatabase extends AsyncDisposable {
  readonly db: Database
  readonly type: "sqlite" | "postgres"
}

/** PostgreSQL: lock not available, deadlock, serialisation failure. SQLite: another process holds the lock. */
const conflictCodes = new Set(["55P03", "40P01", "40001", "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT"])

/** Whether a statement failed only because others were writing the same rows. */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof Error && conflictCodes.has((error as Error & { code?: string }).code ?? "")
}
