import { Client } from "pg"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { startRelay, startTestPostgres, type TestPostgres } from "../../../../shared/testing/test-postgres.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"
import { acquireDatabase } from "./hold-database.ts"
import { migrationsOfPostgres as migrations } from "./migrations/registry.ts"
import { openPostgres } from "./open-postgres.ts"

let server: TestPostgres
beforeAll(() => {
  server = startTestPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Holds the lock for changing the schema, like another box that changes it. */
async function blockSchema(url: string) {
  const client = new Client({ connectionString: url })
  client.on("error", () => undefined)
  await client.connect()
  await client.query("BEGIN; SELECT pg_advisory_xact_lock(8485)")
  const observer = new Client({ connectionString: url }) // within a transaction, the server's view of other sessions doesn't change
  await observer.connect()
  const count = async (condition: string) => {
    const { rows } = await observer.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND objid = 8485 AND ${condition}`,
    )
    return rows[0]?.count
  }
  return {
    waitUntilBlocked: () => waitFor(async () => expect(await count("NOT granted")).toBe(1)),
    /** Gives the lock to the waiting connection, and settles when the server has answered it. */
    async release() {
      await client.query("COMMIT")
      await waitFor(async () => expect(await count("granted AND state = 'idle in transaction'")).toBe(1))
    },
    unlock: () => client.query("COMMIT"),
    async [Symbol.asyncDispose]() {
      await client.end()
      await observer.end()
    },
  }
}

const startOfBox = () => ({ isOver: false, waits: vi.fn(), onReconnect: vi.fn() })

// Catches a start that holds the box's lock and hangs for twenty minutes because the network forgot one connection.
test("replaces a start's silent connection and ends it on the server", async () => {
  const url = await server.createDatabase()
  await using relay = await startRelay(url)
  await using other = await blockSchema(url)
  const start = startOfBox()
  const opening = openPostgres(relay.url, migrations, { start, pollIntervalMs: 50 })
  await other.waitUntilBlocked()
  relay.silence()
  await other.unlock()
  await using database = await opening
  expect(start.onReconnect).toHaveBeenCalled()
  expect(await database.db.selectFrom("users").select("id").execute()).toEqual([])
})

// Catches a slow schema change that is interrupted, and a wait that isn't logged.
test("reports once that a start waits for another box's schema change, and doesn't interrupt it", async () => {
  const url = await server.createDatabase()
  await using relay = await startRelay(url)
  await using other = await blockSchema(url)
  const start = startOfBox()
  const opening = openPostgres(relay.url, migrations, { start, pollIntervalMs: 20 })
  await other.waitUntilBlocked()
  const checkCount = relay.accepted
  await waitFor(() => expect(relay.accepted).toBeGreaterThan(checkCount + 10))
  expect(start.waits).toHaveBeenCalledOnce()
  await other.unlock()
  await using _ = await opening
  expect(start.onReconnect).not.toHaveBeenCalled()
})

// Catches a frozen box that keeps the lock for changing the schema, so that the box that took over waits for it.
test("ends the previous box's start when a box takes the database", async () => {
  const url = await server.createDatabase()
  await using relay = await startRelay(url)
  await using other = await blockSchema(url)
  const lost = vi.fn()
  await using first = await acquireDatabase(relay.url, null, lost)
  const opening = openPostgres(relay.url, migrations, { held: first }).catch((error: unknown) => error)
  await other.waitUntilBlocked()
  relay.isClosed = true
  relay.silence()
  await other.release()
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE objid = 8486 AND granted")
  await client.end()
  await using second = await waitFor(() => acquireDatabase(url))
  const database = await openPostgres(url, migrations, { held: second })
  await second.claim()
  await database[Symbol.asyncDispose]()
  relay.cut()
  expect(await opening).toBeInstanceOf(Error)
})

// Catches a box that changes the schema although another box has taken the database.
test("stops a box that has lost the database from changing its schema", async () => {
  const url = await server.createDatabase()
  await using held = await acquireDatabase(url)
  const refused = () => Promise.reject(new Error("Another box has it."))
  await expect(openPostgres(url, migrations, { held: { ...held, admit: refused } })).rejects.toThrow(
    "Another box has it.",
  )
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query("SELECT to_regclass('users') AS name")
  await client.end()
  expect(rows).toEqual([{ name: null }])
})
