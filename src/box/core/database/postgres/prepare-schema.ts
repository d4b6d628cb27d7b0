import { setTimeout as wait } from "node:timers/promises"
import { Client } from "pg"
import { AppError } from "../../../../shared/contract/errors.ts"
import { DatabaseUnusable } from "../database.ts"
import type { Migration } from "../migrations/registry.ts"
import { createAnswerWatch } from "./answer-watch.ts"
import {
  getBackend,
  endConnection,
  keepAlive,
  enableServerKeepAlive,
  shortAnswerMs,
  createTimedQuery,
} from "./connection.ts"
import type { DatabaseLease } from "./hold-database.ts"
import { firstPostgresVersion, postgresSchema } from "./schema.ts"

const connectTimeoutMs = 5_000
/** Timeout for another box that changes the schema. A single change may take twice as long. */
const lockTimeoutMs = 600_000
/** Maximum time that a box which vanished between two statements blocks others. */
const idleTimeoutMs = 30_000
const maxAttempts = 10
const retryDelayMs = 1_000
/** Advisory lock ID for changing the schema. */
const migrating = 8485

interface PrepareOptions {
  /** Application name of the connection, for the server's administrator. */
  name: string
  /** ID of a data directory: the rows are for a move from there. */
  movingFrom: string | null
  /** Throws `unavailable` while this process may not change the schema. */
  admit: DatabaseLease["admit"] | undefined
  /** Called at each look if another program holds a lock that this one needs. */
  waits(): void
  /** Called when the connection went silent, before a new one is opened. */
  onReconnect(): void
  /** How often the server is checked for the state of a statement. */
  pollIntervalMs?: number | undefined
}

/**
 * Updates a database to the latest schema, or waits for another program that does. A connection that goes silent is ended on both sides and
 * replaced; a slow schema change isn't interrupted.
 * @throws DatabaseUnusable if the database belongs to another data directory, or was written by a newer Casella
 */
export async function prepareSchema(
  url: string,
  steps: readonly Migration[],
  { name, movingFrom, admit, waits, onReconnect, pollIntervalMs }: PrepareOptions,
): Promise<void> {
  using answers = createAnswerWatch(url, pollIntervalMs)
  for (let attempts = 1; ; attempts++) {
    const client = createClient(url, name)
    let isSilent = false
    try {
      await client.connect()
      await client.query(createTimedQuery(shortAnswerMs, enableServerKeepAlive))
      await admit?.(client)
      const backend = await getBackend(client)
      const answered = answers.watch({
        client,
        backend,
        needsServer: false,
        silent() {
          isSilent = true
        },
        blocked: waits,
      })
      try {
        return await migrate(client, steps, movingFrom)
      } finally {
        answered()
      }
    } catch (error) {
      // The lock's connection may be silent as well, and is being replaced.
      const mayRetry = isSilent || (error instanceof AppError && error.code === "unavailable")
      if (!mayRetry || attempts === maxAttempts) throw error
    } finally {
      await endConnection(client)
    }
    onReconnect()
    await wait(retryDelayMs)
  }
}

function createClient(url: string, name: string): Client {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleTimeoutMs,
    query_timeout: 2 * lockTimeoutMs,
    application_name: name,
    ...keepAlive,
  })
  client.on("error", () => undefined) // the next statement reports it
  return client
}

async function migrate(
  client: Client,
  steps: readonly Migration[],
  movingFrom: string | null,
): Promise<void> {
  await client.query(`begin; select pg_advisory_xact_lock(${migrating})`)
  const version = await getVersion(client)
  if (version > steps.length)
    throw new DatabaseUnusable(
      "The PostgreSQL database was written by a newer version of Casella. Update Casella, or use another database.",
    )
  if (version === 0) await client.query(postgresSchema)
  for (const step of steps.slice(Math.max(version, firstPostgresVersion))) await client.query(step.sql)
  await client.query('UPDATE "schemaVersion" SET version = $1', [steps.length])
  await claimForMove(client, movingFrom)
  await client.query("commit")
}

async function claimForMove(client: Client, from: string | null): Promise<void> {
  const { rows } = await client.query<MoveRow>('SELECT "dataDirectory", moved FROM "schemaVersion"')
  const { dataDirectory = null, moved = true } = rows[0] ?? {}
  if (from !== null && from === dataDirectory) return
  if (!moved)
    throw new DatabaseUnusable(
      "The data in this PostgreSQL database was moved away, or its move isn't finished. Run the same move again, or create a new database.",
    )
  if (from === null) return
  if (dataDirectory !== null)
    throw new DatabaseUnusable(
      "The PostgreSQL database isn't empty: another data directory uses it. Create an empty database.",
    )
  const { rowCount } = await client.query("SELECT FROM users LIMIT 1")
  if (rowCount !== 0)
    throw new DatabaseUnusable(
      "The PostgreSQL database isn't empty: it already contains people. Create an empty database.",
    )
  await client.query('UPDATE "schemaVersion" SET "dataDirectory" = $1, moved = false', [from])
}

interface MoveRow {
  dataDirectory: string | null
  moved: boolean
}

/** Returns the number of applied migrations; 0 if there is no schema yet. */
async function getVersion(client: Client): Promise<number> {
  const { rows: tables } = await client.query<{ name: string | null }>(
    `SELECT to_regclass('"schemaVersion"')::text AS name`,
  )
  if (tables[0]?.name === null) return 0
  const { rows } = await client.query<{ version: number }>('SELECT version FROM "schemaVersion"')
  return rows[0]?.version ?? 0
}
