import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { Kysely } from "kysely"
import { isDiskFull } from "../../disk/disk-space.ts"
import { DatabaseUnusable, type OpenDatabase } from "../database.ts"
import type { DatabaseSchema } from "../database-schema.ts"
import { migrations, type Migration } from "../migrations/registry.ts"
import { createSqliteDialect, isBusy } from "./sqlite-dialect.ts"

/** A database in one file, whose space and integrity the box maintains. */
export interface SqliteDatabaseFile extends OpenDatabase {
  /** Whether other processes may use the database at the same time. False if the disk has no room for the shared memory. */
  readonly isShared: boolean
  /** Prevents all further changes; settles when no one is using the connection. */
  freeze(): Promise<void>
  /** Spends a few ms on returning free pages to the disk; returns whether more remain. Does nothing while the database is being copied. */
  releaseFreePages(): Promise<boolean>
  /** Moves the write-ahead log into the database and empties it, unless another program is reading or writing. */
  emptyLog(): Promise<void>
}

/** SQLite may block the whole process while it waits for a lock, but only before anything else runs. */
const busyTimeoutMs = 5_000
/** Value of `PRAGMA auto_vacuum` for a database that can return space incrementally. */
const incremental = 2
/** Pages that are copied before other work can run: under 1 ms. */
const pagesAtOnce = 200
/** Time for returning pages before other work can run, and the number of pages between two checks of the clock. */
const givingBackMs = 5
const pagesBetweenChecks = 16
/** Free space that stays in the file, in bytes, for the next writes. */
const reservedBytes = 4 * 2 ** 20

/**
 * Opens the box's SQLite database, checks it and updates it to the latest schema. Uses WAL with synchronous=FULL: a committed write
 * survives a power cut. On a full disk it can be opened, but not written to.
 * @throws DatabaseUnusable if the file is damaged, or was written by a newer Casella.
 */
export function openSqlite(path: string, steps: readonly Migration[] = migrations): SqliteDatabaseFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const sqlite = connect(path)
  try {
    migrate(sqlite, path, steps)
  } catch (cause) {
    sqlite.close()
    throw cause instanceof DatabaseUnusable ? cause : toDatabaseUnusable(cause)
  }
  sqlite.pragma("busy_timeout = 0")
  const dialect = createSqliteDialect(sqlite)
  const db = new Kysely<DatabaseSchema>({ dialect })
  const writes = sqlite.prepare(
    "SELECT total_changes() AS own, data_version AS others FROM pragma_data_version",
  )
  let version = 0
  let copies = 0

  /** Returns the number of free pages that can be returned; 0 for an earlier Casella's database that wasn't converted. */
  function countSparePages(): number {
    if (sqlite.pragma("auto_vacuum", { simple: true }) !== incremental) return 0
    const free = sqlite.pragma("freelist_count", { simple: true }) as number
    const pageBytes = sqlite.pragma("page_size", { simple: true }) as number
    return Math.max(0, free - reservedBytes / pageBytes)
  }

  /** Runs work while no one else uses the connection, in a transaction or not. */
  async function runExclusively<T>(work: () => T): Promise<T> {
    const release = await dialect.acquireExclusive()
    try {
      return work()
    } finally {
      release()
    }
  }

  return {
    db,
    isShared: sqlite.pragma("locking_mode", { simple: true }) === "normal",
    waiting: dialect.waiting,
    requireChangesAccepted: null,
    shortenBusyTimeout: dialect.shortenBusyTimeout,
    dataVersion() {
      try {
        version = sqlite.pragma("data_version", { simple: true }) as number
      } catch (error) {
        if (!isBusy(error)) throw error // another program holds the lock; its changes become visible when it releases the lock
      }
      return version
    },
    state() {
      try {
        const { own, others } = writes.get() as { own: number; others: number }
        return `${own} ${others}`
      } catch (error) {
        if (!isBusy(error)) throw error
        return null
      }
    },
    freeze: () => runExclusively(() => void sqlite.pragma("query_only = ON")),
    async copyTo(target, signal) {
      // The copy must not start during a transaction: SQLite would report nothing, and it would be treated as complete.
      const release = await dialect.acquireExclusive()
      copies++
      const progress = () => {
        release()
        signal?.throwIfAborted()
        return pagesAtOnce
      }
      try {
        await sqlite.backup(target, { progress })
      } finally {
        copies--
        release()
      }
    },
    releaseFreePages: () =>
      runExclusively(() => {
        if (copies > 0) return false
        const until = performance.now() + givingBackMs
        const slice = sqlite.transaction(() => {
          for (
            let some;
            (some = Math.min(countSparePages(), pagesBetweenChecks)) > 0 && performance.now() < until;
          )
            sqlite.pragma(`incremental_vacuum(${some})`)
        })
        slice.immediate()
        return countSparePages() > 0
      }),
    emptyLog: () => runExclusively(() => void sqlite.pragma("wal_checkpoint(TRUNCATE)")),
    async [Symbol.asyncDispose]() {
      await db.destroy()
      sqlite.close() // Kysely doesn't close a database that it never used
    },
  }
}

