import {
  Kysely,
  type KyselyConfig,
  type TransactionBuilder,
  HandleEmptyInListsPlugin,
  replaceWithNoncontingentExpression,
  sql,
} from "kysely"
import { Pool, types } from "pg"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { countWait } from "../../process-counts.ts"
import { withTimeout } from "../../waiting/abort-and-timeout.ts"
import type { DatabaseSchema } from "../database-schema.ts"
import { DatabaseBusy, DatabaseUnusable, type OpenDatabase } from "../database.ts"
import type { Migration } from "../migrations/registry.ts"
import { createAnswerWatch } from "./answer-watch.ts"
import { keepAlive, requireWritable, takeSpace, toDatabaseUnusable } from "./connection.ts"
import type { DatabaseLease } from "./hold-database.ts"
import { migrationsOfPostgres } from "./migrations/registry.ts"
import { fromStored, createPostgresDialect } from "./postgres-dialect.ts"
import { prepareSchema } from "./prepare-schema.ts"

/**
 * Runs transactions one after another within this process, as the lock does between processes. Waiting transactions therefore don't take
 * connections from readers. Transactions with a named isolation level only read and don't wait. A wait of more than `timeoutMs` throws
 * `DatabaseBusy`.
 */
class SerialKysely extends Kysely<DatabaseSchema> {
  readonly #timeoutMs: () => number
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(config: KyselyConfig, timeoutMs: () => number) {
    super(config)
    this.#timeoutMs = timeoutMs
  }

  /** Number of waiting transactions. */
  get waiting(): number {
    return this.#waiting
  }

  override transaction(): TransactionBuilder<DatabaseSchema> {
    const builder = super.transaction()
    const execute = builder.execute.bind(builder)
    builder.execute = (callback) => this.#enqueue(() => execute(callback))
    return builder
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last
    // The previous transaction waits for the server, the network or another program.
    const tooLate = () =>
      new DatabaseBusy(new Error("Others had the turn all the time."), sentence("core.database_slow"))
    this.#waiting++
    const mine = countWait(withTimeout(this.#timeoutMs(), before, tooLate))
      .finally(() => this.#waiting--)
      .then(work)
    this.#last = Promise.allSettled([before, mine])
    return mine
  }
}

/** Application name of the connections of commands, moves and starts, for the server's administrator. */
const commandConnectionName = "casella-command"
/** Maximum number of connections of one box. */
const poolSize = 10
const connectTimeoutMs = 5_000
/** Maximum duration of a statement, and the maximum wait for an answer if the server vanished. */
const statementTimeoutMs = 60_000
const answerTimeoutMs = 75_000
/** Maximum time that a box which vanished during a transaction blocks others. */
const idleTimeoutMs = 30_000
/** Maximum time that a start waits for other programs' writes. */
const startMs = 600_000

/** Types that are parsed differently from the driver's default: counts and sums fit a JavaScript number. */
const parsers = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, Number],
  [types.builtins.NUMERIC, Number],
  [types.builtins.TEXT, fromStored],
])
const typeParsers = {
  getTypeParser: ((...[id, format]: Parameters<typeof types.getTypeParser>) =>
    parsers.get(id) ?? types.getTypeParser(id, format)) as typeof types.getTypeParser,
}

/** Supports empty lists for `in`, as SQLite does. */
const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })

interface OpenPostgresOptions {
  lockTimeoutMs?: number
  movingFrom?: string | null
  held?: DatabaseLease
  start?: BoxStart
  /** How often the server is checked for the state of a slow statement. */
  pollIntervalMs?: number
}

/** While a box starts, it waits for other programs instead of failing. */
export interface BoxStart {
  isOver: boolean
  /** Called once, when the start has waited some seconds for another program. */
  waits(): void
  /** Called when a connection went silent and a new one is opened. */
  onReconnect(): void
}

