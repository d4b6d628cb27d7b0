import type { Socket } from "node:net"
import { Client, DatabaseError } from "pg"
import { endConnection, keepAlive, selectBackends, type Backend } from "./connection.ts"

/** How often the server is queried about connections that wait for an answer. */
const defaultCheckIntervalMs = 3_000
/** After this many consecutive looks without activity on either side, no answer will arrive. */
const maxSilentChecks = 3
/** A large statement may still be in transit over a slow network, so each block of this many bytes allows one more look. */
const bytesPerCheck = 300_000
const connectTimeoutMs = 3_000
const answerTimeoutMs = 2_000

/** A connection that waits for the answer to one or more consecutive statements. */
interface Waiting {
  client: Client
  backend: Backend
  /** Whether the wait also ends if the server doesn't answer any connection. */
  needsServer: boolean
  /** Called when no answer will arrive; the connection is destroyed right after. */
  silent?(): void
  /** Called at each look if the statement waits for a lock. */
  blocked?(): void
}

/** Ends connections whose answers were lost, without interrupting slow statements. */
export interface AnswerWatch extends Disposable {
  /** Watches a connection until the returned function is called. */
  watch(waiting: Waiting): () => void
}

interface Watched extends Waiting {
  since: number
  bytesBefore: number
  bytesRead: number
  silentChecks: number
}

/**
 * Every `pollIntervalMs`, checks over a new connection on the statements that take longer than that. A connection is silent if its backend is gone
 * or waits for this side, and no data is sent or received. It is ended on both sides, because the server would otherwise keep the locks of
 * its transaction.
 */
export function createAnswerWatch(url: string, pollIntervalMs = defaultCheckIntervalMs): AnswerWatch {
  const all = new Set<Watched>()
  /** Backends of silent connections that the server hasn't ended yet. */
  let silentBackends: Backend[] = []
  let isChecking = false

  async function check(): Promise<void> {
    const now = performance.now()
    const late = [...all].filter(({ since }) => now - since >= pollIntervalMs)
    if (late.length === 0 && silentBackends.length === 0) return
    const client = createClient(url)
    try {
      const seen = await readActivity(
        client,
        late.map(({ backend }) => backend.pid),
      )
      for (const each of late) {
        if (!all.has(each) || !isSilent(each, seen)) continue
        all.delete(each)
        silentBackends.push(each.backend)
        each.silent?.()
        getStream(each).destroy()
      }
      if (typeof seen === "string") return
      await endBackends(client, silentBackends)
      silentBackends = []
    } finally {
      void endConnection(client)
    }
  }

  function isSilent(each: Watched, seen: Seen): boolean {
    const { bytesRead, bytesWritten, writableLength } = getStream(each)
    const isMoving = bytesRead !== each.bytesRead || writableLength > 0
    each.bytesRead = bytesRead
    if (seen === "refused") return false
    const backend = seen === "unreachable" ? undefined : seen.get(each.backend.pid)
    const isSame = backend?.startedAt === each.backend.startedAt
    if (isSame && backend.isBlocked) each.blocked?.()
    const isIdle = seen === "unreachable" ? each.needsServer : !isSame || backend.isIdle
    each.silentChecks = isIdle && !isMoving ? each.silentChecks + 1 : 0
    return (
      each.silentChecks >= maxSilentChecks + Math.floor((bytesWritten - each.bytesBefore) / bytesPerCheck)
    )
  }

  const timer = setInterval(() => {
    if (isChecking) return
    isChecking = true
    void check()
      .catch(() => undefined) // retried at the next look
      .finally(() => (isChecking = false))
  }, pollIntervalMs).unref()

  return {
    watch(waiting) {
      const { bytesRead, bytesWritten: bytesBefore } = getStream(waiting)
      const watched = { ...waiting, since: performance.now(), bytesBefore, bytesRead, silentChecks: 0 }
      all.add(watched)
      return () => all.delete(watched)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** The driver's types allow for other kinds of streams, which the box doesn't use. */
const getStream = ({ client }: Waiting) => client.connection.stream as Socket

interface SeenBackend extends Backend {
  /** Whether the backend waits for this side: for a statement, the rest of one, or until an answer is read. */
  isIdle: boolean
  isBlocked: boolean
}

/** A server with too many connections refuses new ones, which says nothing about the existing connections. */
type Seen = ReadonlyMap<number, SeenBackend> | "refused" | "unreachable"

function createClient(url: string): Client {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    application_name: "casella-look",
    ...keepAlive,
  })
  client.on("error", () => undefined) // the statement reports it
  return client
}

async function readActivity(client: Client, pids: readonly number[]): Promise<Seen> {
  try {
    await client.connect()
    const { rows } = await client.query<SeenBackend>(
      `SELECT backends.*, coalesce(wait_event_type = 'Client', false) AS "isIdle",
          coalesce(wait_event_type = 'Lock', false) AS "isBlocked"
        FROM (${selectBackends}) AS backends JOIN pg_stat_activity USING (pid) WHERE pid = ANY($1)`,
      [pids],
    )
    return new Map(rows.map((backend) => [backend.pid, backend]))
  } catch (error) {
    return error instanceof DatabaseError ? "refused" : "unreachable"
  }
}

/** Tells the server to end connections, but doesn't wait for it. */
async function endBackends(client: Client, backends: readonly Backend[]): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM (${selectBackends}) AS backends
      JOIN unnest($1::integer[], $2::text[]) AS silent (pid, "startedAt") USING (pid, "startedAt")`,
    [backends.map(({ pid }) => pid), backends.map(({ startedAt }) => startedAt)],
  )
}
