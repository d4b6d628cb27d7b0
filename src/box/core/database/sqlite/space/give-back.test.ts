import { statSync } from "node:fs"
import { copyFile, mkdtemp, rm, truncate } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterAll, afterEach, beforeEach, expect, it } from "vitest"
import { mountSmallDisk } from "../../../../testing/small-disk.ts"
import { openSqlite, type SqliteDatabaseFile } from "../open-sqlite.ts"
import { isDiskFull } from "../../../disk/is-disk-full.ts"

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
const sizeOf = (name: string) => statSync(name).size / megabyte

/** Rows of 64 kB, of which every eighth stays. */
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

/** Answers in how many slices. */
async function giveAllBack(): Promise<number> {
  let slices = 1
  while (await database.giveBack()) slices++
  await database.emptyLog()
  return slices
}

// Would catch: a database that keeps the room of what was deleted for ever, and deleted text that stays in the log.
it("gives room back after deletions, and loses nothing by it", async () => {
  await fillAndDelete(800)
  await database.emptyLog()
  expect(sizeOf(path)).toBeGreaterThan(50)
  await giveAllBack()
  expect(sizeOf(path)).toBeLessThan(6.5 + 4 + 1) // the rows that stay, what is kept free, and the empty tables
  expect(sizeOf(`${path}-wal`)).toBe(0)
  expect(await kept()).toBe(100)
  await database[Symbol.asyncDispose]()
  database = openSqlite(path)
  expect(await kept()).toBe(100)
  const sqlite = new SqliteDatabase(path)
  expect(sqlite.pragma("integrity_check", { simple: true })).toBe("ok")
  sqlite.close()
})

// Would catch: rows that a crash between two slices, or in one, takes along.
it("loses nothing when it is cut off, and goes on afterwards", async () => {
  await fillAndDelete(400)
  await database.giveBack()
  const cut = join(directory, "cut.sqlite")
  for (const file of ["", "-wal"]) await copyFile(`${path}${file}`, `${cut}${file}`) // as a crash leaves it
  await truncate(`${cut}-wal`, statSync(`${cut}-wal`).size - 5_000)
  await database[Symbol.asyncDispose]()
  database = openSqlite(cut)
  expect(await kept()).toBe(50)
  expect(await giveAllBack()).toBeGreaterThan(0)
  expect(sizeOf(cut)).toBeLessThan(3.2 + 4 + 1)
  expect(await kept()).toBe(50)
})

// Would catch: pages that move below a copy in the making, and a copy that begins in the middle of a transaction and is empty.
it("leaves a copy in the making alone", async () => {
  await fillAndDelete(200)
  const copy = join(directory, "copy.sqlite")
  const before = database.db.transaction().execute(async (trx) => {
    await trx.insertInto("settings").values({ key: "last", value: "1" }).execute()
    await new Promise((resolve) => setTimeout(resolve, 20))
  })
  const copied = database.copyTo(copy)
  await before
  expect(await database.giveBack()).toBe(false)
  await copied
  expect(await giveAllBack()).toBeGreaterThan(1)
  await database[Symbol.asyncDispose]()
  database = openSqlite(copy)
  expect(await kept()).toBe(26)
})

const disk = await mountSmallDisk("60m")
afterAll(() => disk[Symbol.asyncDispose]())

// Needs the right to mount a file system. Would catch: rows lost, or a database that stays large, because the log had no room.
it("loses nothing on a full disk, and gives back once there is room", { tags: "mount" }, async () => {
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
  expect(sizeOf(path)).toBeLessThan(3.2 + 4 + 1)
  expect(await kept()).toBe(50)
})
