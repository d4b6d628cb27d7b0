import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPoolClient,
  type TransactionSettings,
} from "kysely"
import type { Pool, PoolClient } from "pg"
import { waitAtMost } from "../../waiting/abort-and-timeout.ts"
import { DatabaseBusy } from "../database.ts"
import type { AnswerWatch } from "./answer-watch.ts"
import {
  getBackend,
  createTimedQuery,
  type Backend,
  toCallerError,
  isReadOnly,
  isServerFull,
  isUnanswered,
} from "./connection.ts"

/** PostgreSQL's text can't contain U+0000. Each one is stored as a pair of characters, of which the first isn't used in texts. */
const escape = "\uFFFE"
const toEscape = /[\0\uFFFE]/g
const escaped = /\uFFFE([01])/g

const toStored = (text: string): string =>
  text.replace(toEscape, (character) => (character === "\0" ? `${escape}0` : `${escape}1`))

export const fromStored = (text: string): string =>
  text.includes(escape)
    ? text.replace(escaped, (_all, which: string) => (which === "0" ? "\0" : escape))
    : text

/** Advisory lock ID for Casella's transactions. */
const writing = 8484

/** A connection that was idle for longer is tested before it is used. */
const maxUnusedMs = 30_000
const probeTimeoutMs = 2_000
/** Timeout for statements in progress when the dialect closes. */
const endTimeoutMs = 2_000

/** Throws if a new connection may not be used. */
type Admit = (client: PoolClient) => Promise<void>

interface DialectOptions {
  admit: Admit | undefined
  canRetry(): boolean
  answers: AnswerWatch
  /** Called when a statement fails because the server's disk is full. */
  onFull(): void
}

/** A pooled connection that has been used. */
interface Connection {
  client: PoolClient
  backend: Backend
  openedAt: number
  usedAt: Moment
}

/** A time on both clocks: the monotonic one may stand still while the computer sleeps, and the system's may be set. */
interface Moment {
  monotonicMs: number
  systemMs: number
}

const getMoment = (): Moment => ({ monotonicMs: performance.now(), systemMs: Date.now() })

/** The time passed according to the clock that has moved further. It may be longer than the actual time, but not shorter. */
function getLongestAge({ monotonicMs, systemMs }: Moment): number {
  const now = getMoment()
  return Math.max(now.monotonicMs - monotonicMs, Math.abs(now.systemMs - systemMs))
}

/**
 * Kysely's PostgreSQL dialect, for code that was written for a single writer: a transaction waits until no other box is in one, so that its
 * reads are still valid when it writes. Reads and single statements don't wait. `wrote` is called after each statement that may have
 * written, before its caller continues. `admit` checks each new connection before its first use. If waiting for the lock timed out, it is
 * retried as long as `canRetry` returns true. Errors of the server and the connection are converted to API errors. A connection that accepts
 * no changes, and those opened before, are replaced: the server may accept changes on new ones only.
 */
export function createPostgresDialect(
  pool: Pool,
  wrote: () => void,
  { admit, canRetry, answers, onFull }: DialectOptions,
): PostgresDialect {
  const { connect, replaceOpened } = createConnections(pool, admit)
  const end = createEnd(pool)
  const config: PostgresDialectConfig = {
    pool: {
      connect: async () =>
        clearClient(await connect().catch(rethrowInWords), {
          wrote,
          answers,
          onReadOnly: replaceOpened,
          onFull,
        }),
      end,
      options: pool.options,
    },
  }
  return new (class extends PostgresDialect {
    override createDriver(): PostgresDriver {
      return new OneWriter(config, canRetry)
    }
  })(config)
}

interface Connections {
  /** Takes a connection from the pool: a new one that is admitted, or an existing one that still works. */
  connect(): Promise<Connection>
  /** Replaces each connection that is open now, at its next use. */
  replaceOpened(): void
}

