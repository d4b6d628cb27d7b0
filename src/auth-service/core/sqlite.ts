import { renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { Kysely, SqliteAdapter, SqliteDialect } from "kysely"
import type { Database, OpenDatabase } from "./database.ts"
import type { DatabaseSchema } from "./database-schema.ts"
import { ensurePrivateDirectory } from "./private-directory.ts"
import { migrate, pendingMigrations } from "./migrate.ts"

/** How long a second process waits while the first migrates the schema. */
const migrationLockMs = 20_000

export const sqlitePath = (dataDir: string): string => join(dataDir, "auth.sqlite")

/** Opens the SQLite database of a data directory. WAL with synchronous=FULL: a committed write survives a power cut. */
export async function openSqlite(dataDir: string, lockTimeoutMs: number): Promise<OpenDatabase> {
  ensurePrivateDirectory(dataDir)
  const sqlite = new SqliteDatabase(sqlitePath(dataDir), { timeout: lockTimeoutMs })
  const db = new Kysely<DatabaseSchema>({ dialect: new TransactionalSqlite({ database: sqlite }) })
  try {
    sqlite.pragma("journal_mode = WAL")
    sqlite.pragma("synchronous = FULL")
    sqlite.pragma("foreign_keys = ON")
    sqlite.pragma("cache_size = -4000")
    if ((await pendingMigrations(db, "sqlite")) > 0) await upgrade(db, sqlite, dataDir)
    else await migrate(db, "sqlite") // refuses a newer database
    sqlite.exec(volatileWindows)
  } catch (error) {
    await db.destroy()
    throw error
  }
  return { db, type: "sqlite", [Symbol.asyncDispose]: () => db.destroy() }
}

/**
 * Counts for a few minutes needn't outlive the process, and writing them to disk would cost as much as a ticket. A temporary table with the
 * same name hides the one on disk; PostgreSQL uses the latter, so that several servers share it.
 */
const volatileWindows = `
  PRAGMA temp_store = MEMORY;
  CREATE TEMP TABLE "rateWindows" ("subject" TEXT PRIMARY KEY, "startedAt" INTEGER NOT NULL, "used" INTEGER NOT NULL);
`

/** SQLite can roll back schema changes, but Kysely runs them outside transactions by default. */
class TransactionalSqlite extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new (class extends SqliteAdapter {
      override get supportsTransactionalDdl(): boolean {
        return true
      }
    })()
  }
}

/** Only one process at a time may upgrade, because both the service and a command may be the first to open a directory. */
async function upgrade(db: Database, sqlite: SqliteDatabase.Database, dataDir: string): Promise<void> {
  const lock = new SqliteDatabase(join(dataDir, "upgrade.lock"), { timeout: migrationLockMs })
  try {
    lock.exec("BEGIN EXCLUSIVE")
    const isNew = sqlite.pragma("schema_version", { simple: true }) === 0
    if (!isNew && (await pendingMigrations(db, "sqlite")) > 0) snapshot(sqlite, dataDir)
    await migrate(db, "sqlite")
  } finally {
    lock.close()
  }
}

/** Writes a copy next to the database before its schema changes. */
function snapshot(sqlite: SqliteDatabase.Database, dataDir: string): void {
  const target = join(dataDir, "before-upgrade.sqlite")
  const partial = `${target}.partial`
  rmSync(partial, { force: true })
  sqlite.prepare("VACUUM INTO ?").run(partial)
  renameSync(partial, target)
}