/**
 * Without room for the memory that it shares with other processes, SQLite can't even read. In that case this process opens the database
 * exclusively, and others wait until it is closed.
 */
function connect(path: string, mode: "shared" | "alone" = "shared"): SqliteDatabase.Database {
  const sqlite = new SqliteDatabase(path, { timeout: busyTimeoutMs })
  try {
    if (mode === "alone") sqlite.pragma("locking_mode = EXCLUSIVE")
    const isNew = sqlite.pragma("page_count", { simple: true }) === 0
    if (isNew) sqlite.pragma("auto_vacuum = INCREMENTAL") // has an effect only on an empty file
    sqlite.pragma("journal_mode = WAL")
    sqlite.pragma("synchronous = FULL")
    sqlite.pragma("foreign_keys = ON")
    sqlite.pragma("secure_delete = ON") // deleted data is removed from the file, not only from the tables
    sqlite.pragma("temp_store = MEMORY")
    sqlite.pragma("cache_size = -16000")
    sqlite.prepare("SELECT count(*) FROM sqlite_schema").get()
    return sqlite
  } catch (cause) {
    sqlite.close()
    if (mode === "shared" && isDiskFull(cause)) return connect(path, "alone")
    throw toDatabaseUnusable(cause)
  }
}

/**
 * Reads every page of the database, which takes about a second per GB.
 * @throws DatabaseUnusable if it is damaged.
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
    if (isDiskFull(cause)) return // it can't be checked now
    throw toDatabaseUnusable(cause)
  }
  if (verdict !== "ok") throw toDatabaseUnusable(new Error(String(verdict)))
}

export function toDatabaseUnusable(cause: unknown): DatabaseUnusable {
  if (isDiskFull(cause))
    return new DatabaseUnusable("The disk is full. Free some space, then start Casella again.", { cause })
  if (isBusy(cause))
    return new DatabaseUnusable("Another program is using Casella's database. Close it, then start again.", {
      cause,
    })
  if ((cause as { code?: unknown } | null)?.code === "SQLITE_CANTOPEN")
    return new DatabaseUnusable(
      "Casella's database can't be opened. See to it that the file is yours and that the disk takes further files, then start again.",
      { cause },
    )
  if (String((cause as { code?: unknown } | null)?.code).startsWith("SQLITE_READONLY"))
    return new DatabaseUnusable(
      "Casella's database, or its disk, is read-only. See to it that you may write there, then start again.",
      { cause },
    )
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new DatabaseUnusable(
    `Casella's database can't be used (${reason}). Restore a backup with "restore FILE", or write what can still be read into a new data directory with "salvage DIRECTORY".`,
    { cause },
  )
}

function migrate(sqlite: SqliteDatabase.Database, path: string, steps: readonly Migration[]): void {
  const version = sqlite.pragma("user_version", { simple: true }) as number
  if (version > steps.length) {
    throw new DatabaseUnusable(
      "This data directory was written by a newer version of Casella. Update Casella, or choose another directory with --data.",
    )
  }
  if (version === steps.length) return
  if (version > 0) copy(sqlite, join(dirname(path), "snapshots", `schema-${version}.sqlite`))
  sqlite.function("dataDirectory", () => dirname(resolve(path)))
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
