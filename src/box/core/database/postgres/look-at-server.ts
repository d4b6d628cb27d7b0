import { Client } from "pg"
import type { RowsOwner } from "../../objects/own-prefix.ts"
import { databaseInstance } from "./server-database.ts"

const lookTimeoutMs = 5_000

/** What a database says that may be of another version, of values by their keys too. Changes nothing, and waits for no lock of a box's. */
export async function lookAtServer(
  url: string,
  keys: readonly string[],
): Promise<{ version: number; id: string; owner: RowsOwner; values: ReadonlyMap<string, string> }> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: lookTimeoutMs,
    query_timeout: lookTimeoutMs,
  })
  client.on("error", () => undefined) // told of at the statement
  await client.connect()
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
    await client.end()
  }
}
