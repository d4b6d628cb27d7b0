import { openTestDatabase } from "../../../core/database/testing/test-database.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest"
import type { OpenDatabase } from "../../../core/database/database.ts"
import { timestamp } from "../../../core/ids.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { addStoredFolder } from "../../../testing/test-database.ts"
import { newFileRow, pageColumns } from "../file-entry.ts"
import { createWebPages } from "./web-pages.ts"

const hourMs = 3_600_000

let directory: string
let database: OpenDatabase
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-web-timers-"))
  database = await openTestDatabase(join(directory, "casella.sqlite"))
  await addStoredFolder(database.db, "folders/folder")
})
afterEach(async () => {
  vi.useRealTimers()
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const nothing = () => Promise.reject(new Error("Nothing is due."))
const openPages = (find: () => Promise<never>) =>
  createWebPages({
    db: database.db,
    folders: { find },
    access: { changeable: nothing },
    receiving: { upload: nothing, replace: nothing },
    changes: { changed: () => undefined },
    fetchPage: nothing,
    logger: silentLogger,
  })

const found = { size: 1, modifiedMs: 1, changedMs: 1, identity: "1:1", storage: "local" } as const
const newPage = (path: string, refreshAt: number) => ({
  ...newFileRow("folder", { ...found, path }, 0),
  ...pageColumns(
    {
      url: "https://example.com/",
      userId: "alice",
      refreshHours: 2,
      hash: "",
      problem: null,
      fetchedAt: timestamp(),
    },
    timestamp(refreshAt),
  ),
})

// Catches a server that keeps waking up although no page needs refreshing, and a separate timer for each page.
it(
  "has no timer when no page is refreshed, and one timer for all refreshed pages",
  { tags: "rows-in-file" },
  async () => {
    await using pages = openPages(nothing)
    const timers = vi.spyOn(globalThis, "setTimeout")
    onTestFinished(() => timers.mockRestore())
    /** Delays in ms. Shorter ones belong to other parts of the process, such as open connections. */
    const getWaits = () => timers.mock.calls.map(([, ms = 0]) => ms).filter((ms) => ms >= 60_000)
    await pages.start()
    expect(getWaits()).toEqual([])

    const rows = Array.from({ length: 50 }, (_, index) =>
      newPage(`${index}.html`, Date.now() + (2 + index) * hourMs),
    )
    await database.db.insertInto("files").values(rows).execute()
    await pages.start()
    expect(getWaits()).toHaveLength(1)
    expect(getWaits()[0]).toBeGreaterThan(1.9 * hourMs)
  },
)

// Catches a page that isn't refreshed until a year that the clock once showed.
it("refreshes a page that a clock which was ahead postponed beyond the maximum", async () => {
  await database.db
    .insertInto("files")
    .values(newPage("page.html", Date.parse("2090-01-01")))
    .execute()
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const asked = Promise.withResolvers<void>()
  await using pages = openPages(() => {
    asked.resolve()
    return nothing()
  })
  await pages.start()
  await vi.advanceTimersByTimeAsync(12 * hourMs)
  await asked.promise
})
