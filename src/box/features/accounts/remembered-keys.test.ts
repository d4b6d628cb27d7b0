import { afterAll, beforeAll, expect, it } from "vitest"
import { startTestBox, type TestBox, getRows } from "../../testing/test-box.ts"
import { createKeys } from "./keys.ts"
import { createPeople } from "./people.ts"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

const getStatus = async (key: string) =>
  (await fetch(`${box.url}/api/public/vectors`, { headers: { "x-api-key": key } })).status

/** Returns a key that the box has just looked up twice. */
async function usedKey(): Promise<{ key: string; id: string }> {
  const { key, apiKey } = await box.client.keys.create({ body: { name: "Script" } })
  expect([await getStatus(key), await getStatus(key)]).toEqual([200, 200])
  return { key, id: apiKey.id }
}

// Catches a revoked key that still works because it was cached.
it("a key revoked by the API is rejected at the next request", async () => {
  const { key, id } = await usedKey()
  await box.client.keys.revoke({ params: { id } })
  expect(await getStatus(key)).toBe(401)
})

/** At the next request; with a database server, within a second. */
const waitUntilRefused = (key: string) => expect.poll(() => getStatus(key)).toBe(401)

// Catches a revoked key that still works because the box doesn't notice a command's change.
it("a key revoked by another process is rejected", async () => {
  const { key, id } = await usedKey()
  await using database = await getRows(box.dataDir)
  await createKeys(database.db, () => undefined).revoke(null, id)
  await waitUntilRefused(key)
})

// Catches a disabled user whose scripts continue to work.
it("a key of a user disabled by another process is rejected", async () => {
  await using database = await getRows(box.dataDir)
  const people = createPeople(database.db)
  const { id } = await people.add("ann@example.com", "Ann")
  const { key } = await createKeys(database.db, () => undefined).create(id, { name: "Script" })
  expect([await getStatus(key), await getStatus(key)]).toEqual([200, 200])
  await database.db.updateTable("users").set({ disabledAt: "2026-01-01" }).where("id", "=", id).execute()
  await waitUntilRefused(key)
})
