import { Socket } from "node:net"
import { sql } from "kysely"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { startRelay, startTestPostgres, type TestPostgres } from "../../shared/testing/test-postgres.ts"
import { openPostgres } from "./open-database.ts"

let server: TestPostgres
beforeAll(() => {
  server = startTestPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

// Catches requests that hang until the system gives up, and accumulate, because the network dropped a connection silently.
test("a silent connection is closed and replaced", async () => {
  const keepAlive = vi.spyOn(Socket.prototype, "setKeepAlive")
  await using relay = await startRelay(await server.createDatabase())
  await using database = await openPostgres(relay.url, 2_000)
  const ask = () => sql`SELECT 1`.execute(database.db)
  await ask()
  expect(keepAlive).toHaveBeenCalledWith(true, 10_000)
  keepAlive.mockRestore()
  relay.silence()
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    const asking = expect(ask()).rejects.toThrow("timeout")
    await vi.advanceTimersByTimeAsync(30_000)
    await asking
  } finally {
    vi.useRealTimers()
  }
  await ask()
})
