import { setTimeout as wait } from "node:timers/promises"
import { Client } from "pg"
import { DatabaseUnusable } from "../database.ts"
import { asUnusable } from "./postgres-errors.ts"

/** Of all locks that programs may agree on in a database, the one for the box that runs on it. */
const running = 8486
const connectTimeoutMs = 5_000
const againMs = 1_000

/**
 * Holds a database for this process, over outages of the server too: one box at a time has its rows there. Where another took it
 * meanwhile, this one ends with an error that nobody catches.
 * @throws DatabaseUnusable where another holds it
 */
export async function holdDatabase(url: string): Promise<AsyncDisposable> {
  const ending = new AbortController()
  let client = await taken(url).catch((error: unknown) => {
    throw error instanceof DatabaseUnusable ? error : asUnusable(error)
  })

  function follow(): void {
    client.once("end", () => {
      if (!ending.signal.aborted) void takeAgain()
    })
  }

  async function takeAgain(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        client = await taken(url)
        follow()
        if (ending.signal.aborted) await client.end()
        return
      } catch (error) {
        if (error instanceof DatabaseUnusable) throw error
        await wait(againMs, undefined, { signal: ending.signal, ref: false }).catch(() => undefined)
      }
    }
  }

  follow()
  return {
    async [Symbol.asyncDispose]() {
      ending.abort()
      await client.end().catch(() => undefined)
    },
  }
}

async function taken(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: connectTimeoutMs,
    keepAlive: true,
    application_name: "casella",
  })
  client.on("error", () => undefined) // its end is told
  await client.connect()
  const { rows } = await client
    .query<{ mine: boolean }>(`SELECT pg_try_advisory_lock(${running}) AS mine`)
    .catch(async (error: unknown) => {
      await client.end().catch(() => undefined)
      throw error
    })
  if (rows[0]?.mine === true) return client
  await client.end()
  throw new DatabaseUnusable(
    "Another box runs on the PostgreSQL database. Stop it, or name another database.",
  )
}
