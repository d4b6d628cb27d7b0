import type { Socket } from "node:net"
import { Client, DatabaseError } from "pg"
import { endConnection, keepAlive, ofBackend, type Backend } from "./connection.ts"

/** How often the server is asked about connections that wait for an answer. */
const defaultLookMs = 3_000
/** After this many looks in a row at which neither side did anything, the answer isn't going to come. */
const maxSilentLooks = 3
const connectTimeoutMs = 3_000
const answerTimeoutMs = 2_000

/** A connection that waits for the answer to a statement, or to several one after the other. */
interface Waiting {
  client: Client
  backend: Backend
  /** Whether the wait also ends if the server answers no one. */
  needsServer: boolean
  /** Called when no answer is going to come; the connection is destroyed right after. */
  silent?(): void
  /** Called at each look at which the statement waits for a lock. */
  blocked?(): void
}

/** Ends connections that wait for answers which got lost, and leaves alone statements that take long. */
export interface AnswerWatch extends Disposable {
  /** Watches a connection until the returned function is called. */
  watch(waiting: Waiting): () => void
}

interface Watched extends Waiting {
  since: number
  bytesRead: number
  silentLooks: number
}

/**
 * Asks the server over a new connection, every `lookMs`, what became of the statements that take longer than that. A connection is
 * silent if its backend is gone or waits for this side, and nothing is sent or received.
 */
export function createAnswerWatch(url: string, lookMs = defaultLookMs): AnswerWatch {
  const all = new Set<Watched>()
  let isLooking = false

  async function look(): Promise<void> {
    const now = performance.now()
    const late = [...all].filter(({ since }) => now - since >= lookMs)
    if (late.length === 0) return
    const seen = await lookAt(
      url,
      late.map(({ backend }) => backend.pid),
    )
    for (const each of late) if (all.has(each)) judge(each, seen)
  }

  function judge(each: Watched, seen: Seen): void {
    const stream = streamOf(each)
    const isMoving = stream.bytesRead !== each.bytesRead || stream.writableLength > 0
    each.bytesRead = stream.bytesRead
    if (seen === "refused") return
    const backend = seen === "unreachable" ? undefined : seen.get(each.backend.pid)
    const isSame = backend?.startedAt === each.backend.startedAt
    if (isSame && backend.isBlocked) each.blocked?.()
    const isIdle = seen === "unreachable" ? each.needsServer : !isSame || backend.isIdle
    each.silentLooks = isIdle && !isMoving ? each.silentLooks + 1 : 0
    if (each.silentLooks < maxSilentLooks) return
    all.delete(each)
    each.silent?.()
    stream.destroy()
  }

  const looking = setInterval(() => {
    if (isLooking) return
    isLooking = true
    void look().finally(() => (isLooking = false))
  }, lookMs).unref()

  return {
    watch(waiting) {
      const { bytesRead } = streamOf(waiting)
      const watched = { ...waiting, since: performance.now(), bytesRead, silentLooks: 0 }
      all.add(watched)
      return () => all.delete(watched)
    },
    [Symbol.dispose]: () => clearInterval(looking),
  }
}

/** The driver's types allow for streams of other kinds, which this box doesn't use. */
const streamOf = ({ client }: Waiting) => client.connection.stream as Socket

interface SeenBackend extends Backend {
  /** Whether it waits for this side: for a statement, the rest of one, or until an answer is taken. */
  isIdle: boolean
  isBlocked: boolean
}

/** A server that has too many connections refuses, which says nothing about the others. */
type Seen = ReadonlyMap<number, SeenBackend> | "refused" | "unreachable"

async function lookAt(url: string, pids: readonly number[]): Promise<Seen> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    application_name: "casella-look",
    ...keepAlive,
  })
  client.on("error", () => undefined) // the statement reports it
  try {
    await client.connect()
    const { rows } = await client.query<SeenBackend>(
      `SELECT backends.*, coalesce(wait_event_type = 'Client', false) AS "isIdle",
          coalesce(wait_event_type = 'Lock', false) AS "isBlocked"
        FROM (${ofBackend}) AS backends JOIN pg_stat_activity USING (pid) WHERE pid = ANY($1)`,
      [pids],
    )
    return new Map(rows.map((backend) => [backend.pid, backend]))
  } catch (error) {
    return error instanceof DatabaseError ? "refused" : "unreachable"
  } finally {
    void endConnection(client)
  }
}
