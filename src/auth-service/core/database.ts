import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { Kysely, PostgresDialect, SqliteDialect, type Transaction } from "kysely"
import { Pool, types } from "pg"
import type { DatabaseSchema } from "./database-schema.ts"
import { migrate, pendingMigrations } from "./migrate.ts"

export type Database = Kysely<DatabaseSchema>
export type DatabaseTransaction = Transaction<DatabaseSchema>
export type DatabaseType = "sqlite" | "postgres"

export interface OpenDatabase extends AsyncDisposable {
  readonly db: Database
  readonly type: DatabaseType
}

/** How long a statement waits for other writers before the request is refused with `RETRY_REQUEST`. */
const lockTimeoutMs = 2_000
const statementTimeoutMs = 20_000
const connectTimeoutMs = 10_000
const poolSize = 10

/** Opens the database of a data directory, or the PostgreSQL database of an address, on the newest schema. */
export function openDatabase(dataDir: string, databaseUrl: string | null): Promise<OpenDatabase> {
  return databaseUrl === null ? openSqlite(join(dataDir, "auth.sqlite")) : openPostgres(databaseUrl)
}

/** WAL with synchronous=FULL: a committed write survives a power cut. */
async function openSqlite(path: string): Promise<OpenDatabase> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const existed = existsSync(path)
  const sqlite = new SqliteDatabase(path, { timeout: lockTimeoutMs })
  const db: Database = new Kysely({ dialect: new SqliteDialect({ database: sqlite }) })
  try {
    sqlite.pragma("journal_mode = WAL")
    sqlite.pragma("synchronous = FULL")
    sqlite.pragma("foreign_keys = ON")
    sqlite.pragma("cache_size = -8000")
    if (existed && (await pendingMigrations(db, "sqlite")) > 0) snapshot(sqlite, path)
    await migrate(db, "sqlite")
  } catch (error) {
    await db.destroy()
    throw error
  }
  return { db, type: "sqlite", [Symbol.asyncDispose]: () => db.destroy() }
}

/** A copy beside the database, taken before its schema changes. */
function snapshot(sqlite: SqliteDatabase.Database, path: string): void {
  const target = `${path}.before-upgrade`
  const partial = `${target}.partial`
  rmSync(partial, { force: true })
  sqlite.prepare("VACUUM INTO ?").run(partial)
  renameSync(partial, target)
}

async function openPostgres(url: string): Promise<OpenDatabase> {
  // Counts fit a JavaScript number; the driver answers them as text otherwise.
  types.setTypeParser(types.builtins.INT8, Number)
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: "casella-auth",
  })
  pool.on("error", () => undefined) // an idle connection that broke is replaced at its next use
  const db: Database = new Kysely({ dialect: new PostgresDialect({ pool }) })
  try {
    await migrate(db, "postgres")
  } catch (error) {
    await db.destroy()
    throw error
  }
  return { db, type: "postgres", [Symbol.asyncDispose]: () => db.destroy() }
}

/** PostgreSQL: lock not available, deadlock, serialisation failure. SQLite: another process holds the lock. */
const conflictCodes = new Set(["55P03", "40P01", "40001", "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT"])

/** Whether a statement failed only because others were writing the same rows. */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof Error && conflictCodes.has((error as Error & { code?: string }).code ?? "")
}
