import { openTestDatabase } from "../database/testing/test-database.ts"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { afterEach, beforeEach, expect, it } from "vitest"
import { chunksWithYield } from "./yield-to-event-loop.ts"
import type { OpenDatabase } from "../database/database.ts"

let directory: string
let database: OpenDatabase
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "casella-breathe-"))
  database = await openTestDatabase(join(directory, "casella.sqlite"))
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})

/** Takes longer than work may run without yielding, on any computer. */
const slow = sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT max(i) FROM n`
const spin = () => {
  for (const until = performance.now() + 15; performance.now() < until;);
}

/** Returns how often other tasks could run during the work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isOver = true
  return turns
}

// Catches statements or rows that follow one another for seconds while every request waits.
it("lets other tasks run between statements, also in a transaction", async () => {
  const { db } = database
  const five = async (on: Pick<typeof db, "getExecutor">) => {
    for (let number = 0; number < 5; number++) await slow.execute(on)
  }
  expect(await turnsDuring(() => five(db))).toBeGreaterThanOrEqual(4)
  expect(await turnsDuring(() => db.transaction().execute(five))).toBeGreaterThanOrEqual(4)
})

it("lets other tasks run in a loop over many rows", async () => {
  const seen: number[][] = []
  const turns = await turnsDuring(async () => {
    for await (const some of chunksWithYield([1, 2, 3, 4, 5], 2)) {
      spin()
      seen.push(some)
    }
  })
  expect(seen).toEqual([[1, 2], [3, 4], [5]])
  expect(turns).toBeGreaterThanOrEqual(2)
})
