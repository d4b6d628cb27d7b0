import { Client } from "pg"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { startRelay, startTestPostgres, type TestPostgres } from "../../../../shared/testing/test-postgres.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"
import { createValueReader } from "./look-at-server.ts"
import { openPostgres } from "./open-postgres.ts"

let server: TestPostgres
beforeAll(() => {
  server = startTestPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

/** A database with the value `one` under `key`, and a connection to it that asks for its other connections. */
async function createDatabase() {
  const url = await server.createDatabase()
  await (await openPostgres(url))[Symbol.asyncDispose]()
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("INSERT INTO settings (key, value) VALUES ('key', 'one')")
  const others =
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
  return {
    url,
    connections: async () => (await client.query<{ pid: number }>(others)).rows.map(({ pid }) => pid),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

// Catches a waiting box that opens a connection for each look at where the other one runs.
test("a value is read over one connection, which is replaced when it breaks", async () => {
  await using database = await createDatabase()
  await using relay = await startRelay(database.url)
  await using reader = createValueReader(relay.url, "key")
  await using none = createValueReader(database.url, "none", 0)
  expect(await none.read()).toBeNull()
  const warned = vi.spyOn(process, "emitWarning")
  expect(await Promise.all([reader.read(), reader.read(), reader.read()])).toEqual(["one", "one", "one"])
  expect(warned).not.toHaveBeenCalled() // the driver warns of statements that aren't asked one after the other
  warned.mockRestore()
  await waitFor(async () => expect(await database.connections()).toHaveLength(1))
  const connections = await database.connections()
  expect(connections).toHaveLength(1)
  await reader.read()
  expect(await database.connections()).toEqual(connections)
  relay.cut()
  await waitFor(async () => expect(await reader.read()).toBe("one"))
  await waitFor(async () => expect(await database.connections()).toHaveLength(1))
  expect(await database.connections()).not.toEqual(connections)
})

// Catches a connection of the server's that is kept for a box that has long been the running one.
test("a connection that isn't used is closed", async () => {
  await using database = await createDatabase()
  await using reader = createValueReader(database.url, "key", 50)
  await reader.read()
  await waitFor(async () => expect(await database.connections()).toEqual([]))
  expect(await reader.read()).toBe("one")
})

// Catches a box that can't stop, or doesn't look again, because the server says nothing while a connection is ended.
test("a connection ends although the server doesn't answer", async () => {
  await using database = await createDatabase()
  await using relay = await startRelay(database.url)
  const reader = createValueReader(relay.url, "key")
  await reader.read()
  relay.silence()
  await reader[Symbol.asyncDispose]()
  await expect(reader.read()).rejects.toThrow("closed")
})
