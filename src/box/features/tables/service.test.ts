import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { createEventBus } from "../../core/event-bus.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createKeptTables } from "./keeping/kept-tables.ts"
import { createTables } from "./service.ts"

// Would catch: the directory of a folder's first tables that is swept away while they are made, which fails the request.
test("sweeping leaves a folder alone whose first tables are being made", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-test-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const kept = createKeptTables(directory)
  await kept.prepare("old")
  await kept.keep("old", "gone", { revision: 1, tables: [] })
  const input = { path: "a.csv", name: "a.csv" }
  await using tables = createTables({
    maker: () =>
      Promise.resolve({
        async make(_userId, _input, path) {
          await tables.sweep()
          await writeFile(path, "a database")
          return { tables: [{ key: "t0", sheet: null, rows: 1, columns: [] }], problem: null }
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    asker: () => Promise.reject(new Error("Nobody asks.")),
    kept,
    spreadsheets: () =>
      Promise.resolve([{ id: "file", name: "a.csv", revision: 1, document: () => Promise.resolve(input) }]),
    foldersOf: () => Promise.resolve(new Map()),
    bus: createEventBus(),
    logger: silentLogger,
  })
  expect((await tables.list("alice", "new")).map(({ name }) => name)).toEqual(["a"])
  expect(await kept.all()).toEqual([{ folderId: "new", fileId: "file" }])
})
