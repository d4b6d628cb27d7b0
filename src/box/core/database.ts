import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { Kysely } from "kysely"
import type { DatabaseSchema } from "./database-schema.ts"
import { migrations, type Migration } from "./migrations/registry.ts"
import { createSqliteDialect } from "./sqlite-dialect.ts"

export type Database = Kysely<DatabaseSchema>

export interface OpenDatabase extends AsyncDisposable {
  readonly db: Database
  /** Changes whenever another process has written, such as the command line revoking a key. */
  dataVersion(): number
  /** Writes a consistent copy to a new file, page by page beside the box's other work. Throws when `signal` aborts. */
  copyTo(path: string, signal?: AbortSignal): Promise<void>
}

/** A database that can't be used; the message says what to do about it. */
export class DatabaseUnusable extends Error {
  override readonly name = "DatabaseUnusable"
}

const busyTimeoutMs = 5_000
/** Copying takes so many pages before other work has its turn: under 1 ms. */
const pagesAtOnce = 200

/**
 * Opens the box's SQLite database, checks it and brings it to the newest schema.
 * WAL with synchronous=FULL: a committed write survives a power cut.
 * @throws DatabaseUnusable when the file is damaged, or was written by a newer Casella.
 */
export function openDatabase(path: string, steps: readonly Migration[] = migrations): OpenDatabase {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const sqlite = new SqliteDatabase(path, { timeout: busyTimeoutMs })
  try {
    sqlite.pragma("journal_mode = WAL")
    sqlite.pragma("synchronous = FULL")
    sqlite.pragma("foreign_keys = ON")
    sqlite.pragma("temp_store = MEMORY")
    sqlite.pragma("cache_size = -16000")
    migrate(sqlite, path, steps)
  } catch (cause) {
    sqlite.close()
    throw cause instanceof DatabaseUnusable ? cause : asUnusable(cause)
  }
  const db = new Kysely<DatabaseSchema>({ dialect: createSqliteDialect(sqlite) })
  return {
    db,
    dataVersion: () => sqlite.pragma("data_version", { simple: true }) as number,
    async copyTo(target, signal) {
      const progress = () => {
        signal?.throwIfAborted()
        return pagesAtOnce
      }
      await sqlite.backup(target, { progress })
    },
    async [Symbol.asyncDispose]() {
      await db.destroy()
      sqlite.close() // Kysely leaves a database open that it never used
    },
  }
}

/**
 * Reads every page of the database, which takes about a second per GB.
 * @throws DatabaseUnusable when it is damaged.
 */
export function checkIntegrity(path: string): void {
  if (!existsSync(path)) return
  let verdict: unknown
  try {
    const sqlite = new SqliteDatabase(path, { timeout: busyTimeoutMs })
    try {
      verdict = sqlite.pragma("integrity_check(1)", { simple: true })
    } finally {
      sqlite.close()
    }
  } catch (cause) {
    throw asUnusable(cause)
  }
  if (verdict !== "ok") throw asUnusable(new Error(String(verdict)))
}

function asUnusable(cause: unknown): DatabaseUnusable {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new DatabaseUnusable(
    `Casella's database can't be opened (${reason}). Restore a backup with "restore FILE", or take the newest copy from the snapshots directory.`,
    { cause },
  )
}

function migrate(sqlite: SqliteDatabase.Database, path: string, steps: readonly Migration[]): void {
  const version = sqlite.pragma("user_version", { simple: true }) as number
  if (version > steps.length) {
    throw new DatabaseUnusable(
      "This data directory was written by a newer Casella. Update Casella, or choose another directory with --data.",
    )
  }
  if (version === steps.length) return
  if (version > 0) copy(sqlite, join(dirname(path), "snapshots", `schema-${version}.sqlite`))
  sqlite.transaction(() => {
    for (const step of steps.slice(version)) sqlite.exec(step.sql)
    sqlite.pragma(`user_version = ${steps.length}`)
  })()
}

function copy(sqlite: SqliteDatabase.Database, target: string): void {
  mkdirSync(dirname(target), { recursive: true })
  const partial = `${target}.partial`
  rmSync(partial, { force: true })
  sqlite.prepare("VACUUM INTO ?").run(partial)
  renameSync(partial, target)
}
