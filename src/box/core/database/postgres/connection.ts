import type { Client, QueryConfig } from "pg"

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
  if (rows[0]?.ended === false) throw new Error("A previous connection of this box doesn't end.")
}
