import { Client } from "pg"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { startRelay, startTestPostgres, type TestPostgres } from "../../../../shared/testing/test-postgres.ts"
import { waitFor } from "../../../../shared/testing/wait-for.ts"
import { createValueReader } from "./server-state.ts"
import { openPostgres } from "./open-postgres.ts"

let server: TestPostgres
beforeAll(() => {
  server = startTestPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Creates a database with the value `one` under `key`, and a connection that queries its other connections. */
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

// Catches a standby box that opens a connection for each check of the running box's address.
test("reads a value over one connection, and replaces it when it breaks", async () => {
  await using database = await createDatabase()
  await using relay = await startRelay(database.url)
  await using reader = createValueReader(relay.url, "key")
  await using none = createValueReader(database.url, "none", 0)
  expect(await none.read()).toBeNull()
  const warned = vi.spyOn(process, "emitWarning")
  expect(await Promise.all([reader.read(), reader.read(), reader.read()])).toEqual(["one", "one", "one"])
  expect(warned).not.toHaveBeenCalled() // the driver warns about concurrent statements
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

// Catches a server connection that is kept open long after the box became the running one.
test("closes an unused connection", async () => {
  await using database = await createDatabase()
  await using reader = createValueReader(database.url, "key", 50)
  await reader.read()
  await waitFor(async () => expect(await database.connections()).toEqual([]))
  expect(await reader.read()).toBe("one")
})

// Catches a box that can't stop or reconnect because the server is silent while a connection is ended.
test("ends a connection although the server doesn't answer", async () => {
  await using database = await createDatabase()
  await using relay = await startRelay(database.url)
  const reader = createValueReader(relay.url, "key")
  await reader.read()
  relay.silence()
  await reader[Symbol.asyncDispose]()
  await expect(reader.read()).rejects.toThrow("closed")
})
