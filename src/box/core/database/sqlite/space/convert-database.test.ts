import { statSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterEach, beforeEach, expect, it } from "vitest"
import { spawnNodeChild } from "../../../children/child.ts"
import { openSqlite } from "../open-sqlite.ts"
import { silentLogger } from "../../../logging/logger.ts"
import { convertDatabase } from "./convert-database.ts"
import { waitFor } from "../../../../../shared/testing/wait-for.ts"

let directory: string
let path: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-convert-"))
  path = join(directory, "casella.sqlite")
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const megabyte = 2 ** 20

/** Creates a database of an earlier Casella with this many rows of a megabyte, of which some are deleted. */
async function makeOld(rows: number, deleted: number): Promise<void> {
  await openSqlite(path)[Symbol.asyncDispose]()
  const sqlite = new SqliteDatabase(path)
  sqlite.pragma("synchronous = OFF")
  sqlite.pragma("auto_vacuum = NONE")
  sqlite.exec("VACUUM")
  const insert = sqlite.prepare("INSERT INTO settings VALUES (?, ?)")
  for (let key = 0; key < rows; key++) insert.run(String(key), JSON.stringify("x".repeat(megabyte)))
  sqlite.prepare("DELETE FROM settings WHERE CAST(key AS INTEGER) < ?").run(deleted)
  sqlite.close()
}

function readState() {
  const sqlite = new SqliteDatabase(path)
  const found = {
    converted: sqlite.pragma("auto_vacuum", { simple: true }) === 2,
    rows: sqlite.prepare("SELECT count(*) FROM settings").pluck().get(),
    integrity: sqlite.pragma("integrity_check", { simple: true }),
  }
  sqlite.close()
  return { ...found, megabytes: Math.floor(statSync(path).size / megabyte) }
}
const convert = () => convertDatabase(path, spawnNodeChild, silentLogger)

// Catches an older database that never returns space.
it("lets a database of an earlier Casella return space", async () => {
  await makeOld(30, 25)
  await convert()
  expect(readState()).toEqual({ converted: true, rows: 5, integrity: "ok", megabytes: 5 })
})

// Catches a start that takes a minute to free nothing.
it("converts a large database only when a quarter of it is free", async () => {
  await makeOld(70, 10)
  await convert()
  expect(readState()).toMatchObject({ converted: false, rows: 60 })
  const sqlite = new SqliteDatabase(path)
  sqlite.prepare("DELETE FROM settings WHERE CAST(key AS INTEGER) < 40").run()
  sqlite.close()
  await convert()
  expect(readState()).toEqual({ converted: true, rows: 30, integrity: "ok", megabytes: 30 })
})

// Catches lost rows, or a box that doesn't start, after an interrupted conversion.
it("changes nothing when it is interrupted, and finishes the next time", async () => {
  const interrupt = () =>
    convertDatabase(
      path,
      (options) => {
        const child = spawnNodeChild(options)
        const timer = setInterval(() => {
          const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
          if ((log?.size ?? 0) > megabyte) child.kill() // the conversion is running
        }, 1)
        child.onExit(() => clearInterval(timer))
        return child
      },
      silentLogger,
    )
  // a conversion may end before this process sees it, so it is repeated
  await waitFor(async () => {
    for (const end of ["", "-wal", "-shm"]) await rm(`${path}${end}`, { force: true })
    await makeOld(60, 10)
    await interrupt()
    expect(readState().converted).toBe(false)
  })
  expect(readState()).toMatchObject({ converted: false, rows: 50, integrity: "ok" })
  await convert()
  expect(readState()).toMatchObject({ converted: true, rows: 50, integrity: "ok" })
})
