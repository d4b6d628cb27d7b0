import { HandleEmptyInListsPlugin, replaceWithNoncontingentExpression } from "kysely"
import { Pool, types } from "pg"
import { DatabaseUnusable, type OpenDatabase } from "../database.ts"
import type { Migration } from "../migrations/registry.ts"
import { createAnswerWatch } from "./answer-watch.ts"
import { keepAlive } from "./connection.ts"
import type { HeldDatabase } from "./hold-database.ts"
import { InTurn } from "./in-turn.ts"
import { migrationsOfPostgres } from "./migrations/registry.ts"
import { fromStored } from "./nul.ts"
import { createPostgresDialect } from "./postgres-dialect.ts"
import { asUnusable } from "./postgres-errors.ts"
import { prepareSchema } from "./prepare-schema.ts"

/** By what the server's administrator tells connections of commands, moves and starts. */
const besideBox = "casella-command"
/** Connections of one box. */
const poolSize = 10
const connectTimeoutMs = 5_000
/** How long a statement runs at most; and is waited for, where the server is gone without a word. */
const statementTimeoutMs = 60_000
const answerTimeoutMs = 75_000
/** How long a box that vanished in the middle of a transaction keeps others waiting. */
const idleTimeoutMs = 30_000
/** How long a start waits for writes of other programs. */
const startMs = 600_000

/** What comes in other forms than the driver's: counts and sums fit a JavaScript number. */
const parsers = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, Number],
  [types.builtins.NUMERIC, Number],
  [types.builtins.TEXT, fromStored],
])
const asStored = {
  getTypeParser: ((...[id, format]: Parameters<typeof types.getTypeParser>) =>
    parsers.get(id) ?? types.getTypeParser(id, format)) as typeof types.getTypeParser,
}

/** Nothing is in an empty list, which SQLite knows. */
const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })

interface OpenPostgresOptions {
  lockTimeoutMs?: number
  movingFrom?: string | null
  held?: HeldDatabase
  start?: StartOfBox
  /** How often the server is asked what became of a statement that takes long. */
  lookMs?: number
}

/** While a box starts, it waits for other programs instead of failing. */
export interface StartOfBox {
  isOver: boolean
  /** Called once, when the start has waited for another program for some seconds. */
  waits(): void
  /** Called when a connection went silent and another is opened. */
  reconnects(): void
}

/**
 * Opens a database on a PostgreSQL server and brings it to the newest schema, which other boxes that start meanwhile wait for. A
 * write waits for those of other programs for as long as `lockTimeoutMs` says. With the id of a data directory as `movingFrom` it is for
 * that one's rows alone, until they count as moved (server-database.ts). With `held` it is for the box that runs: its connections write only
 * while that holds the database.
 * @throws DatabaseUnusable when it can't be reached, or used, was written by a newer Casella, or a move into it isn't finished.
 */
export async function openPostgres(
  url: string,
  steps: readonly Migration[] = migrationsOfPostgres,
  { lockTimeoutMs = 5_000, movingFrom = null, held, start, lookMs }: OpenPostgresOptions = {},
): Promise<OpenDatabase> {
  const name = held?.name ?? besideBox
  let isReported = false
  function reportWait(): void {
    if (!isReported) start?.waits()
    isReported = true
  }
  try {
    await prepareSchema(url, steps, {
      // The next box that holds the database ends connections of this name, and so gets the lock of a box that froze here.
      name,
      movingFrom,
      admit: held?.admit,
      waits: reportWait,
      reconnects: () => start?.reconnects(),
      lookMs,
    })
  } catch (cause) {
    throw cause instanceof DatabaseUnusable ? cause : asUnusable(cause)
  }
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    // They stay: with thousands of answers to write, a box hasn't the time to open one anew.
    idleTimeoutMillis: 0,
    lock_timeout: lockTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleTimeoutMs,
    query_timeout: answerTimeoutMs,
    application_name: name,
    ...keepAlive,
    types: asStored,
  })
  pool.on("error", () => undefined) // an idle connection that broke is replaced at its next use
  pool.on("connect", (client) => {
    client.on("error", () => undefined) // one in use is told of at its next statement
    // Statements are short, and many; to compile one takes longer than to run it a hundred times.
    client.query("SET jit = off").catch(() => undefined)
  })
  let written = 0
  const answers = createAnswerWatch(url, lookMs)
  const dialect = createPostgresDialect(pool, () => written++, {
    admit: held?.admit,
    mayWait: mayWait(start, reportWait),
    answers,
  })
  const isStarting = () => start !== undefined && !start.isOver
  const db = new InTurn({ dialect, plugins: [emptyLists] }, () => (isStarting() ? startMs : lockTimeoutMs))
  let looks = 0
  return {
    db,
    dataVersion: () => held?.writes() ?? --looks, // where nobody tells, whoever asks looks
    state() {
      const writes = held?.writes() ?? null
      return writes === null ? null : `${written} ${writes}`
    },
    waiting: () => db.waiting + pool.waitingCount,
    hurry: () => undefined, // a write waits seconds at most, always
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

/** Returns a function that says whether a write that timed out is tried again. */
function mayWait(start: StartOfBox | undefined, reportWait: () => void): () => boolean {
  const until = performance.now() + startMs
  return () => {
    if (!start || start.isOver || performance.now() > until) return false
    reportWait()
    return true
  }
}
