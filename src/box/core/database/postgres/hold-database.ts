import { setTimeout as wait } from "node:timers/promises"
import { Client, type PoolClient } from "pg"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { newId } from "../../ids.ts"
import { DatabaseUnusable } from "../database.ts"
import {
  getBackend,
  endBackend,
  endConnection,
  keepAlive,
  enableServerKeepAlive,
  shortAnswerMs,
  createTimedQuery,
  type Backend,
  toDatabaseUnusable,
} from "./connection.ts"
import { migrationsOfPostgres } from "./migrations/registry.ts"

/** Advisory lock ID for the box that runs on the database. */
const running = 8486
const connectTimeoutMs = 5_000
const retryDelayMs = 1_000
/** How often a standby box requests the lock. */
const lockRetryMs = 200
/**
 * The running box uses its connection every `heartbeatMs`. A standby box takes over after it has seen the connection unused for this long.
 * Each answered look adds the time since the previous look, at most `maxCountedMs`, so that an outage of the server or the network, or a
 * sleeping computer, doesn't end a lease.
 */
const leaseMs = 6_000
const maxCountedMs = 1_000
/** How often the connection is used, to notice broken connections and other programs' writes. */
const heartbeatMs = 500
/** Maximum age of the information about writes. After this time, it is treated as unknown. */
const knownMs = 1_000
/** Time without an answer after which the box is treated as cut off from the database. */
const cutOffMs = 3_000
/** Timeout for a connection of the previous box to end. By then, its writes are either stored or cancelled. */
const endTimeoutMs = 10_000
/** How often a running box that is cut off checks whether another box runs. */
const othersMs = 1_000

/**
 * Application name of the running box's connections, for the server's administrator, followed by a box's ID. These connections end when
 * another box takes over.
 */
const runningBox = "casella-box"
/**
 * Application name of the connection that has the lock or waits for it, for the server's administrator, followed by the address of a
 * standby box.
 */
const lockOfBox = "casella-lock"
/** The server truncates longer names. */
const maxNameBytes = 63
/** Key of the stored value that names the last process that took the database. */
const heldByKey = "heldBy"

