import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openDatabase } from "../../core/open-database.ts"
import { createWindows } from "./limits.ts"

// Catches a window that never ends, or one that restarts at each request.
it("a window allows its uses, then returns how long to wait, then starts again", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-windows-"))
  try {
    await using database = await openDatabase(directory, null)
    let time = 1_000_000
    const windows = createWindows(database.db, () => time)
    const take = () => windows.take("key:1", 3, 60_000)
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
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
