import { setTimeout as wait } from "node:timers/promises"
import type { Database, Statement } from "better-sqlite3"
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDatabase,
  SqliteDriver,
} from "kysely"
import { DatabaseBusy } from "../database.ts"
import { countWait } from "../../process-counts.ts"
import { yieldToEventLoop } from "../../waiting/yield-to-event-loop.ts"

/** Maximum number of cached statements; preparing a statement takes longer than running most of them. */
const maxCachedStatements = 300
/** How long a write waits for another program that holds SQLite's lock, and how often it retries. */
const busyTimeoutMs = 5_000
const busyPauseMs = 25
/** Timeout for all remaining writes together when the box is stopping. */
const stoppingBusyTimeoutMs = 1_000

export const isBusy = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code).startsWith("SQLITE_BUSY")

export interface RetryingDialect extends Dialect {
  /** From now on, waiting for another program's lock ends after one second at most. */
  shortenBusyTimeout(): void
  /** Number of callers that wait for the connection. */
  waiting(): number
  /** Waits until no one uses the connection, in a transaction or not, and keeps it until the returned function is called. */
  acquireExclusive(): Promise<() => void>
}

/**
 * Kysely's SQLite dialect, adapted to two problems. On a full disk, SQLite ends the transaction itself, and another rollback would fail and
 * hide the reason. If another program holds the lock, SQLite would block the whole process; here only the writer waits while others
 * proceed, and it throws `DatabaseBusy` after the timeout. Transactions take the lock when they start, so that none has to abort later. The
 * event loop runs between statements, even during a transaction, whose connection others wait for.
 */
export function createSqliteDialect(database: Database): RetryingDialect {
  const prepared = withStatementCache(database)
  const dialect = new SqliteDialect({ database: prepared })
  const mutex = createMutex()
  let latest = Infinity

  async function execute<R>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
    await yieldToEventLoop()
    const until = performance.now() + busyTimeoutMs
    for (;;) {
      try {
        return await connection.executeQuery<R>(query)
      } catch (error) {
        if (!isBusy(error)) throw error
        if (database.inTransaction || performance.now() > Math.min(until, latest))
          throw new DatabaseBusy(error)
      }
      mutex.give()
      await countWait(wait(busyPauseMs))
      await mutex.take()
    }
  }

  const driver = new (class extends SqliteDriver {
    #retrying: DatabaseConnection | undefined

    override async acquireConnection(): Promise<DatabaseConnection> {
      await mutex.take()
      const connection = await super.acquireConnection()
      this.#retrying ??= {
        executeQuery: (query) => execute(connection, query),
        streamQuery: (query, size) => connection.streamQuery(query, size),
      }
      return this.#retrying
    }

    override async releaseConnection(): Promise<void> {
      mutex.give()
    }

    override async beginTransaction(connection: DatabaseConnection): Promise<void> {
      await connection.executeQuery(CompiledQuery.raw("begin immediate"))
    }

    override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
      if (database.inTransaction) await super.rollbackTransaction(connection)
    }
  })({ database: prepared })

  return {
    shortenBusyTimeout() {
      latest = performance.now() + stoppingBusyTimeoutMs
    },
    waiting: () => mutex.waiting,
    async acquireExclusive() {
      await mutex.take()
      let isGiven = false
      return () => {
        if (!isGiven) mutex.give()
        isGiven = true
      }
    },
    createAdapter: () => new SerialAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

/** The driver shares its one connection through a queue; Kysely's own lock would keep the connection while a writer waits. */
class SerialAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** Queue for the connection: one user at a time, in order of arrival. */
function createMutex() {
  const waiting: (() => void)[] = []
  let isTaken = false
  return {
    get waiting() {
      return waiting.length
    },
    async take(): Promise<void> {
      if (isTaken) await countWait(new Promise<void>((resolve) => waiting.push(resolve)))
      isTaken = true
    },
    give(): void {
      const next = waiting.shift()
      if (next) next()
      else isTaken = false
    },
  }
}

/** One query at a time runs on the connection, so a cached statement is never busy. */
function withStatementCache(database: Database): SqliteDatabase {
  const kept = new Map<string, Statement>()
  return {
    close: () => void database.close(),
    prepare(sql) {
      const known = kept.get(sql)
      if (known) return known
      const statement = database.prepare(sql)
      if (kept.size >= maxCachedStatements) kept.clear()
      kept.set(sql, statement)
      return statement
    },
  }
}
