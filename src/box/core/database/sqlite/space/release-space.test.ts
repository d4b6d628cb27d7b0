import { statSync } from "node:fs"
import { copyFile, mkdtemp, rm, truncate } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterAll, afterEach, beforeEach, expect, it } from "vitest"
import { mountSmallDisk } from "../../../../testing/disk.ts"
import { openSqlite, type SqliteDatabaseFile } from "../open-sqlite.ts"
import { isDiskFull } from "../../../disk/disk-space.ts"

let directory: string
let path: string
let database: SqliteDatabaseFile
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-space-"))
  path = join(directory, "casella.sqlite")
  database = openSqlite(path)
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const megabyte = 2 ** 20
const getSize = (name: string) => statSync(name).size / megabyte

/** Writes rows of 64 kB, of which every eighth stays. */
async function fillAndDelete(count: number): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const rows = Array.from({ length: 100 }, (_, index) => ({
      key: String(from + index),
      value: JSON.stringify("x".repeat(65_536)),
    }))
    await database.db.insertInto("settings").values(rows).execute()
  }
  const doomed = Array.from({ length: count }, (_, index) => String(index)).filter((key) => Number(key) % 8)
  for (let from = 0; from < doomed.length; from += 500)
    await database.db
      .deleteFrom("settings")
      .where("key", "in", doomed.slice(from, from + 500))
      .execute()
}
const kept = async () => (await database.db.selectFrom("settings").select("value").execute()).length

/** Returns the number of slices that were needed. */
async function giveAllBack(): Promise<number> {
  let slices = 1
  while (await database.releaseFreePages()) slices++
  await database.emptyLog()
  return slices
}

// Catches a database that never returns the space of deleted rows, and deleted text that stays in the log.
it("returns space after deletions without losing rows", async () => {
  await fillAndDelete(800)
  await database.emptyLog()
  expect(getSize(path)).toBeGreaterThan(50)
  await giveAllBack()
  expect(getSize(path)).toBeLessThan(6.5 + 4 + 1) // the remaining rows, the space that is kept free, and the empty tables
  expect(getSize(`${path}-wal`)).toBe(0)
  expect(await kept()).toBe(100)
  await database[Symbol.asyncDispose]()
  database = openSqlite(path)
  expect(await kept()).toBe(100)
  const sqlite = new SqliteDatabase(path)
  expect(sqlite.pragma("integrity_check", { simple: true })).toBe("ok")
  sqlite.close()
})

// Catches rows that are lost in a crash between two slices, or during one.
it("loses nothing when it is interrupted, and continues afterwards", async () => {
  await fillAndDelete(400)
  await database.releaseFreePages()
  const cut = join(directory, "cut.sqlite")
  for (const file of ["", "-wal"]) await copyFile(`${path}${file}`, `${cut}${file}`) // as after a crash
  await truncate(`${cut}-wal`, statSync(`${cut}-wal`).size - 5_000)
  await database[Symbol.asyncDispose]()
  database = openSqlite(cut)
  expect(await kept()).toBe(50)
  expect(await giveAllBack()).toBeGreaterThan(0)
  expect(getSize(cut)).toBeLessThan(3.2 + 4 + 1)
  expect(await kept()).toBe(50)
})

// Catches pages that move during a copy, and a copy that starts during a transaction and is empty.
it("doesn't interfere with a copy in progress", async () => {
  await fillAndDelete(200)
  const copy = join(directory, "copy.sqlite")
  const before = database.db.transaction().execute(async (trx) => {
    await trx.insertInto("settings").values({ key: "last", value: "1" }).execute()
    await new Promise((resolve) => setTimeout(resolve, 20))
  })
  const copied = database.copyTo(copy)
  await before
  expect(await database.releaseFreePages()).toBe(false)
  await copied
  expect(await giveAllBack()).toBeGreaterThan(1)
  await database[Symbol.asyncDispose]()
  database = openSqlite(copy)
  expect(await kept()).toBe(26)
})

const disk = await mountSmallDisk("60m")
afterAll(() => disk[Symbol.asyncDispose]())

// Needs the right to mount a file system. Catches lost rows, or a database that stays large, because the log had no room.
it("loses nothing on a full disk, and returns space when there is room", { tags: "mount" }, async () => {
  await database[Symbol.asyncDispose]()
  path = join(disk.path, "casella.sqlite")
  database = openSqlite(path)
  await fillAndDelete(400)
  disk.fill()
  await giveAllBack().catch((error: unknown) => {
    if (!isDiskFull(error)) throw error
  })
  expect(await kept()).toBe(50)
  disk.makeRoom()
  await giveAllBack()
  expect(getSize(path)).toBeLessThan(3.2 + 4 + 1)
  expect(await kept()).toBe(50)
})
