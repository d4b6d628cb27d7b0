import { afterAll, beforeAll, expect, test } from "vitest"
import { silentLogger } from "../../core/logging/logger.ts"
import { openTestDatabase } from "../../core/database/testing/test-database.ts"
import { startTestBox, type TestBox } from "../../testing/test-box.ts"
import { createKeyCalls } from "./keys.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

let box: TestBox
beforeAll(async () => {
  box = await startTestBox()
})
afterAll(() => box[Symbol.asyncDispose]())

// Catches a log that contains the requested items, or that lacks a failed call.
test("calls made with a key are listed, newest first, without ids", async () => {
  const { key, apiKey } = await box.client.keys.create({ body: { name: "Script" } })
  const call = (path: string) => fetch(`${box.url}${path}`, { headers: { "x-api-key": key } })
  await (await call("/api/public/me")).text()
  await (await call("/api/public/vectors/secret-id?query=secret")).text()
  const { calls } = await box.client.keys.calls({ params: { id: apiKey.id } })
  expect(calls.map(({ method, route, status }) => [method, route, status])).toEqual([
    ["GET", "/api/public/vectors/:id", 404],
    ["GET", "/api/public/me", 200],
  ])
  expect(calls[0]).toMatchObject({ ip: "127.0.0.1", ms: expect.any(Number) as number })
  expect(JSON.stringify(calls)).not.toContain("secret")
  await box.client.keys.revoke({ params: { id: apiKey.id } })
  await expect(box.client.keys.calls({ params: { id: apiKey.id } })).rejects.toMatchObject({ status: 404 })
})

// Catches a log that grows without limit, or that loses the newest calls.
test("the newest 1,000 calls of a key are kept", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-key-calls-"))
  {
    await using database = await openTestDatabase(join(directory, "casella.sqlite"))
    const { db } = database
    await db
      .insertInto("users")
      .values({ id: "ada", email: "ada@example.com", name: "Ada", createdAt: "" })
      .execute()
    const key = { userId: "ada", kind: "box", scopes: null, hint: "", createdAt: "" } as const
    for (const id of ["one", "two"])
      await db
        .insertInto("apiKeys")
        .values({ ...key, id, name: id, hash: Buffer.from(id) })
        .execute()
    await using calls = createKeyCalls(db, silentLogger)
    const call = (ms: number) => ({ at: "", method: "GET", route: "/", status: 200, ms, ip: null })
    calls.note("two", call(0))
    for (let ms = 0; ms < 700; ms++) calls.note("one", call(ms))
    await calls.list("one")
    for (let ms = 700; ms < 2_200; ms++) calls.note("one", call(ms))
    calls.note("gone", call(0))
    const kept = await calls.list("one")
    expect([kept.length, kept[0]?.ms, kept.at(-1)?.ms]).toEqual([1_000, 2_199, 1_200])
    const { stored } = await db
      .selectFrom("keyCalls")
      .select((e) => e.fn.countAll<number>().as("stored"))
      .executeTakeFirstOrThrow()
    expect(stored).toBe(1_001)
  }
  await rm(directory, { recursive: true, force: true })
})
