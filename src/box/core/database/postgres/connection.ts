import type { Client, QueryConfig } from "pg"

/** How long the server has to close a connection. */
const endTimeoutMs = 1_000
/** How long a process of the server's may take to end. */
const endBackendTimeoutMs = 10_000
/** How long the server may take to answer what needs no work. */
export const shortAnswerMs = 5_000

/**
 * Options of every connection. Without traffic, routers and load balancers forget a connection after some minutes; and this side learns
 * that a connection broke only if it sends something.
 */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/** Run on a connection that holds a lock: the server ends it some ten seconds after the other side vanished without a word. */
export const keepAliveOnServer =
  "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3"

/** Returns a statement that fails if the answer takes longer: the driver knows this limit, but its types don't. */
export function withLimit(timeoutMs: number, text: string, values?: unknown[]): QueryConfig {
  const statement = { text, query_timeout: timeoutMs, ...(values && { values }) }
  return statement
}

/** Ends a connection, without the server if that no longer answers. Never throws. */
export async function endConnection(client: Client): Promise<void> {
  const late = setTimeout(() => client.connection.stream.destroy(), endTimeoutMs)
  await client.end().catch(() => undefined)
  clearTimeout(late)
}

/** A process of the server's for one connection. Another process may get its number later. */
export interface Backend {
  pid: number
  startedAt: string
}

/** Selects backends. */
export const ofBackend =
  'SELECT pid, extract(epoch FROM backend_start)::text AS "startedAt" FROM pg_stat_activity'

/** Returns the server's process for this connection. */
export async function backendOf(client: Pick<Client, "query">): Promise<Backend> {
  const { rows } = await client.query<Backend>(
    withLimit(shortAnswerMs, `${ofBackend} WHERE pid = pg_backend_pid()`),
  )
  const [backend] = rows
  if (!backend) throw new Error("The server doesn't list the connection that asks.")
  return backend
}

/** Ends another connection on the server, unless it has ended already. Throws if it doesn't end in time. */
export async function endBackend(client: Client, { pid, startedAt }: Backend): Promise<void> {
  const { rows } = await client.query<{ ended: boolean }>(
    withLimit(
      endBackendTimeoutMs + shortAnswerMs,
      `SELECT pg_terminate_backend(pid, $3) AS ended FROM (${ofBackend}) AS backends WHERE pid = $1 AND "startedAt" = $2`,
      [pid, startedAt, endBackendTimeoutMs],
    ),
  )
  if (rows[0]?.ended === false) throw new Error("A previous connection of this box doesn't end.")
}
