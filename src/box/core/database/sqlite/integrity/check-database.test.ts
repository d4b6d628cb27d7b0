import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import SqliteDatabase from "better-sqlite3"
import { afterAll, afterEach, beforeEach, expect, it } from "vitest"
import { damagePages } from "../../../../testing/test-database.ts"
import { spawnNodeChild } from "../../../children/child.ts"
import { DatabaseUnusable } from "../../database.ts"
import { openSqlite } from "../open-sqlite.ts"
import { createDatabaseChecker } from "./check-database.ts"

const checker = createDatabaseChecker(spawnNodeChild)
afterAll(() => checker[Symbol.asyncDispose]())

let directory: string
let path: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-check-"))
  path = join(directory, "casella.sqlite")
  await openSqlite(path)[Symbol.asyncDispose]()
  const sqlite = new SqliteDatabase(path)
  const insert = sqlite.prepare(
    "INSERT INTO egress (id, startedAt, purpose, host, outcome) VALUES (?, ?, '', '', '')",
  )
  for (let id = 0; id < 500; id++) insert.run(String(id), "x".repeat(100))
  sqlite.close()
})
afterEach(() => rm(directory, { recursive: true, force: true }))

// Catches a checker that can't open a database that is in use, or mistakes full-text search for damage.
it("finds no fault in a sound database, in use or not", async () => {
  await checker.requireSound(path)
  await using database = openSqlite(path)
  await database.db.updateTable("egress").set({ host: "x" }).execute()
  expect(await checker.findFaults(path)).toEqual([])
})

// Catches a damaged page in a table or an index that goes unnoticed until it is read.
it.each(["egress", "egressByUser"])("finds a damaged page of %s and names its table", async (name) => {
  damagePages(path, name, ([first = 0]) => [first])
  const faults = await checker.findFaults(path)
  expect(new Set(faults.map(({ table }) => table))).toEqual(new Set(["egress"]))
  await expect(checker.requireSound(path)).rejects.toThrow(DatabaseUnusable)
})

it("reports a file that isn't a database", async () => {
  await writeFile(path, "This is no database at all, but long enough to look at.".repeat(100))
  await expect(checker.requireSound(path)).rejects.toThrow(DatabaseUnusable)
})

// Catches a check that couldn't be made and is mistaken for damage.
it("distinguishes a file that it can't open from a damaged one", async () => {
  await rm(path)
  await expect(checker.requireSound(path)).rejects.toThrow("ended early")
})

// Catches a process that keeps reading when the box stops.
it("stops when it is aborted", async () => {
  const pids: (number | undefined)[] = []
  const stop = new AbortController()
  const watched = createDatabaseChecker((options) => {
    const child = spawnNodeChild(options)
    pids.push(child.pid)
    return child
  })
  const stopped = watched.requireSound(path, stop.signal)
  stop.abort(new Error("Enough."))
  await expect(stopped).rejects.toThrow("Enough.")
  const disposed = watched.requireSound(path)
  const refused = expect(disposed).rejects.toThrow("shutting down")
  await watched[Symbol.asyncDispose]()
  await refused
  expect(pids).toHaveLength(2)
  for (const pid of pids) expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH")
})
