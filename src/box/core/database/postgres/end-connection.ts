import type { Client } from "pg"

/** How long the server has to close a connection. */
const endTimeoutMs = 1_000

/** Ends a connection, without the server if that no longer answers. Never throws. */
export async function endConnection(client: Client): Promise<void> {
  const late = setTimeout(() => client.connection.stream.destroy(), endTimeoutMs)
  await client.end().catch(() => undefined)
  clearTimeout(late)
}
