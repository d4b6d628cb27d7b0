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
import { DatabaseBusy } from "../database.ts"
import { toStored } from "./nul.ts"
import { inWords, isUnanswered } from "./postgres-errors.ts"

/** Of all locks that programs may agree on in a database, the one for Casella's transactions. */
const writing = 8484

/** Throws where a new connection may not be used. */
type Admit = (client: PoolClient) => Promise<void>

/**
 * Kysely's PostgreSQL dialect, for code that was written for one writer at a time: whoever begins a transaction waits until no
 * other box is in one, so that what it read still holds when it writes. Reading, and single statements, wait for nobody.
 * `wrote` is called after each statement that may have written, before whoever asked for it goes on. Each new connection is shown to
 * `admit` before its first use. If waiting for the lock timed out, it is tried again as long as `mayWait` returns true. Errors of the
 * server and of the connection are thrown as the errors that callers of the API get.
 */
export function createPostgresDialect(
  pool: Pool,
  wrote: () => void,
  { admit, mayWait }: { admit: Admit | undefined; mayWait(): boolean },
): PostgresDialect {
  const admitted = new WeakSet<PoolClient>()
  async function connect(): Promise<PoolClient> {
    const client = await pool.connect()
    if (!admit || admitted.has(client)) return client
    try {
      await admit(client)
    } catch (error) {
      client.release(true)
      throw error
    }
    admitted.add(client)
    return client
  }
  const config: PostgresDialectConfig = {
    pool: {
      connect: async () => clearClient(await connect().catch(rethrowInWords), wrote),
      end: () => pool.end(),
      options: pool.options,
    },
  }
  return new (class extends PostgresDialect {
    override createDriver(): PostgresDriver {
      return new OneWriter(config, mayWait)
    }
  })(config)
}

class OneWriter extends PostgresDriver {
  readonly #mayWait: () => boolean

  constructor(config: PostgresDialectConfig, mayWait: () => boolean) {
    super(config)
    this.#mayWait = mayWait
  }

  /** One of a named isolation level only reads, as things were at one moment. */
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
        if (!(error instanceof DatabaseBusy && this.#mayWait())) throw error
      }
    }
  }

  override rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#undo(connection)
  }

  /** A connection that broke has nothing to take back, and is thrown away. */
  async #undo(connection: DatabaseConnection): Promise<void> {
    await super
      .rollbackTransaction(connection as Parameters<PostgresDriver["rollbackTransaction"]>[0])
      .catch(() => undefined)
  }
}

function clearClient(client: PoolClient, wrote: () => void): PostgresPoolClient {
  let isLost = false
  const query = async (text: string, values: readonly unknown[]) => {
    try {
      return await client.query(text, values.map(storable))
    } catch (error) {
      isLost ||= isUnanswered(error)
      throw inWords(error)
    } finally {
      if (!/^select\b/i.test(text)) wrote()
    }
  }
  return {
    query: query as unknown as PostgresPoolClient["query"],
    release: (destroy = false) => client.release(destroy || isLost),
  }
}

const storable = (value: unknown) => (typeof value === "string" ? toStored(value) : value)

function rethrowInWords(error: unknown): never {
  throw inWords(error)
}
