import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import {
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
} from "kysely"
import { Migrator } from "kysely/migration"
import { Pool, types } from "pg"
import type { DatabaseSchema, MigrationFor, Database, OpenDatabase } from "./database.ts"
import { accounts } from "./migrations/001-accounts.ts"
import { tickets } from "./migrations/002-tickets.ts"
import { externalIds } from "./migrations/003-external-ids.ts"

/** Migrations in the order of their names. Never change a released one. */
const migrations: Record<string, MigrationFor> = {
  "001-accounts": accounts,
  "002-tickets": tickets,
  "003-external-ids": externalIds,
}

/** The database was written by a newer version, or a migration failed. The message describes what to do. */
export class DatabaseUnusable extends Error {
  override readonly name = "DatabaseUnusable"
}

function createMigrator(db: Kysely<DatabaseSchema>, type: "sqlite" | "postgres"): Migrator {
  const entries = Object.entries(migrations).map(([name, of]) => [name, of(type)] as const)
  return new Migrator({ db, provider: { getMigrations: async () => Object.fromEntries(entries) } })
}

/** Number of migrations that a database lacks. */
async function pendingMigrations(db: Kysely<DatabaseSchema>, type: "sqlite" | "postgres"): Promise<number> {
  const known = await createMigrator(db, type).getMigrations()
  return known.filter(({ executedAt }) => executedAt === undefined).length
}

/** Migrates a database to the newest schema: all steps or none. @throws DatabaseUnusable */
async function migrate(db: Kysely<DatabaseSchema>, type: "sqlite" | "postgres"): Promise<void> {
  const { error } = await createMigrator(db, type).migrateToLatest()
  if (error === undefined) return
  const reason = error instanceof Error ? error.message : JSON.stringify(error)
  throw new DatabaseUnusable(
    `The database's schema can't be brought up to date (${reason}). If a newer version of the auth service wrote it, update this one; nothing was changed.`,
    { cause: error },
  )
}

const databaseFile = "auth.sqlite"

const othersMay = 0o077
const othersMayWrite = 0o022

/**
 * Creates the data directory, or restricts an existing one to its owner, because no other user may read accounts and tickets. On Windows,
 * the system protects a user's directories.
 * @throws DatabaseUnusable for another user's directory, and for an open one whose contents may not be the service's own.
 */
export function ensurePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (process.getuid === undefined) return
  const { uid, mode } = statSync(directory)
  if (uid !== process.getuid())
    throw new DatabaseUnusable(`${directory} belongs to another user. Choose a data directory of your own.`)
  // It is closed before it is inspected, so that no one can add anything afterwards.
  if ((mode & othersMay) !== 0) chmodSync(directory, 0o700)
  const entries = readdirSync(directory)
  const refuse = (why: string): never => {
    chmodSync(directory, mode & 0o7777)
    throw new DatabaseUnusable(why)
  }
  const planted = entries.find((name) => {
    const found = lstatSync(join(directory, name), { throwIfNoEntry: false }) // journals of a running server may disappear
    return found !== undefined && found.uid !== uid
  })
  if (planted !== undefined)
    refuse(`${join(directory, planted)} belongs to another user. Choose an empty data directory of your own.`)
  const advice = `Choose an empty directory, or remove their access first: chmod 700 ${directory}`
  if (entries.length > 0 && (mode & othersMayWrite) !== 0)
    refuse(`Other users can write to ${directory}, so its contents may not be yours. ${advice}`)
  if (entries.length > 0 && (mode & othersMay) !== 0 && !entries.includes(databaseFile))
    refuse(`Other users can read ${directory}, and it contains other files. ${advice}`)
}

/** How long a second process waits while the first migrates the schema. */
const migrationLockMs = 20_000

export const sqlitePath = (dataDir: string): string => join(dataDir, "auth.sqlite")

/** Opens the SQLite database of a data directory. WAL with synchronous=FULL: a committed write survives a power cut. */
async function openSqlite(dataDir: string, lockTimeoutMs: number): Promise<OpenDatabase> {
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

const statementTimeoutMs = 20_000
/** Timeout for an answer, in case the server that should end the statement has disappeared. */
const answerTimeoutMs = 25_000
/** How long a service that disappeared during a transaction keeps others waiting. */
const idleTimeoutMs = 30_000
const connectTimeoutMs = 10_000
const poolSize = 10
const keepAliveMs = 10_000
/** The driver's message after `answerTimeoutMs`; it has no error code. */
const unanswered = "Query read timeout"

/** Opens a PostgreSQL database. The server's own locks prevent concurrent migrations by two services. */
export async function openPostgres(url: string, lockTimeoutMs: number): Promise<OpenDatabase> {
  // Counts fit into a JavaScript number; the driver would return them as text.
  types.setTypeParser(types.builtins.INT8, Number)
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: answerTimeoutMs,
    idle_in_transaction_session_timeout: idleTimeoutMs,
    // Routers drop idle connections.
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    application_name: "casella-auth",
  })
  pool.on("error", () => undefined) // a broken idle connection is replaced at its next use
  pool.on("connect", (client) => client.on("error", () => undefined)) // a connection in use reports the error at its next statement
  const db = new Kysely<DatabaseSchema>({
    dialect: new PostgresDialect({ pool: closeSilentConnections(pool) }),
  })
  try {
    await migrate(db, "postgres")
  } catch (error) {
    await db.destroy()
    throw error
  }
  return { db, type: "postgres", [Symbol.asyncDispose]: () => db.destroy() }
}

/** The driver would hand a connection that timed out to the next caller; this closes it instead. */
function closeSilentConnections(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      let isSilent = false
      const query = async (text: string, values: readonly unknown[]) => {
        try {
          return await client.query(text, [...values])
        } catch (error) {
          isSilent ||= error instanceof Error && error.message === unanswered
          throw error
        }
      }
      return {
        query: query as unknown as PostgresPoolClient["query"],
        release: (destroy = false) => client.release(destroy || isSilent),
      }
    },
  }
}

/** How long a statement waits for other writers before the request is refused with `RETRY_REQUEST`. */
const lockTimeoutMs = 2_000

/**
 * Opens the SQLite database of a data directory, or the PostgreSQL database at a URL, and migrates it to the newest schema.
 * @throws DatabaseUnusable, or the driver's error if the database can't be reached.
 */
export function openDatabase(dataDir: string, databaseUrl: string | null): Promise<OpenDatabase> {
  return databaseUrl === null ? openSqlite(dataDir, lockTimeoutMs) : openPostgres(databaseUrl, lockTimeoutMs)
}