function createConnections(pool: Pool, admit: Admit | undefined): Connections {
  const used = new WeakMap<PoolClient, Connection>()
  let replacedUntil = -Infinity
  /** The last use of the most recently used connection that didn't answer. */
  let silentSince = -Infinity

  async function begin(client: PoolClient): Promise<Connection> {
    try {
      const backend = await getBackend(client)
      await admit?.(client)
      const connection = { client, backend, openedAt: performance.now(), usedAt: getMoment() }
      used.set(client, connection)
      return connection
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  async function works({ client, openedAt, usedAt }: Connection): Promise<boolean> {
    if (openedAt <= replacedUntil) return false
    if (getLongestAge(usedAt) < maxUnusedMs) return true
    // The cause of a silent connection also affected those that were idle for longer.
    if (usedAt.monotonicMs <= silentSince) return false
    try {
      await client.query(createTimedQuery(probeTimeoutMs, "SELECT 1"))
      return true
    } catch {
      silentSince = Math.max(silentSince, usedAt.monotonicMs)
      return false
    }
  }

  return {
    async connect() {
      for (;;) {
        const client = await pool.connect()
        const connection = used.get(client)
        if (!connection) return begin(client)
        if (await works(connection)) return connection
        client.connection.stream.destroy()
        client.release(true)
      }
    },
    replaceOpened: () => void (replacedUntil = performance.now()),
  }
}

/** Returns a function that closes all connections, even if the server no longer answers. */
function createEnd(pool: Pool): () => Promise<void> {
  const open = new Set<PoolClient>()
  pool.on("connect", (client) => {
    open.add(client)
    client.once("end", () => open.delete(client))
  })
  return async () => {
    setTimeout(() => {
      for (const { connection } of open) connection.stream.destroy()
    }, endTimeoutMs).unref()
    await waitAtMost(endTimeoutMs, pool.end())
  }
}

class OneWriter extends PostgresDriver {
  readonly #canRetry: () => boolean

  constructor(config: PostgresDialectConfig, canRetry: () => boolean) {
    super(config)
    this.#canRetry = canRetry
  }

  /** A transaction with a named isolation level only reads a snapshot. */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    if (settings.isolationLevel) return super.beginTransaction(connection, settings)
    for (;;) {
      try {
        await connection.executeQuery(CompiledQuery.raw(`begin; select pg_advisory_xact_lock(${writing})`))
        return
      } catch (error) {
        await this.#undo(connection) // it has started, but timed out waiting for the lock
        if (!(error instanceof DatabaseBusy && this.#canRetry())) throw error
      }
    }
  }

  override rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#undo(connection)
  }

  /** A broken connection has nothing to roll back, and is discarded. */
  async #undo(connection: DatabaseConnection): Promise<void> {
    await super
      .rollbackTransaction(connection as Parameters<PostgresDriver["rollbackTransaction"]>[0])
      .catch(() => undefined)
  }
}

interface ClientOptions {
  wrote: () => void
  answers: AnswerWatch
  onReadOnly: () => void
  onFull: () => void
}

function clearClient(
  connection: Connection,
  { wrote, answers, onReadOnly, onFull }: ClientOptions,
): PostgresPoolClient {
  const { client, backend } = connection
  let isLost = false
  const query = async (text: string, values: readonly unknown[]) => {
    const answered = answers.watch({ client, backend, needsServer: true })
    try {
      return await client.query(text, values.map(storable))
    } catch (error) {
      if (isReadOnly(error)) onReadOnly()
      if (isServerFull(error)) onFull()
      isLost ||= isUnanswered(error) || isReadOnly(error)
      throw toCallerError(error)
    } finally {
      answered()
      if (!/^select\b/i.test(text)) wrote()
    }
  }
  return {
    query: query as unknown as PostgresPoolClient["query"],
    release(destroy = false) {
      connection.usedAt = getMoment()
      client.release(destroy || isLost)
    },
  }
}

const storable = (value: unknown) => (typeof value === "string" ? toStored(value) : value)

/** Rethrows the error of a connection that couldn't be opened. */
function rethrowInWords(error: unknown): never {
  throw toCallerError(error, false)
}
