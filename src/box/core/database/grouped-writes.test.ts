import { openTestDatabase } from "./testing/test-database.ts"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { DatabaseSchema } from "./database-schema.ts"
import type { OpenDatabase } from "./database.ts"
import { createGroupedWrites, type GroupedWrites } from "./grouped-writes.ts"

let directory: string
let database: OpenDatabase
let writes: GroupedWrites<DatabaseSchema>
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "casella-writes-"))
  database = await openTestDatabase(join(directory, "casella.sqlite"))
  writes = createGroupedWrites(database.db)
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})

const put = (key: string) =>
  writes(async (trx) => {
    await trx.insertInto("settings").values({ key, value: "1" }).execute()
    return key
  })
const stored = async () =>
  (await database.db.selectFrom("settings").select("key").orderBy("key").execute()).map(({ key }) => key)

it("settles each write in order, even if one transaction can't hold them all", async () => {
  const keys = Array.from({ length: 450 }, (_, index) => String(index).padStart(3, "0"))
  const settled: string[] = []
  await Promise.all(keys.map(async (key) => settled.push(await put(key))))
  expect(settled).toEqual(keys)
  expect(await stored()).toEqual(keys)
})

// Catches a failing write that rolls back other writes, or that leaves part of itself behind.
it("rolls back a failing write completely, and no other write", async () => {
  const before = put("a")
  const bad = writes(async (trx) => {
    await trx.insertInto("settings").values({ key: "half", value: "1" }).execute()
    await trx.insertInto("settings").values({ key: "a", value: "again" }).execute()
  })
  const outcomes = await Promise.allSettled([before, bad, put("b")])
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
  expect(await stored()).toEqual(["a", "b"])
})

// Catches a write that doesn't see an earlier write of its group.
it("lets a later write see an earlier one of the same group", async () => {
  const first = put("a")
  const second = writes((trx) => trx.selectFrom("settings").select("key").execute())
  await first
  expect(await second).toEqual([{ key: "a" }])
})
