import { afterAll, beforeAll, expect, test } from "vitest"
import { startTestPostgres, type TestPostgres } from "../../shared/testing/test-postgres.ts"
import { acquireDatabase } from "../core/database/postgres/hold-database.ts"
import { openPostgres } from "../core/database/postgres/open-postgres.ts"
import { createEventBus } from "../core/event-bus.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { createKeys } from "../features/accounts/keys.ts"
import { createPeople } from "../features/accounts/people.ts"
import { createLiveConnections } from "../http/live-connections.ts"
import { watchRevocations } from "./watch-revocations.ts"

let server: TestPostgres
beforeAll(() => {
  server = startTestPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Opens a live connection with a key of a box whose database is on a server. `asks` is called before each query for revoked keys. */
async function openWithKey(asks: () => void = () => undefined) {
  const url = await server.createDatabase()
  await using stack = new AsyncDisposableStack()
  const held = stack.use(await acquireDatabase(url))
  const database = stack.use(await openPostgres(url, undefined, { held }))
  const command = stack.use(await openPostgres(url))
  const keys = createKeys(database.db, () => undefined)
  const people = createPeople(database.db)
  const userId = (await people.ensureOwner())?.id ?? ""
  const { apiKey } = await keys.create(userId, { name: "App" })
  const live = createLiveConnections()
  let isOpen = true
  live.track(apiKey.id, () => (isOpen = false))
  const revoked = async (ids: readonly string[]) => {
    asks()
    return keys.revoked(ids)
  }
  const bus = createEventBus()
  stack.use(
    watchRevocations({
      directoryWatch: null,
      database,
      keys: { revoked },
      people,
      live,
      bus,
      logger: silentLogger,
    }),
  )
  const resources = stack.move()
  return {
    isOpen: () => isOpen,
    disable: () => command.db.updateTable("users").set({ disabledAt: "2026-01-01" }).execute(),
    revoke: () => createKeys(command.db, () => undefined).revoke(null, apiKey.id),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

// Catches a socket that stays open for another minute because its key was revoked on a database server, without any change to the box's
// files.
test("closes a key's connections when a command revokes the key on the server", async () => {
  await using opened = await openWithKey()
  await opened.revoke()
  await expect.poll(opened.isOpen).toBe(false)
})

// Catches an open socket of a user whom an administrator disabled directly in the database, without revoking the user's keys.
test("closes the connections of a user who may no longer sign in", async () => {
  await using opened = await openWithKey()
  await opened.disable()
  await expect.poll(opened.isOpen).toBe(false)
})

// Catches a socket that stays open until the next write because the query for revoked keys failed.
test("retries the query for revoked keys after it fails", async () => {
  let failures = 0
  let isRevoked = false
  await using opened = await openWithKey(() => {
    if (isRevoked && failures++ < 2) throw new Error("Connection terminated unexpectedly")
  })
  isRevoked = true
  await opened.revoke()
  await expect.poll(opened.isOpen).toBe(false)
  expect(failures).toBeGreaterThan(2)
})
