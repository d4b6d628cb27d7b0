import type { Client, QueryConfig } from "pg"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { DatabaseAway, DatabaseBusy, DatabaseUnusable } from "../database.ts"

/** Lock not available, statement cancelled by its timeout, deadlock. */
const busy = /^(55P03|57014|40P01)$/
/**
 * Connection exceptions; permissions, names and databases that changed while the box runs; a server that is read-only, overloaded, stopping
 * or starting; and network errors.
 */
const away = /^(08...|25006|25P0[34]|28...|3D000|42501|53[023]..|57P0[1-5]|58...|E[A-Z]+)$/
/** The driver's own errors, which have no codes. */
const cutOff = /^(Connection terminated|timeout expired|Client has encountered)/
/** Driver errors if all connections of the box are in use, or a new one takes too long: nothing was sent. */
const noConnection =
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)/
const unanswered = "Query read timeout"
const diskFull = "53100"
const readOnly = "25006"

const getCode = (error: unknown): string => (error as { code?: string } | null)?.code ?? ""

/** Whether the outcome of the statement is unknown: the connection can't be used any more. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.message === unanswered

/** Whether the server or the network caused the error, and not the statement. */
const isAway = (error: unknown): boolean =>
  away.test(getCode(error)) || isUnanswered(error) || (error instanceof Error && cutOff.test(error.message))

/** Whether the server accepts no changes on this connection. */
export const isReadOnly = (error: unknown): boolean => getCode(error) === readOnly

/** A statement that fails as a change would on a connection that accepts none. */
export const requireWritable = `DO $$ BEGIN
  IF current_setting('transaction_read_only')::boolean THEN
    RAISE read_only_sql_transaction USING MESSAGE = 'The database accepts no changes.';
  END IF;
END $$`

/** Whether the server's disk is full. */
export const isServerFull = (error: unknown): boolean => getCode(error) === diskFull

/** Takes about a megabyte of the server's disk in a transaction. Roll it back. */
export const takeSpace = `CREATE UNLOGGED TABLE "spaceTaken" AS SELECT md5(number::text) FROM generate_series(1, 20000) AS number`

/** Whether the database has no tables yet. */
export const isWithoutTables = (error: unknown): boolean => getCode(error) === "42P01"

/** Whether a reported failure was caused by the server or the network, so that the same may work later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof DatabaseAway || error instanceof DatabaseBusy) return true
  if (!(error instanceof DatabaseUnusable || error instanceof AppError)) return false
  const { cause } = error
  return isServerFull(cause) || isTemporary(cause) || (error instanceof DatabaseUnusable && isAway(cause))
}

/**
 * Converts an error of the server or the network into the error that callers of the box receive.
 * @param wasSent whether the statement may have reached the server
 */
export function toCallerError(cause: unknown, wasSent = true): unknown {
  const code = getCode(cause)
  if (busy.test(code) || (cause instanceof Error && noConnection.test(cause.message)))
    return new DatabaseBusy(cause, sentence("core.database_slow"))
  if (code === readOnly) return new DatabaseAway(cause, sentence("core.database_read_only"), true)
  if (code === diskFull) return new AppError("disk_full", sentence("core.database_disk_full"), { cause })
  if (isAway(cause)) return new DatabaseAway(cause, sentence("core.database_away"), !wasSent)
  return cause
}

/** Explains why a box can't start on a server, and what to do about it. */
export function toDatabaseUnusable(cause: unknown): DatabaseUnusable {
  return new DatabaseUnusable(`The PostgreSQL database can't be used: ${getReason(cause)}`, { cause })
}

function getReason(cause: unknown): string {
  switch (getCode(cause)) {
    case "28P01":
    case "28000":
      return "the server refuses the name or the password. Look at --database-url."
    case "3D000":
      return "the server has no database of that name. Make it first, or look at --database-url."
    case "42501":
      return "the user may not make tables or extensions in it. Give it the database: ALTER DATABASE … OWNER TO …."
    case "0A000":
    case "58P01":
      return "the server lacks the extension pg_trgm, or ICU. Install its contrib package (postgresql-contrib)."
    case readOnly:
      return "it accepts no changes. Check whether the server is a standby, and check default_transaction_read_only."
    case "22021":
    case "22P05":
      return "it doesn't hold every character. Make one with ENCODING 'UTF8'."
    default: {
      if (isAway(cause))
        return "the server can't be reached. Check that it is running, and check --database-url."
      return `${cause instanceof Error ? cause.message : String(cause)}.`
    }
  }
}

/** Timeout for the server to close a connection. */
const endTimeoutMs = 1_000
/** Timeout for a server process to end. */
const endBackendTimeoutMs = 10_000
/** Timeout for answers that need no work. */
export const shortAnswerMs = 5_000

/**
 * Options of every connection. Routers and load balancers forget an idle connection after some minutes, and this side notices a broken
 * connection only when it sends something.
 */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/** Run on a connection that holds a lock, so that the server ends it about ten seconds after the other side vanished. */
export const enableServerKeepAlive =
  "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3"

/** Returns a statement that fails if the answer takes longer. The driver supports this limit, but its types don't include it. */
export function createTimedQuery(timeoutMs: number, text: string, values?: unknown[]): QueryConfig {
  const statement = { text, query_timeout: timeoutMs, ...(values && { values }) }
  return statement
}

/** Ends a connection, even if the server no longer answers. Never throws. */
export async function endConnection(client: Client): Promise<void> {
  const late = setTimeout(() => client.connection.stream.destroy(), endTimeoutMs)
  await client.end().catch(() => undefined)
  clearTimeout(late)
}

/** A server process for one connection. Another process may get its ID later. */
export interface Backend {
  pid: number
  startedAt: string
}

/** Selects backends. */
export const selectBackends =
  'SELECT pid, extract(epoch FROM backend_start)::text AS "startedAt" FROM pg_stat_activity'

/** Returns the server's process for this connection. */
export async function getBackend(client: Pick<Client, "query">): Promise<Backend> {
  const { rows } = await client.query<Backend>(
    createTimedQuery(shortAnswerMs, `${selectBackends} WHERE pid = pg_backend_pid()`),
  )
  const [backend] = rows
  if (!backend) throw new Error("The server doesn't list the connection that asks.")
  return backend
}

/** Ends another connection on the server, if it is still open. Throws if it doesn't end in time. */
export async function endBackend(client: Client, { pid, startedAt }: Backend): Promise<void> {
  const { rows } = await client.query<{ ended: boolean }>(
    createTimedQuery(
      endBackendTimeoutMs + shortAnswerMs,
      `SELECT pg_terminate_backend(pid, $3) AS ended FROM (${selectBackends}) AS backends WHERE pid = $1 AND "startedAt" = $2`,
      [pid, startedAt, endBackendTimeoutMs],
    ),
  )
  if (rows[0]?.ended === false) throw new Error("A previous connection of this server doesn't end.")
}
