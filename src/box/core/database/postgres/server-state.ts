import { Client } from "pg"
import type { RowsOwner } from "../../objects/owned-store.ts"
import { endConnection, keepAlive } from "./connection.ts"
import { databaseInstance } from "./server-database.ts"

const connectTimeoutMs = 5_000
/** Timeout after which a silently broken connection is replaced. */
const readTimeoutMs = 2_000
/** Time without a read after which the connection is closed. */
const idleTimeoutMs = 30_000

/**
 * Reads the state of a database that may have another schema version, and its values by their keys. Changes nothing, and doesn't wait for
 * any box's lock.
 */
export async function readServerState(
  url: string,
  keys: readonly string[],
): Promise<{ version: number; id: string; owner: RowsOwner; values: ReadonlyMap<string, string> }> {
  const client = await connect(url, connectTimeoutMs)
  try {
    const { rows } = await client.query<{ version: number; id: string; dataDirectory: string | null }>(
      'SELECT version, id, "dataDirectory" FROM "schemaVersion"',
    )
    const database = await databaseInstance(async (statement) => (await client.query(statement)).rows)
    const { rows: values } = await client.query<{ key: string; value: string }>(
      "SELECT key, value FROM settings WHERE key = ANY($1)",
      [keys],
    )
    const { version = 0, id = "", dataDirectory } = rows[0] ?? {}
    const owner = { id: dataDirectory ?? "", database }
    return { version, id, owner, values: new Map(values.map(({ key, value }) => [key, value])) }
  } finally {
    await endConnection(client)
  }
}

/** Reads a value of a database repeatedly. */
export interface ValueReader extends AsyncDisposable {
  /**
   * Returns null if there is no such value. Concurrent calls share one read. Throws if the server doesn't answer within seconds; the next
   * call reconnects.
   */
  read(): Promise<string | null>
}

/** Reads over one connection, which is opened with the first call and closed after `idleMs` without a call. */
export function createValueReader(url: string, key: string, idleMs = idleTimeoutMs): ValueReader {
  let connection: Promise<Client> | null = null
  let reading: Promise<string | null> | undefined
  let isClosed = false
  let idle: NodeJS.Timeout | undefined

  function open(): Promise<Client> {
    const opened = connect(url, readTimeoutMs)
    opened.then(
      (client) => client.once("end", () => forget(opened)),
      () => forget(opened),
    )
    return opened
  }

  function forget(opened: Promise<Client>): void {
    if (connection === opened) connection = null
  }

  async function close(): Promise<void> {
    const opened = connection
    connection = null
    const client = await opened?.catch(() => null)
    if (client) await endConnection(client)
  }

  async function read(): Promise<string | null> {
    if (isClosed) throw new Error("The reader is closed.")
    clearTimeout(idle)
    const opened = (connection ??= open())
    const client = await opened
    try {
      const { rows } = await client.query<{ value: string }>("SELECT value FROM settings WHERE key = $1", [
        key,
      ])
      return rows[0]?.value ?? null
    } catch (error) {
      forget(opened)
      void endConnection(client)
      throw error
    } finally {
      clearTimeout(idle)
      if (!isClosed) idle = setTimeout(() => void close(), idleMs).unref()
    }
  }

  return {
    read: () => (reading ??= read().finally(() => (reading = undefined))),
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(idle)
      await close()
    },
  }
}

async function connect(url: string, queryTimeoutMs: number): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    ...keepAlive,
  })
  client.on("error", () => undefined) // the statement reports it
  await client.connect()
  return client
}
