import { Client } from "pg"
import {
  createTimedQuery,
  enableServerKeepAlive,
  endBackend,
  endConnection,
  getBackend,
  isWithoutTables,
  keepAlive,
  shortAnswerMs,
  type Backend,
} from "./connection.ts"
import { migrationsOfPostgres } from "./migrations/registry.ts"

/** Advisory lock ID for the box that runs on the database. */
const running = 8486
const connectTimeoutMs = 5_000
/** Timeout for a connection of the previous box to end. By then, its writes are either stored or cancelled. */
const endTimeoutMs = 10_000

/**
 * Application name of the running box's connections, for the server's administrator, followed by a box's ID. These connections end when
 * another box takes over.
 */
export const runningBox = "casella-box"
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

export async function connect(url: string, address: string | null): Promise<Client> {
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
export async function nameConnection(client: Client, address: string): Promise<void> {
  const name = `${lockOfBox} ${address}`
  if (Buffer.byteLength(name) <= maxNameBytes)
    await client.query("SELECT set_config('application_name', $1, false)", [name])
}

/** Another box's connection that has the lock, or waits for it. */
export interface OtherBox {
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

export interface Heartbeat {
  /** Changes with every write. */
  over: string
  /** Addresses of other boxes. */
  others: string[]
}

/** Selects a `Heartbeat`. */
export const heartbeat = `SELECT pg_current_snapshot()::text AS over,
  ARRAY(SELECT ${addressInName} ${otherConnections} AND ${addressInName} <> '') AS others`

export async function findOtherBoxes(client: Client): Promise<OtherBox[]> {
  const { rows } = await client.query<OtherBox>(
    `SELECT pid, nullif(${addressInName}, '') AS address, coalesce(state = 'idle', false) AS "isIdle",
        coalesce(state_change::text, '') AS "usedAt",
        EXISTS (SELECT FROM pg_locks WHERE ${isLock} AND pg_locks.pid = pg_stat_activity.pid) AS holds ${otherConnections}`,
  )
  return rows
}

/** Ends the connection if it wasn't used in the meantime; returns whether it was ended. */
export async function endUnused(client: Client, { pid, usedAt }: OtherBox): Promise<boolean> {
  const { rows } = await client.query<{ ended: boolean }>(
    "SELECT pg_terminate_backend(pid, $3) AS ended FROM pg_stat_activity WHERE pid = $1 AND state_change::text = $2",
    [pid, usedAt, endTimeoutMs],
  )
  return rows[0]?.ended === true
}

/** Returns the name that the last process that took the database stored. */
export async function getLastHolder(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ value: string }>("SELECT value FROM settings WHERE key = $1", [
    heldByKey,
  ])
  return rows[0]?.value
}

export async function setLastHolder(client: Client, name: string): Promise<void> {
  await client.query(
    "INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    [heldByKey, name],
  )
}

/** Whether this server process has the lock. */
export async function isLockedBy(holder: number | null, client: Pick<Client, "query">): Promise<boolean> {
  const { rowCount } = await client.query(
    createTimedQuery(shortAnswerMs, `SELECT FROM pg_locks WHERE ${isLock} AND pid = $1`, [holder]),
  )
  return rowCount !== 0
}

/**
 * Whether a newer Casella changed the schema. Checked before taking the lock, so that a box that can't use the database doesn't block
 * others.
 */
export async function isSchemaNewer(client: Client): Promise<boolean> {
  try {
    const { rowCount } = await client.query('SELECT FROM "schemaVersion" WHERE version > $1', [
      migrationsOfPostgres.length,
    ])
    return rowCount !== 0
  } catch (error) {
    if (isWithoutTables(error)) return false // the connection broke before the first start created them
    throw error
  }
}

/**
 * Returns a function that takes the lock, and the right to write from its previous holder. It returns the server process that has the lock,
 * or null if another box has it. The server may keep a connection of this box that is broken on this side only, so the function first ends
 * each connection that has requested the lock before.
 */
export function createLock(name: string): (client: Client) => Promise<number | null> {
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
  const otherBoxConnections = `FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE '${runningBox} %' AND application_name <> $1`
  await client.query(`SELECT pg_terminate_backend(pid, ${endTimeoutMs}) ${otherBoxConnections}`, [name])
  // The server also reports a failure for a connection that has just ended by itself.
  if ((await client.query(`SELECT ${otherBoxConnections}`, [name])).rowCount !== 0)
    throw new Error("A connection of the previous server doesn't end.")
  return rows[0].pid
}
