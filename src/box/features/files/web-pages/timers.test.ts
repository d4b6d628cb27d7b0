import { openTestDatabase } from "../../../core/database/testing/test-database.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import { timestamp } from "../../../core/ids.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { addStoredFolder } from "../../../testing/test-database.ts"
import { newFileRow, pageColumns } from "../file-entry.ts"
import { createWebPages } from "./web-pages.ts"

const hourMs = 3_600_000

// Catches a server that keeps waking up although no page needs refreshing, and a separate timer for each page.
it(
  "has no timer when no page is refreshed, and one timer for all refreshed pages",
  { tags: "rows-in-file" },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "casella-web-timers-"))
    onTestFinished(() => rm(directory, { recursive: true }))
    const database = await openTestDatabase(join(directory, "casella.sqlite"))
    onTestFinished(() => database[Symbol.asyncDispose]())
    const { db } = database
    await addStoredFolder(db, "folders/folder")
    const nothing = () => Promise.reject(new Error("Nothing is due."))
    await using pages = createWebPages({
      db,
      folders: { find: nothing },
      access: { changeable: nothing },
      receiving: { upload: nothing, replace: nothing },
      changes: { changed: () => undefined },
      fetchPage: nothing,
      logger: silentLogger,
    })
    const timers = vi.spyOn(globalThis, "setTimeout")
    onTestFinished(() => timers.mockRestore())
    await pages.start()
    expect(timers).not.toHaveBeenCalled()

    const found = { size: 1, modifiedMs: 1, changedMs: 1, identity: "1:1", storage: "local" } as const
    const page = { url: "https://example.com/", userId: "alice", refreshHours: 2, hash: "", problem: null }
    const rows = Array.from({ length: 50 }, (_, index) => ({
      ...newFileRow("folder", { ...found, path: `${index}.html` }, 0),
      ...pageColumns({ ...page, fetchedAt: timestamp() }, timestamp(Date.now() + (2 + index) * hourMs)),
    }))
    await db.insertInto("files").values(rows).execute()
    await pages.start()
    expect(timers).toHaveBeenCalledOnce()
    expect(timers.mock.calls[0]?.[1]).toBeGreaterThan(1.9 * hourMs)
  },
)
