import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { OpenDatabase } from "../../core/database.ts"
import { openDatabase } from "../../core/open-database.ts"
import { createWindows } from "./limits.ts"

let directory: string
let database: OpenDatabase
let time: number
let windows: ReturnType<typeof createWindows>
const take = () => windows.take("key:1", 3, 60_000)
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-windows-"))
  database = await openDatabase(directory, null)
  time = 1_000_000_000
  windows = createWindows(database.db, () => time)
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

// Catches a window that never ends, or one that restarts at each request.
it("a window allows its uses, then returns how long to wait, then starts again", async () => {
  expect([await take(), await take(), await take()]).toEqual([0, 0, 0])
  expect(await take()).toBe(60)
  time += 50_500
  expect(await take()).toBe(10)
  expect(await windows.take("key:2", 3, 60_000)).toBe(0)
  time += 9_499
  expect(await take()).toBe(1)
  time += 1
  expect([await take(), await take(), await take()]).toEqual([0, 0, 0])
  expect(await take()).toBe(60)
  await windows.giveBack("key:1")
  expect([await take(), await take()]).toEqual([0, 60])
  await windows.reset("key:1")
  expect(await take()).toBe(0)
  expect(await windows.take("none", 0, 60_000)).toBe(60)
  await windows.sweep(time + 1)
  expect(await database.db.selectFrom("rateWindows").selectAll().execute()).toEqual([])
})

// Catches a key that is locked out for a day because the clock was put back, and a limit that servers with different clocks don't share.
it("a window ends when the clock is put back, but not when another server's clock is behind", async () => {
  for (let use = 0; use < 4; use++) await take()
  time -= 30_000
  expect(await take()).toBe(90)
  time -= 24 * 3_600_000
  expect([await take(), await take(), await take(), await take()]).toEqual([0, 0, 0, 60])
  time += 24 * 3_600_000
  expect(await take()).toBe(0)
})
