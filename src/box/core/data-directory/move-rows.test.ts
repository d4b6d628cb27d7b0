import { existsSync, realpathSync } from "node:fs"
import { copyFile, cp, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { Client } from "pg"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { startTestPostgres, type TestPostgres } from "../../../shared/testing/test-postgres.ts"
import { DatabaseUnusable } from "../database/database.ts"
import { copiedTables, summarise } from "../database/copy-rows.ts"
import { acquireDatabase } from "../database/postgres/hold-database.ts"
import { openPostgres } from "../database/postgres/open-postgres.ts"
import { setMoved } from "../database/postgres/server-database.ts"
import { openSqlite } from "../database/sqlite/open-sqlite.ts"
import { fillRows, rowsOfEach } from "../database/testing/test-database.ts"
import { makeMarker, newMarker, readMarker, detectRelocation, writeMarker } from "./marker.ts"
import { moveToFile, moveToServer } from "./move-rows.ts"
import { getId, noteServer, requireRowsLocation } from "./database-location.ts"

let directory: string
let server: TestPostgres
/** A filled database file, which each test gets a copy of, and its sums. */
let filled: string
let before: Awaited<ReturnType<typeof summarise>>
let dataDir: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-move-"))
  server = startTestPostgres()
  filled = join(directory, "filled.sqlite")
  await openSqlite(filled)[Symbol.asyncDispose]()
  fillRows(filled)
  before = await sumsOfFile(filled)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const filePath = () => join(dataDir, "casella.sqlite")
const { signal } = new AbortController()
const move = (url: string, stop = signal) => moveToServer(url, { dataDir, signal: stop })

async function makeDirectory() {
  dataDir = await mkdtemp(join(directory, "data-"))
  await mkdir(join(dataDir, "tmp"))
  makeMarker(dataDir, newMarker(dataDir, true))
  await copyFile(filled, filePath())
}
beforeEach(makeDirectory)

async function sumsOfFile(path = filePath()) {
  await using file = openSqlite(path)
  return await summarise(file.db)
}

async function sumsOfServer(url: string) {
  await using database = await openPostgres(url)
  return await summarise(database.db)
}

// Catches rows that are lost, altered or duplicated in either direction, and a file that is removed before all rows have arrived.
test("moves all rows to a server and back, and compares each", async () => {
  const url = await server.createDatabase()
  const { tables, before: aside } = await move(url)
  expect(tables).toEqual(copiedTables.map((table) => ({ table, rows: rowsOfEach })))
  expect(existsSync(filePath())).toBe(false)
  expect(await sumsOfServer(url)).toEqual(before)
  expect(await sumsOfFile(aside ?? "")).toEqual(before)
  await moveToFile(url, { dataDir, signal })
  expect(await sumsOfFile()).toEqual(before)
})

// Catches an interrupted move that can't be resumed, or that resumes as if all rows had arrived.
test("keeps the file when a move is stopped at any point, and resumes the move", async () => {
  const url = await server.createDatabase()
  for (let checkCount = 1; ; checkCount *= 3) {
    const stop = abortAtCheck(checkCount)
    try {
      await move(url, stop)
      break
    } catch (error) {
      expect(error).toMatchObject({ message: "stopped" })
      expect(existsSync(filePath())).toBe(true)
      await expect(openPostgres(url)).rejects.toThrow("isn't finished")
      expect(() => requireRowsLocation(dataDir, null)).toThrow("isn't finished")
    }
  }
  expect(await sumsOfServer(url)).toEqual(before)
})

/** Returns a signal that aborts after it was checked this many times. */
function abortAtCheck(checkCount: number): AbortSignal {
  const controller = new AbortController()
  let looked = 0
  const { signal: stop } = controller
  Object.defineProperty(stop, "throwIfAborted", {
    value: () => {
      if (++looked >= checkCount) throw new Error("stopped")
    },
  })
  return stop
}

// Catches a move that is treated as complete although a row didn't arrive, or another program wrote one on the server in the meantime.
test("doesn't use a copy that differs", async () => {
  const url = await server.createDatabase()
  await expect(move(url, abortAtCheck(20))).rejects.toThrow("stopped")
  {
    await using database = await openPostgres(url, undefined, { movingFrom: getId(dataDir) })
    await database.db
      .updateTable("users")
      .set({ name: "someone else" })
      .where("id", "like", "% 7 %")
      .execute()
  }
  await expect(move(url)).rejects.toThrow(
    `The copy of users differs: ${rowsOfEach} rows here, ${rowsOfEach} there.`,
  )
  expect(existsSync(filePath())).toBe(true)
  expect(readMarker(dataDir)).toMatchObject({ server: null, hasDatabase: true })
  await moveToFile(url, { dataDir, signal }) // abandons the move
  expect(() => requireRowsLocation(dataDir, null)).not.toThrow()
})

// Catches an error without an explanation, and a data directory on which nothing can start.
test("refuses rows with broken references and keeps the file in use", async () => {
  const sqlite = new SqliteDatabase(filePath())
  sqlite.pragma("foreign_keys = OFF")
  sqlite.exec(`UPDATE messages SET "conversationId" = 'none' WHERE depth = 1`)
  sqlite.close()
  const url = await server.createDatabase()
  const moved = move(url)
  await expect(moved).rejects.toThrow(DatabaseUnusable)
  await expect(moved).rejects.toThrow(
    /^The PostgreSQL server refused rows of messages: .*foreign key.* To keep using the file, run "move --to file"\.$/,
  )
  await moveToFile(url, { dataDir, signal })
  expect(() => requireRowsLocation(dataDir, null)).not.toThrow()
})

// Catches rows of two boxes that are mixed in one database, and damage to a data directory by a wrong or missing address.
test("keeps rows only where they were moved", async () => {
  const [url, other] = [await server.createDatabase(), await server.createDatabase()]
  expect(() => requireRowsLocation(dataDir, url)).toThrow("is in a file. Move it")
  await move(url)
  expect(() => requireRowsLocation(dataDir, null)).toThrow("Give its address with --database-url")
  expect(() => requireRowsLocation(dataDir, url)).not.toThrow()
  await expect(moveToFile(other, { dataDir, signal })).rejects.toThrow("not on")
  const owner = dataDir
  await makeDirectory()
  await expect(move(url)).rejects.toThrow("isn't empty")
  await expect(moveToFile(url, { dataDir, signal })).rejects.toThrow("already has a database file")
  await rm(filePath())
  await expect(moveToFile(url, { dataDir, signal })).rejects.toThrow("another data directory")
  dataDir = owner
  await moveToFile(url, { dataDir, signal })
  expect(() => requireRowsLocation(dataDir, null)).not.toThrow()
  await expect(openPostgres(url)).rejects.toThrow("was moved away")
})

// Catches a copy whose rows are on the server under the original's ID, so that it can neither start nor move.
test("moves a copy that never started with its own ID", async () => {
  const url = await server.createDatabase()
  const original = dataDir
  dataDir = join(directory, "copy")
  await cp(original, dataDir, { recursive: true })
  await move(url)
  expect(getId(dataDir)).not.toBe(getId(original))
  expect(detectRelocation(dataDir)).toMatchObject({ change: null, id: getId(dataDir) })
  {
    await using database = await openPostgres(url)
    await expect(noteServer(dataDir, url, database.db)).resolves.toBeUndefined()
  }
  await moveToFile(url, { dataDir, signal })
  expect(() => requireRowsLocation(dataDir, null)).not.toThrow()
})

// Catches a copy for a drill that moves the active directory's rows back into its own file.
test("refuses to move the rows of a copied directory whose rows are on a server", async () => {
  const url = await server.createDatabase()
  await move(url)
  const copy = join(directory, "drill")
  await cp(dataDir, copy, { recursive: true })
  await expect(moveToFile(url, { dataDir: copy, signal })).rejects.toThrow("another data directory")
  await (await openPostgres(url))[Symbol.asyncDispose]()
})

// Catches changes that are stored after a nearly finished move and are lost when the move is run again.
test("doesn't treat changes after an almost finished move as moved", async () => {
  const url = await server.createDatabase()
  await expect(move(url, abortAtCheck(300))).rejects.toThrow("stopped")
  {
    await using database = await openPostgres(url, undefined, { movingFrom: getId(dataDir) })
    await setMoved(database.db, true)
  }
  {
    await using file = openSqlite(filePath())
    await file.db.insertInto("workspaces").values({ id: "new", name: "New", createdAt: "2026" }).execute()
  }
  await expect(move(url)).rejects.toThrow("The copy of workspaces differs")
  expect(existsSync(filePath())).toBe(true)
})

// Catches a data directory that can neither start nor move in either direction.
describe("a move back that was interrupted", () => {
  /** A data directory whose rows are on a server; each test gets a copy of both. */
  let moved: { url: string; dataDir: string }
  beforeAll(async () => {
    await makeDirectory()
    moved = { url: await server.createDatabase(), dataDir }
    await move(moved.url)
  })

  test.for(
    (["on", "back"] as const).flatMap((way) => [1, 40, 150, 260].map((checkCount) => ({ way, checkCount }))),
  )("at check $checkCount goes $way", async ({ way, checkCount }) => {
    const url = await server.createDatabase(moved.url)
    const marker = readMarker(moved.dataDir)
    if (marker === null || marker === "damaged") throw new Error("The directory isn't claimed.")
    dataDir = await mkdtemp(join(directory, "moved-"))
    await cp(moved.dataDir, dataDir, { recursive: true })
    writeMarker(dataDir, { ...marker, place: realpathSync(dataDir) }) // otherwise it would be a copy of the same rows
    await expect(moveToFile(url, { dataDir, signal: abortAtCheck(checkCount) })).rejects.toThrow("stopped")
    expect(() => requireRowsLocation(dataDir, url)).toThrow("isn't finished")
    await expect(openPostgres(url)).rejects.toThrow("isn't finished")
    if (way === "on") {
      await moveToFile(url, { dataDir, signal })
      expect(() => requireRowsLocation(dataDir, null)).not.toThrow()
      expect(await sumsOfFile()).toEqual(before)
    } else {
      await move(url)
      expect(() => requireRowsLocation(dataDir, url)).not.toThrow()
      expect(await sumsOfServer(url)).toEqual(before)
    }
  })
})

// Catches two boxes with their rows in one database that undo each other's changes.
test("allows one box per database, even after a server outage", async () => {
  const url = await server.createDatabase()
  await (await openPostgres(url))[Symbol.asyncDispose]()
  {
    await using _ = await acquireDatabase(url)
    await expect(acquireDatabase(url)).rejects.toThrow("Another server is active")
    server.crash()
    await expect.poll(() => getHolders(url)).toBe(1)
    await expect(acquireDatabase(url)).rejects.toThrow("Another server is active")
  }
  await (await acquireDatabase(url))[Symbol.asyncDispose]()
})

/** Returns the number of holders of the database; 0 while its server is down. */
async function getHolders(url: string): Promise<number> {
  const client = new Client({ connectionString: url })
  client.on("error", () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ count: string }>(
      "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE locktype = 'advisory' AND objid = 8486 AND granted AND datname = current_database()",
    )
    return Number(rows[0]?.count)
  } catch {
    return 0
  } finally {
    await client.end()
  }
}
