import { setTimeout as wait } from "node:timers/promises"
import { Client, type PoolClient } from "pg"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { newId } from "../../ids.ts"
import { DatabaseUnusable } from "../database.ts"
import { migrationsOfPostgres } from "./migrations/registry.ts"
import { asUnusable } from "./postgres-errors.ts"

/** Of all locks that programs may agree on in a database, the one for the box that runs on it. */
const running = 8486
const connectTimeoutMs = 5_000
const againMs = 1_000
/** How often one that waits asks. */
const askMs = 200
/** How often the connection is used: so one that broke without a word is noticed, and what others write. */
const heartbeatMs = 500
/** What is written is known that soon, or it is known that it isn't. */
const knownMs = 1_000
/** How long a connection of the box before may take to end; what it was writing is stored by then, or never is. */
const endTimeoutMs = 10_000

/** By what the server's administrator tells connections of the box that runs, with an id of each; they end when another takes its place. */
const runningBox = "casella-box"
/** By what the server's administrator tells the connection that has the lock, or waits for it. */
const lockOfBox = "casella-lock"

/** A database that this process holds: one box at a time has its rows there. */
export interface HeldDatabase extends AsyncDisposable {
  /** What the connections of this process are to be called. */
  readonly name: string
  /** Another number within a second after anybody at all has written on the server; null while it doesn't say. */
  writes(): number | null
  /** Lets a new connection write. Throws `unavailable` while this process doesn't hold the database. */
  admit(client: Pick<PoolClient, "query">): Promise<void>
}

/** What a box does that finds another one running. */
export interface Waiting {
  /** Throws where it doesn't wait for that one. */
  begin(): Promise<unknown>
  /** Told once where a newer Casella has changed the schema: this box takes no place any more, however long it waits. */
  outdated(): void
}

/**
 * Holds a database for this process, over outages of the server too. Where another takes it meanwhile, this one ends with an error that
 * nobody catches; whoever takes it ends the connections of the one before first, so that none writes any more.
 * @param waiting what is done where another holds it
 * @throws DatabaseUnusable where another holds it that isn't waited for
 */
export async function holdDatabase(url: string, waiting: Waiting = never): Promise<HeldDatabase> {
  const ending = new AbortController()
  const name = `${runningBox} ${newId()}`
  let client = await connected(url).catch((error: unknown) => {
    throw asUnusable(error)
  })
  /** Process of the server's that has the lock. */
  let holder = await take(client, name).catch((error: unknown) => {
    throw asUnusable(error)
  })
  if (holder === null) {
    try {
      await waiting.begin()
    } catch (error) {
      await client.end()
      throw error
    }
    await takeOnceFree()
  }

  async function takeOnceFree(): Promise<void> {
    let isTold = false
    while (holder === null) {
      await wait(askMs)
      try {
        const isOutdated = await isNewer(client)
        if (!isOutdated) holder = await take(client, name)
        else if (!isTold) waiting.outdated()
        isTold ||= isOutdated
      } catch {
        await client.end().catch(() => undefined)
        client = await reconnected()
      }
    }
  }

  async function reconnected(): Promise<Client> {
    for (;;) {
      try {
        return await connected(url)
      } catch {
        await wait(againMs, undefined, { signal: ending.signal })
      }
    }
  }

  /** Another number for whatever transactions were over when the connection was last used. */
  let writes = 0
  let usedAt = -Infinity

  function follow(): void {
    const current = client
    let over: string | undefined
    let isAnswered = true
    const asking = setInterval(() => {
      if (!isAnswered) return
      isAnswered = false
      const at = performance.now()
      current.query<{ over: string }>("SELECT pg_current_snapshot()::text AS over").then(
        ({ rows }) => {
          isAnswered = true
          usedAt = at
          if (rows[0]?.over !== over) writes++
          over = rows[0]?.over
        },
        () => current.end().catch(() => undefined),
      )
    }, heartbeatMs).unref()
    current.once("end", () => {
      clearInterval(asking)
      holder = null
      usedAt = -Infinity
      if (!ending.signal.aborted) void takeAgain()
    })
  }

  async function takeAgain(): Promise<void> {
    while (!ending.signal.aborted) {
      client = await reconnected().catch(() => client)
      try {
        holder = (await isNewer(client)) ? null : await take(client, name)
      } catch {
        await client.end().catch(() => undefined)
        continue // the server went again, or the box ends
      }
      if (holder === null) return endProcess()
      follow()
      if (ending.signal.aborted) await client.end()
      return
    }
  }

  follow()
  return {
    name,
    writes: () => (performance.now() - usedAt > knownMs ? null : writes),
    async admit(connection) {
      const { rowCount } = await connection.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND (classid, objid, objsubid) = (0, ${running}, 1) AND granted
          AND pid = $1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        [holder],
      )
      if (rowCount === 0) throw new AppError("unavailable", sentence("core.database_away"))
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      await client.end().catch(() => undefined)
    },
  }
}

const never: Waiting = {
  begin: () =>
    Promise.reject(
      new DatabaseUnusable(
        "Another box runs on the PostgreSQL database. Stop it, or name another database. docs/team.md says how one waits to take its place.",
      ),
    ),
  outdated: () => undefined,
}

/** What is thrown where nothing can catch it ends the box (core/process/uncaught.ts); a rejection wouldn't. */
function endProcess(): void {
  setImmediate(() => {
    throw new DatabaseUnusable("Another box took the PostgreSQL database meanwhile.")
  })
}

async function connected(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: endTimeoutMs + connectTimeoutMs,
    keepAlive: true,
    application_name: lockOfBox,
  })
  client.on("error", () => undefined) // its end is told
  await client.connect()
  // A computer that vanishes without a word loses the lock after some ten seconds.
  await client.query(
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3",
  )
  return client
}

/** Whether a newer Casella changed the schema. Asked before the lock, so that no other finds it taken by a box that can't use it. */
async function isNewer(client: Client): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM "schemaVersion" WHERE version > $1', [
    migrationsOfPostgres.length,
  ])
  return rowCount !== 0
}

/** Takes the lock, and the right to write from whoever had it; answers the server's process that has it, null where another has it. */
async function take(client: Client, name: string): Promise<number | null> {
  const { rows } = await client.query<{ mine: boolean; pid: number }>(
    `SELECT pg_try_advisory_lock(${running}) AS mine, pg_backend_pid() AS pid`,
  )
  if (rows[0]?.mine !== true) return null
  const { rows: ended } = await client.query<{ all: boolean | null }>(
    `SELECT bool_and(pg_terminate_backend(pid, ${endTimeoutMs})) AS all FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE '${runningBox} %' AND application_name <> $1`,
    [name],
  )
  if (ended[0]?.all === false) throw new Error("A connection of the box before doesn't end.")
  return rows[0].pid
}