/**
 * Opens a database on a PostgreSQL server and updates it to the latest schema; other boxes that start at the same time wait for this. A
 * write waits up to `lockTimeoutMs` for other programs' writes. With a data directory's ID as `movingFrom`, it accepts only that
 * directory's rows until the move is complete (server-database.ts). With `held`, it is for the running box, and its connections write only
 * while `held` holds the database.
 * @throws DatabaseUnusable if the database can't be reached or used, was written by a newer Casella, or a move into it isn't finished.
 */
export async function openPostgres(
  url: string,
  steps: readonly Migration[] = migrationsOfPostgres,
  { lockTimeoutMs = 5_000, movingFrom = null, held, start, pollIntervalMs }: OpenPostgresOptions = {},
): Promise<OpenDatabase> {
  const name = held?.name ?? commandConnectionName
  let isReported = false
  function reportWait(): void {
    if (!isReported) start?.waits()
    isReported = true
  }
  try {
    await prepareSchema(url, steps, {
      // The next box that holds the database ends connections with this name, and so gets the lock of a box that froze here.
      name,
      movingFrom,
      admit: held?.admit,
      waits: reportWait,
      onReconnect: () => start?.onReconnect(),
      pollIntervalMs,
    })
  } catch (cause) {
    throw cause instanceof DatabaseUnusable ? cause : toDatabaseUnusable(cause)
  }
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    // Connections stay open: with thousands of answers to write, a box has no time to reopen them.
    idleTimeoutMillis: 0,
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleTimeoutMs,
    query_timeout: answerTimeoutMs,
    application_name: name,
    ...keepAlive,
    types: typeParsers,
  })
  pool.on("error", () => undefined) // a broken idle connection is replaced at its next use
  pool.on("connect", (client) => {
    client.on("error", () => undefined) // a broken connection in use is reported at its next statement
    // Statements are short and frequent; compiling one takes longer than running it a hundred times.
    client.query("SET jit = off").catch(() => undefined)
  })
  let written = 0
  let wasFull = false
  const answers = createAnswerWatch(url, pollIntervalMs)
  const dialect = createPostgresDialect(pool, () => written++, {
    admit: held?.admit,
    canRetry: canRetry(start, reportWait),
    answers,
    onFull: () => (wasFull = true),
  })
  const isStarting = () => start !== undefined && !start.isOver
  const db = new SerialKysely({ dialect, plugins: [emptyLists] }, () =>
    isStarting() ? startMs : lockTimeoutMs,
  )
  let checkCount = 0
  return {
    db,
    dataVersion: () => held?.writes() ?? --checkCount, // without notifications, every call returns a new value, so that callers check for themselves
    state() {
      const writes = held?.writes() ?? null
      return writes === null ? null : `${written} ${writes}`
    },
    waiting: () => db.waiting + pool.waitingCount,
    async requireChangesAccepted() {
      await sql.raw(requireWritable).execute(db)
      if (!wasFull) return
      // Only an attempt shows whether there is space again.
      await db.transaction().execute(async (trx) => {
        await sql.raw(takeSpace).execute(trx)
        await sql`DROP TABLE "spaceTaken"`.execute(trx)
      })
      wasFull = false
    },
    shortenBusyTimeout: () => undefined, // a write never waits more than some seconds
    async copyTo(path, signal) {
      const [{ copyRows }, { openSqlite }] = await Promise.all([
        import("../copy-rows.ts"),
        import("../sqlite/open-sqlite.ts"),
      ])
      await using file = openSqlite(path)
      await copyRows(db, file.db, signal)
    },
    async [Symbol.asyncDispose]() {
      using _ = answers
      await db.destroy()
    },
  }
}

/** Returns a function that tells whether a write that timed out is retried. */
function canRetry(start: BoxStart | undefined, reportWait: () => void): () => boolean {
  const until = performance.now() + startMs
  return () => {
    if (!start || start.isOver || performance.now() > until) return false
    reportWait()
    return true
  }
}