const isLock = `locktype = 'advisory' AND (classid, objid, objsubid) = (0, ${running}, 1) AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** A database that this process holds. Only one box at a time uses the rows in it. */
export interface DatabaseLease extends AsyncDisposable {
  /** Application name for this process's connections. */
  readonly name: string
  /** Returns a number that changes within a second after anyone has written on the server; null while the server doesn't answer. */
  writes(): number | null
  /** Allows a new connection to write. Throws `unavailable` while this process doesn't hold the database. */
  admit(client: Pick<PoolClient, "query">): Promise<void>
  /** Records, when the schema exists, that this process has the database, so that it can later detect whether another process had it. */
  claim(): Promise<void>
}

/** A running or standby box's knowledge of the database and the other boxes. */
export interface Contact {
  /** Whether the server hasn't answered for some seconds. */
  isCutOff(): boolean
  /** Addresses of other boxes that are or were on standby, from the server's last answer. */
  others(): readonly string[]
}

/** How a box reacts to other boxes on the same database. */
export interface OtherBoxes {
  /** Called if another box runs. Returns the address at which other boxes reach this one; throws if this box must not wait. */
  wait(contact: Contact): Promise<string>
  /** Called once if a newer Casella has changed the schema, so that this box can't take over any more. */
  onOutdated(): void
  /** Called when this box ends the connection of a running box that stopped using it. */
  onLapsed(): void
  /** Returns the first of these addresses at which a box runs; null if there is none. */
  findRunning(addresses: readonly string[]): Promise<string | null>
}

/**
 * Holds a database for this process, even across server outages. If another process takes the database, this one ends with an uncaught
 * error. A process that takes the database first ends the previous process's connections, so that none of them writes any more.
 * @param boxes how to react to other boxes; without it, a running box is an error
 * @param lost called when another box has taken the database
 * @throws DatabaseUnusable if another box holds it and can't be waited for
 */
export async function acquireDatabase(
  url: string,
  boxes: OtherBoxes | null = null,
  onLost: () => void = endProcess,
): Promise<DatabaseLease> {
  const ending = new AbortController()
  const name = `${runningBox} ${newId()}`
  let address: string | null = null
  let isClaimed = false
  let others: readonly string[] = []
  let answeredAt = performance.now()
  const contact: Contact = {
    isCutOff: () => performance.now() - answeredAt > cutOffMs,
    others: () => others,
  }
  const takeLock = createLock(name)
  let client = await connect(url, null).catch((error: unknown) => {
    throw toDatabaseUnusable(error)
  })
  /** Server process that has the lock. */
  let holder = await takeLock(client).catch((error: unknown) => {
    throw toDatabaseUnusable(error)
  })
  if (holder === null) {
    try {
      if (boxes === null) throw anotherBoxRunsError()
      address = await boxes.wait(contact)
      // If the connection broke in the meantime, the next one gets the name.
      await nameConnection(client, address).catch(() => undefined)
    } catch (error) {
      await endConnection(client)
      throw error
    }
    await takeOnceFree(boxes)
  }

  async function takeOnceFree({ onOutdated, onLapsed }: OtherBoxes): Promise<void> {
    let isReported = false
    const isUnused = createLeaseExpiryCheck()
    while (holder === null) {
      await wait(lockRetryMs)
      try {
        const isOutdated = await isSchemaNewer(client)
        const found = await findOtherBoxes(client)
        answeredAt = performance.now()
        others = found.flatMap((box) => box.address ?? [])
        const lapsedBox = found.find((box) => isUnused(box, answeredAt))
        if (isOutdated) {
          if (!isReported) onOutdated()
          isReported = true
          continue
        }
        if (lapsedBox && (await endUnused(client, lapsedBox))) onLapsed()
        holder = await takeLock(client)
      } catch {
        await endConnection(client)
        client = await reconnect()
      }
    }
  }

  async function reconnect(): Promise<Client> {
    for (;;) {
      try {
        return await connect(url, address)
      } catch {
        await wait(retryDelayMs, undefined, { signal: ending.signal })
      }
    }
  }

  /** Changes whenever a transaction has ended, as seen when the connection was last used. */
  let writes = 0
  let usedAt = -Infinity

  function startHeartbeat(): void {
    const current = client
    let over: string | undefined
    let isAnswered = true
    const asking = setInterval(() => {
      if (!isAnswered) return
      isAnswered = false
      const at = performance.now()
      current.query<{ over: string; others: string[] }>(heartbeat).then(
        ({ rows }) => {
          isAnswered = true
          usedAt = at
          answeredAt = performance.now()
          if (rows[0]?.over !== over) writes++
          over = rows[0]?.over
          others = rows[0]?.others ?? []
        },
        () => endConnection(current),
      )
    }, heartbeatMs).unref()
    current.once("end", () => {
      clearInterval(asking)
      holder = null
      usedAt = -Infinity
      if (!ending.signal.aborted) void reacquireLock()
    })
  }

  async function reacquireLock(): Promise<void> {
    while (!ending.signal.aborted) {
      client = await reconnect().catch(() => client)
      try {
        holder = (await isSchemaNewer(client)) ? null : await takeLock(client)
        // If another box had the database in between, this box's remembered data is outdated.
        if (holder !== null && isClaimed && (await lastHolder(client)) !== name) holder = null
      } catch {
        // The server stopped again or fails, or the box is ending.
        await endConnection(client)
        await wait(retryDelayMs, undefined, { signal: ending.signal }).catch(() => undefined)
        continue
      }
      if (holder === null) {
        await endConnection(client)
        return onLost()
      }
      startHeartbeat()
      if (ending.signal.aborted) await endConnection(client)
      return
    }
  }

  /** While the server doesn't answer, only another box can report that it has taken the database. */
  let isAsking = false
  const askingOthers =
    boxes &&
    setInterval(() => {
      if (isAsking || !contact.isCutOff()) return
      isAsking = true
      boxes
        .findRunning(others)
        .then((found) => found !== null && contact.isCutOff() && !ending.signal.aborted && onLost())
        .catch(() => undefined) // retried at the next interval
        .finally(() => (isAsking = false))
    }, othersMs).unref()

  startHeartbeat()
  return {
    name,
    writes: () => (performance.now() - usedAt > knownMs ? null : writes),
    async admit(connection) {
      const { rowCount } = await connection.query(
        createTimedQuery(shortAnswerMs, `SELECT FROM pg_locks WHERE ${isLock} AND pid = $1`, [holder]),
      )
      if (rowCount === 0) throw new AppError("unavailable", sentence("core.database_away"))
    },
    async claim() {
      await client.query(
        "INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [heldByKey, name],
      )
      isClaimed = true
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      if (askingOthers) clearInterval(askingOthers)
      await endConnection(client)
    },
  }
}

/** Whether a box holds the database. */
export async function isDatabaseInUse(url: string): Promise<boolean> {
  const client = await connect(url, null)
  try {
    const { rowCount } = await client.query(`SELECT FROM pg_locks WHERE ${isLock}`)
    return rowCount !== 0
  } finally {
    await endConnection(client)
  }
}

const anotherBoxRunsError = () =>
  new DatabaseUnusable(
    "Another box runs on the PostgreSQL database. Stop it, or name another database. docs/team.md says how one waits to take its place.",
  )

export const databaseTakenError = () =>
  new DatabaseUnusable("Another box took the PostgreSQL database meanwhile.")

/** An error thrown from here can't be caught, so it ends the box (core/process/uncaught.ts); a rejection wouldn't. */
function endProcess(): void {
  setImmediate(() => {
    throw databaseTakenError()
  })
}

async function connect(url: string, address: string | null): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: endTimeoutMs + connectTimeoutMs,
    ...keepAlive,
    application_name: lockOfBox,
  })
  client.on("error", () => undefined) // the `end` event is handled
  await client.connect()
  try {
    await client.query(enableServerKeepAlive)
    if (address !== null) await nameConnection(client, address)
    return client
  } catch (error) {
    await endConnection(client)
    throw error
  }
}

/** Publishes the address of this box to the others in its connection's name. */
async function nameConnection(client: Client, address: string): Promise<void> {
  const name = `${lockOfBox} ${address}`
  if (Buffer.byteLength(name) <= maxNameBytes)
    await client.query("SELECT set_config('application_name', $1, false)", [name])
}

/** Another box's connection that has the lock, or waits for it. */
interface OtherBox {
  pid: number
  /** Null if it never waited, or if its address is too long. */
  address: string | null
  holds: boolean
  /** Whether the server waits for its next statement. */
  isIdle: boolean
  /** When it was last used, according to the server's clock. */
  usedAt: string
}

const otherConnections = `FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND (application_name = '${lockOfBox}' OR application_name LIKE '${lockOfBox} %')`
const addressInName = `substring(application_name FROM ${lockOfBox.length + 2})`

/** Returns a mark that changes with every write, and the addresses of other boxes. */
const heartbeat = `SELECT pg_current_snapshot()::text AS over,
  ARRAY(SELECT ${addressInName} ${otherConnections} AND ${addressInName} <> '') AS others`

async function findOtherBoxes(client: Client): Promise<OtherBox[]> {
  const { rows } = await client.query<OtherBox>(
    `SELECT pid, nullif(${addressInName}, '') AS address, coalesce(state = 'idle', false) AS "isIdle",
        coalesce(state_change::text, '') AS "usedAt",
        EXISTS (SELECT FROM pg_locks WHERE ${isLock} AND pg_locks.pid = pg_stat_activity.pid) AS holds ${otherConnections}`,
  )
  return rows
}

/**
 * Returns a function that tells whether the lease of the box that holds the database has expired. Call it with the result of each look and
 * the time of its answer, in ms.
 */
export function createLeaseExpiryCheck(): (box: Omit<OtherBox, "address">, at: number) => boolean {
  let seen = ""
  let seenAt = 0
  let unusedMs = 0
  return ({ pid, holds, isIdle, usedAt }, at) => {
    if (!holds) return false
    const now = `${pid} ${usedAt}`
    unusedMs = now === seen && isIdle && usedAt !== "" ? unusedMs + Math.min(at - seenAt, maxCountedMs) : 0
    seen = now
    seenAt = at
    return unusedMs >= leaseMs
  }
}

/** Ends the connection if it wasn't used in the meantime; returns whether it was ended. */
async function endUnused(client: Client, { pid, usedAt }: OtherBox): Promise<boolean> {
  const { rows } = await client.query<{ ended: boolean }>(
    "SELECT pg_terminate_backend(pid, $3) AS ended FROM pg_stat_activity WHERE pid = $1 AND state_change::text = $2",
    [pid, usedAt, endTimeoutMs],
  )
  return rows[0]?.ended === true
}

async function lastHolder(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ value: string }>("SELECT value FROM settings WHERE key = $1", [
    heldByKey,
  ])
  return rows[0]?.value
}

/**
 * Whether a newer Casella changed the schema. Checked before taking the lock, so that a box that can't use the database doesn't block
 * others.
 */
async function isSchemaNewer(client: Client): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM "schemaVersion" WHERE version > $1', [
    migrationsOfPostgres.length,
  ])
  return rowCount !== 0
}

/**
 * Returns a function that takes the lock, and the right to write from its previous holder. It returns the server process that has the lock,
 * or null if another box has it. The server may keep a connection of this box that is broken on this side only, so the function first ends
 * each connection that has requested the lock before.
 */
function createLock(name: string): (client: Client) => Promise<number | null> {
  let asked: readonly Backend[] = []
  return async (client) => {
    const current = await getBackend(client)
    const previous = asked.filter(({ pid }) => pid !== current.pid)
    asked = [...previous, current]
    for (const backend of previous) await endBackend(client, backend)
    asked = [current]
    return take(client, name)
  }
}

/**
 * Takes the lock, and the right to write from its previous holder. Returns the server process that has it, or null if another box has it.
 */
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
