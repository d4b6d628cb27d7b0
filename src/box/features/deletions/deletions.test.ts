import { openTestDatabase } from "../../core/database/testing/test-database.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { OpenDatabase } from "../../core/database/database.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createDeletions, type Deletions } from "./service.ts"

let directory: string
let database: OpenDatabase
let deletions: Deletions
/** Restored and permanently deleted items, in order. */
const log: string[] = []
/** Work to run before an item is restored or deleted. */
const before = new Map<string, () => Promise<unknown>>()

beforeEach(async () => {
  log.length = 0
  before.clear()
  vi.useFakeTimers({ toFake: ["Date"] })
  directory = await mkdtemp(join(tmpdir(), "deletions-"))
  database = await openTestDatabase(join(directory, "casella.sqlite"))
  const { db } = database
  for (const id of ["alice", "bob"])
    await db
      .insertInto("users")
      .values({ id, email: `${id}@box.test`, name: id, createdAt: "" })
      .execute()
  deletions = createDeletions({ db, logger: silentLogger, undoMs: 60_000 })
  deletions.handle("chat", {
    async restore({ itemId }, also) {
      await before.get(itemId)?.()
      await db.transaction().execute(also)
      log.push(`${itemId} is back`)
    },
    async end({ itemId }) {
      await before.get(itemId)?.()
      log.push(`${itemId} is gone`)
    },
  })
})
afterEach(async () => {
  vi.useRealTimers()
  await deletions[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const note = (ownerId: string, ...ids: string[]) =>
  database.db.transaction().execute((transaction) => {
    const some = ids.map((itemId) => ({ ownerId, kind: "chat" as const, itemId, kept: "{}" }))
    return deletions.note(transaction, ...some)
  })
const undo = (userId: string, token: string) => deletions.undo({ userId, scopes: null }, token)
const passTime = () => vi.setSystemTime(Date.now() + 61_000)

// Catches an item that stays for up to twice the time in which its deletion can be undone.
test("ends each deletion when it is due, not when a whole period is over", async () => {
  using timers = vi.spyOn(globalThis, "setTimeout")
  await note("alice", "first")
  vi.setSystemTime(Date.now() + 55_000)
  await note("alice", "second")
  vi.setSystemTime(Date.now() + 6_000)
  await deletions[Symbol.asyncDispose]()
  deletions = createDeletions({ db: database.db, logger: silentLogger, undoMs: 60_000 })
  deletions.handle("chat", { restore: () => Promise.resolve(), end: () => Promise.resolve() })
  timers.mockClear()
  await deletions.start()
  const waits = timers.mock.calls.map(([, ms]) => ms) // with those of a database server
  expect(waits).toContain(54_000)
  expect(waits).not.toContain(60_000)
})

// Catches items that are permanently deleted during a restore because their token expired in the meantime.
test("restores everything requested in time, however long that takes", async () => {
  await note("alice", "other")
  const { token } = await note("alice", "later", "c1", "c2")
  before.set("later", () => Promise.reject(new Error("Not now")))
  before.set("c1", () => {
    passTime()
    return deletions.start()
  })
  await undo("alice", token)
  expect(log).toEqual(["other is gone", "c1 is back", "c2 is back"])
  before.delete("later")
  await deletions.start()
  expect(log.slice(3)).toEqual(["later is gone"])
})

// Catches a deletion that ended in the meantime and is ended again although its ID now belongs to a new chat, and another deletion that is
// ended in its place.
test("doesn't end deletions that have already ended, or later ones", async () => {
  await note("alice", "c1", "c2")
  let token = ""
  before.set("c1", async () => {
    await deletions.endNow("alice", "chat", "c2")
    token = (await note("bob", "other")).token
  })
  passTime()
  await deletions.start()
  expect(log).toEqual(["c2 is gone", "c1 is gone"])
  await undo("bob", token)
  expect(log.slice(2)).toEqual(["other is back"])
})

// Catches the same fault while items are restored.
test("doesn't restore deletions that have already ended, or later ones", async () => {
  const { token } = await note("alice", "c1", "c2")
  let others = ""
  before.set("c1", async () => {
    await deletions.endNow("alice", "chat", "c2")
    others = (await note("bob", "other")).token
  })
  await undo("alice", token)
  expect(log).toEqual(["c2 is gone", "c1 is back"])
  await undo("bob", others)
  expect(log.slice(2)).toEqual(["other is back"])
})
