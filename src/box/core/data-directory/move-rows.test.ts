import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { Client } from "pg"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { startTestPostgres, type TestPostgres } from "../../../shared/testing/test-postgres.ts"
import { DatabaseUnusable } from "../database/database.ts"
import { copiedTables, summarise } from "../database/copy-rows.ts"
import { holdDatabase } from "../database/postgres/hold-database.ts"
import { openPostgres } from "../database/postgres/open-postgres.ts"
import { setMoved } from "../database/postgres/server-database.ts"
import { openSqlite } from "../database/sqlite/open-sqlite.ts"
import { fillRows, rowsOfEach } from "../database/testing/fill-rows.ts"
import { makeMarker, newMarker, readMarker } from "./marker.ts"
import { moveToFile, moveToServer } from "./move-rows.ts"
import { idOf, noteServer, requirePlaceOfRows } from "./place-of-rows.ts"
import { settleIn } from "./settle-in.ts"

let directory: string
let server: TestPostgres
let dataDir: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-move-"))
  server = startTestPostgres()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const filePath = () => join(dataDir, "casella.sqlite")
const { signal } = new AbortController()
const move = (url: string, stop = signal) => moveToServer(url, { dataDir, signal: stop })

async function beginDirectory() {
  dataDir = await mkdtemp(join(directory, "data-"))
  await mkdir(join(dataDir, "tmp"))
  makeMarker(dataDir, newMarker(dataDir, true))
  await openSqlite(filePath())[Symbol.asyncDispose]()
  fillRows(filePath())
}
beforeEach(beginDirectory)

async function sumsOfFile(path = filePath()) {
  await using file = openSqlite(path)
  return await summarise(file.db)
}

async function sumsOfServer(url: string) {
  await using database = await openPostgres(url)
  return await summarise(database.db)
}

// Would catch: rows that are lost, altered or doubled on the way there or back, and a file that is gone before all is there.
test("all rows go to a server and come back, each compared", async () => {
  const url = await server.createDatabase()
  const before = await sumsOfFile()
  const { tables, before: aside } = await move(url)
  expect(tables).toEqual(copiedTables.map((table) => ({ table, rows: rowsOfEach })))
  expect(existsSync(filePath())).toBe(false)
  expect(await sumsOfServer(url)).toEqual(before)
  expect(await sumsOfFile(aside ?? "")).toEqual(before)
  await moveToFile(url, { dataDir, signal })
  expect(await sumsOfFile()).toEqual(before)
})

// Would catch: a move that was cut off and can't be gone on with, or that is gone on with as if all had been there.
test("a move that is stopped anywhere leaves the file, and goes on where it was", async () => {
  const url = await server.createDatabase()
  const before = await sumsOfFile()
  for (let looks = 1; ; looks *= 3) {
    const stop = stoppedAtLook(looks)
    try {
      await move(url, stop)
      break
    } catch (error) {
      expect(error).toMatchObject({ message: "stopped" })
      expect(existsSync(filePath())).toBe(true)
      await expect(openPostgres(url)).rejects.toThrow("isn't finished")
      expect(() => requirePlaceOfRows(dataDir, null)).toThrow("isn't finished")
    }
  }
  expect(await sumsOfServer(url)).toEqual(before)
})

/** A signal that aborts once it was looked at so many times. */
function stoppedAtLook(looks: number): AbortSignal {
  const controller = new AbortController()
  let looked = 0
  const { signal: stop } = controller
  Object.defineProperty(stop, "throwIfAborted", {
    value: () => {
      if (++looked >= looks) throw new Error("stopped")
    },
  })
  return stop
}

