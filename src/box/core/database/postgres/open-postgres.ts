import { HandleEmptyInListsPlugin, replaceWithNoncontingentExpression } from "kysely"
import { Client, Pool, types } from "pg"
import { DatabaseUnusable, type OpenDatabase } from "../database.ts"
import type { Migration } from "../migrations/registry.ts"
import { endConnection } from "./end-connection.ts"
import type { HeldDatabase } from "./hold-database.ts"
import { InTurn } from "./in-turn.ts"
import { migrationsOfPostgres } from "./migrations/registry.ts"
import { fromStored } from "./nul.ts"
import { createPostgresDialect } from "./postgres-dialect.ts"
import { asUnusable } from "./postgres-errors.ts"
import { firstPostgresVersion, postgresSchema } from "./schema.ts"

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
/** How long a start waits for another box that migrates the schema, and for writes of other programs. */
const startMs = 600_000
/** Of all locks that programs may agree on in a database, the one for changing its schema. */
const migrating = 8485

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
}

/** While a box starts, its writes wait for other programs instead of failing. */
export interface StartOfBox {
  isOver: boolean
  /** Called when a write has timed out for the first time and is tried again. */
  waits(): void
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
  { lockTimeoutMs = 5_000, movingFrom = null, held, start }: OpenPostgresOptions = {},
): Promise<OpenDatabase> {
  try {
    await prepare(url, steps, movingFrom)
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
    application_name: held?.name ?? besideBox,
    keepAlive: true,
    types: asStored,
  })
  pool.on("error", () => undefined) // an idle connection that broke is replaced at its next use
  pool.on("connect", (client) => {
    client.on("error", () => undefined) // one in use is told of at its next statement
    // Statements are short, and many; to compile one takes longer than to run it a hundred times.
    client.query("SET jit = off").catch(() => undefined)
  })
  let written = 0
  const dialect = createPostgresDialect(pool, () => written++, {
    admit: held?.admit,
    mayWait: mayWait(start),
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
    [Symbol.asyncDispose]: () => db.destroy(),
  }
}

/** Returns a function that says whether a write that timed out is tried again. */
function mayWait(start: StartOfBox | undefined): () => boolean {
  const until = performance.now() + startMs
  let isReported = false
  return () => {
    if (!start || start.isOver || performance.now() > until) return false
    if (!isReported) start.waits()
    isReported = true
    return true
  }
}

async function prepare(url: string, steps: readonly Migration[], movingFrom: string | null): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: startMs,
    query_timeout: 2 * startMs,
    keepAlive: true,
    application_name: besideBox,
  })
  client.on("error", () => undefined) // told of at the next statement
  await client.connect()
  try {
    await client.query(`begin; select pg_advisory_xact_lock(${migrating})`)
    const version = await versionOf(client)
    if (version > steps.length)
      throw new DatabaseUnusable(
        "The PostgreSQL database was written by a newer Casella. Update Casella, or name another database.",
      )
    if (version === 0) await client.query(postgresSchema)
    for (const step of steps.slice(Math.max(version, firstPostgresVersion))) await client.query(step.sql)
    await client.query('UPDATE "schemaVersion" SET version = $1', [steps.length])
    await claimForMove(client, movingFrom)
    await client.query("commit")
  } finally {
    await endConnection(client)
  }
}

async function claimForMove(client: Client, from: string | null): Promise<void> {
  const { rows } = await client.query<MoveRow>('SELECT "dataDirectory", moved FROM "schemaVersion"')
  const { dataDirectory = null, moved = true } = rows[0] ?? {}
  if (from !== null && from === dataDirectory) return
  if (!moved)
    throw new DatabaseUnusable(
      "The rows on the PostgreSQL database are being moved, or went from there: a move isn't finished, or this database isn't in use any more. Run the same move again, or make the database anew.",
    )
  if (from === null) return
  if (dataDirectory !== null)
    throw new DatabaseUnusable(
      "The PostgreSQL database isn't empty: another data directory's box uses it. Make an empty one and name that.",
    )
  const { rowCount } = await client.query("SELECT FROM users LIMIT 1")
  if (rowCount !== 0)
    throw new DatabaseUnusable(
      "The PostgreSQL database isn't empty: people are in it already. Make an empty one and name that.",
    )
  await client.query('UPDATE "schemaVersion" SET "dataDirectory" = $1, moved = false', [from])
}

interface MoveRow {
  dataDirectory: string | null
  moved: boolean
}

/** How many migrations it has; 0 where it has no schema yet. */
async function versionOf(client: Client): Promise<number> {
  const { rows: tables } = await client.query<{ name: string | null }>(
    `SELECT to_regclass('"schemaVersion"')::text AS name`,
  )
  if (tables[0]?.name === null) return 0
  const { rows } = await client.query<{ version: number }>('SELECT version FROM "schemaVersion"')
  return rows[0]?.version ?? 0
}
