import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { Database, OpenDatabase } from "../database/database.ts"
import { dropTestDatabase, openTestDatabase } from "../database/testing/test-database.ts"
import { silentLogger } from "../logging/logger.ts"
import { addStoredFolder } from "../../testing/test-database.ts"
import { newFileRow } from "../../features/files/file-entry.ts"
import { endObjects, noteNewObject, objectRetentionMs } from "./object-rows.ts"
import { createUnusedObjects, type UnusedObjects } from "./unused-objects.ts"

let directory: string
let database: OpenDatabase
let db: Database
let now: number
let removed: string[]
let failure: Error | null
/** Runs in the store before an object is removed. */
let beforeRemoval: (() => Promise<void>) | null
let unused: UnusedObjects
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-unused-"))
  database = await openTestDatabase(join(directory, "casella.sqlite"))
  db = database.db
  await addStoredFolder(db, "folders/folder")
  now = Date.now()
  removed = []
  failure = null
  beforeRemoval = null
  unused = createUnusedObjects({
    db,
    store: {
      async remove(key) {
        if (failure) throw failure
        const first = beforeRemoval
        beforeRemoval = null
        await first?.()
        removed.push(key)
      },
    },
    cache: { drop: () => Promise.resolve() },
    times: { now: () => now },
    beforeScan: () => Promise.resolve(),
    logger: silentLogger,
  })
})
afterEach(async () => {
  await unused[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await dropTestDatabase(join(directory, "casella.sqlite"))
  await rm(directory, { recursive: true })
})

const found = { size: 1, modifiedMs: 1, identity: "1:1", changedMs: null, storage: "local" } as const
async function addFile(object: string): Promise<void> {
  const row = newFileRow("folder", { path: `${object}.txt`, ...found }, 0, object)
  await db
    .insertInto("files")
    .values({ ...row, object })
    .execute()
}
const endFile = (object: string) => db.deleteFrom("files").where("id", "=", object).execute()

async function check(): Promise<string[]> {
  unused.wake()
  await unused.whenIdle()
  return removed.toSorted()
}

// Catches an object that is deleted while a file uses it, or too early, or never.
test("deletes an object 30 days after the last row referred to it", async () => {
  await noteNewObject(db, "kept")
  await addFile("kept")
  await noteNewObject(db, "deleted")
  await addFile("deleted")
  await endFile("deleted")
  await noteNewObject(db, "never told of")
  expect(await check()).toEqual([])
  now += objectRetentionMs - 60_000
  expect(await check()).toEqual([])
  now += 120_000
  expect(await check()).toEqual(["deleted", "never told of"])
  await endFile("kept")
  expect(await check()).not.toContain("kept")
})

// Catches bytes that are deleted during their upload because someone empties the trash.
test("keeps used and arriving objects when all unused ones are deleted", async () => {
  await noteNewObject(db, "coming")
  await addFile("used")
  await addFile("gone")
  await endFile("gone")
  await unused.endAll()
  expect(await check()).toEqual(["gone"])
})

// Catches an object of two files that is deleted with one of them.
test("keeps an object while another row refers to it", async () => {
  await addFile("shared")
  const row = newFileRow("folder", { path: "copy.txt", ...found }, 0, "copy")
  await db
    .insertInto("files")
    .values({ ...row, object: "shared" })
    .execute()
  await endFile("shared")
  await endObjects(db, ["shared"])
  expect(await check()).toEqual([])
})

// Catches objects that stay forever because the store failed.
test("retries a failed deletion later", async () => {
  await addFile("gone")
  await endFile("gone")
  failure = new Error("The store is away.")
  await unused.endAll()
  expect(await check()).toEqual([])
  failure = null
  expect(await check()).toEqual(["gone"])
})

// Catches an object that is deleted with one of two files while a look, which has already read the used objects, is deleting many others.
test("keeps an object that loses one of its rows during a look", async () => {
  const gone = Array.from({ length: 201 }, (_, index) => ({ object: `gone${index}`, noticedAt: "0000" }))
  await db.insertInto("unusedObjects").values(gone).execute()
  const row = newFileRow("folder", { path: "copy.txt", ...found }, 0, "copy")
  await db
    .insertInto("files")
    .values({ ...row, object: "shared" })
    .execute()
  await addFile("shared")
  beforeRemoval = async () => {
    await endFile("shared")
    await endObjects(db, ["shared"])
  }
  expect(await check()).toEqual(gone.map(({ object }) => object).toSorted())
})

// Catches an object that stays forever because its note was removed while it was being written, when the row that referred to the object
// was still visible.
test(
  "deletes an object that loses its last row while a look forgets used objects",
  { tags: "rows-on-server" },
  async () => {
    await noteNewObject(db, "going")
    await addFile("going")
    const waiting = async () => {
      const { rows } = await sql<{ count: string }>`SELECT count(*) FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`.execute(db)
      return Number(rows[0]?.count)
    }
    // Not one of Casella's transactions, for which the look would wait: this simulates a single slow statement.
    await db
      .transaction()
      .setIsolationLevel("read committed")
      .execute(async (transaction) => {
        await transaction.deleteFrom("files").where("id", "=", "going").execute()
        await endObjects(transaction, ["going"])
        unused.wake()
        await expect.poll(waiting).toBe(1)
      })
    await unused.whenIdle()
    expect(await check()).toEqual(["going"])
  },
)

// Catches an object that stays for an hour, although its owner deleted it permanently, because the database or the store was busy once.
test("retries a failed look soon", async () => {
  await noteNewObject(db, "gone")
  await endObjects(db, ["gone"])
  failure = new Error("busy")
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    expect(await check()).toEqual([])
    failure = null
    vi.advanceTimersByTime(5_000)
  } finally {
    vi.useRealTimers()
  }
  await unused.whenIdle()
  expect(removed).toEqual(["gone"])
})