// Would catch: a row that another program writes on the server meanwhile, or that didn't arrive, and a move that counts as done.
test("a copy that differs isn't used", async () => {
  const url = await server.createDatabase()
  await expect(move(url, stoppedAtLook(20))).rejects.toThrow("stopped")
  {
    await using database = await openPostgres(url, undefined, { movingFrom: idOf(dataDir) })
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
  await moveToFile(url, { dataDir, signal }) // gives it up
  expect(() => requirePlaceOfRows(dataDir, null)).not.toThrow()
})

// Would catch: an error without an explanation, and a data directory on which nothing starts any more.
test("rows that refer to none are refused, and the file stays in use", async () => {
  const sqlite = new SqliteDatabase(filePath())
  sqlite.pragma("foreign_keys = OFF")
  sqlite.exec(`UPDATE messages SET "conversationId" = 'none' WHERE depth = 1`)
  sqlite.close()
  const url = await server.createDatabase()
  const moved = move(url)
  await expect(moved).rejects.toThrow(DatabaseUnusable)
  await expect(moved).rejects.toThrow(
    /^The server refuses rows of messages: .*foreign key.* To stay with the file, "move --to file"\.$/,
  )
  await moveToFile(url, { dataDir, signal })
  expect(() => requirePlaceOfRows(dataDir, null)).not.toThrow()
})

// Would catch: rows of two boxes mixed up in one database, and what a wrong address or none does to a data directory.
test("rows are where they were moved, and nowhere else", async () => {
  const [url, other] = [await server.createDatabase(), await server.createDatabase()]
  expect(() => requirePlaceOfRows(dataDir, url)).toThrow("has its rows in a file")
  await move(url)
  expect(() => requirePlaceOfRows(dataDir, null)).toThrow("Name that with --database-url")
  expect(() => requirePlaceOfRows(dataDir, url)).not.toThrow()
  await expect(moveToFile(other, { dataDir, signal })).rejects.toThrow("are others")
  const owner = dataDir
  await beginDirectory()
  await expect(move(url)).rejects.toThrow("isn't empty")
  await expect(moveToFile(url, { dataDir, signal })).rejects.toThrow("in a file already")
  await rm(filePath())
  await expect(moveToFile(url, { dataDir, signal })).rejects.toThrow("another data directory")
  dataDir = owner
  await moveToFile(url, { dataDir, signal })
  expect(() => requirePlaceOfRows(dataDir, null)).not.toThrow()
  await expect(openPostgres(url)).rejects.toThrow("went from there")
})

// Would catch: a copy whose rows the server knows by the original's id, so that neither start nor move has anything to do with them.
test("a copy that never started moves with its own id", async () => {
  const url = await server.createDatabase()
  const original = dataDir
  dataDir = join(directory, "copy")
  await cp(original, dataDir, { recursive: true })
  await move(url)
  expect(idOf(dataDir)).not.toBe(idOf(original))
  expect(settleIn(dataDir)).toMatchObject({ change: null, id: idOf(dataDir) })
  {
    await using database = await openPostgres(url)
    await expect(noteServer(dataDir, url, database.db)).resolves.toBeUndefined()
  }
  await moveToFile(url, { dataDir, signal })
  expect(() => requirePlaceOfRows(dataDir, null)).not.toThrow()
})

// Would catch: a copy for a drill that takes the rows of the directory at work back into its own file.
test("a copy of a directory with rows on a server can't move them", async () => {
  const url = await server.createDatabase()
  await move(url)
  const copy = join(directory, "drill")
  await cp(dataDir, copy, { recursive: true })
  await expect(moveToFile(url, { dataDir: copy, signal })).rejects.toThrow("another data directory")
  await (await openPostgres(url))[Symbol.asyncDispose]()
})

// Would catch: what is stored after a move that was all but ended, and isn't in the rows that count once the move is run again.
test("a move that was cut off at its end takes nothing that came since for moved", async () => {
  const url = await server.createDatabase()
  await expect(move(url, stoppedAtLook(300))).rejects.toThrow("stopped")
  {
    await using database = await openPostgres(url, undefined, { movingFrom: idOf(dataDir) })
    await setMoved(database.db, true)
  }
  {
    await using file = openSqlite(filePath())
    await file.db.insertInto("workspaces").values({ id: "new", name: "New", createdAt: "2026" }).execute()
  }
  await expect(move(url)).rejects.toThrow("The copy of workspaces differs")
  expect(existsSync(filePath())).toBe(true)
})

// Would catch: a data directory that neither start, nor either move, has anything to do with any more.
test.for((["on", "back"] as const).flatMap((way) => [1, 40, 150, 260].map((looks) => ({ way, looks }))))(
  "a move back that was cut off at look $looks goes $way",
  async ({ way, looks }) => {
    await beginDirectory()
    const url = await server.createDatabase()
    const before = await sumsOfFile()
    await move(url)
    await expect(moveToFile(url, { dataDir, signal: stoppedAtLook(looks) })).rejects.toThrow("stopped")
    expect(() => requirePlaceOfRows(dataDir, url)).toThrow("isn't finished")
    await expect(openPostgres(url)).rejects.toThrow("isn't finished")
    if (way === "on") {
      await moveToFile(url, { dataDir, signal })
      expect(() => requirePlaceOfRows(dataDir, null)).not.toThrow()
      expect(await sumsOfFile()).toEqual(before)
    } else {
      await move(url)
      expect(() => requirePlaceOfRows(dataDir, url)).not.toThrow()
      expect(await sumsOfServer(url)).toEqual(before)
    }
  },
)

// Would catch: two boxes that both have their rows in one database, and each undo what the other does.
test("one box at a time is on a database, over an outage of the server too", async () => {
  const url = await server.createDatabase()
  await (await openPostgres(url))[Symbol.asyncDispose]()
  {
    await using _ = await holdDatabase(url)
    await expect(holdDatabase(url)).rejects.toThrow("Another box runs")
    server.crash()
    await expect.poll(() => holdersOf(url)).toBe(1)
    await expect(holdDatabase(url)).rejects.toThrow("Another box runs")
  }
  await (await holdDatabase(url))[Symbol.asyncDispose]()
})

/** How many hold it; none while its server is away. */
async function holdersOf(url: string): Promise<number> {
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
