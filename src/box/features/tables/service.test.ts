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

// Would catch: an answer that cites sheets which its SQL doesn't speak of, or none because it writes names with capitals.
test("an answer tells of the tables that its SQL names, however it writes them", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-test-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const kept = createKeptTables(directory)
  const answer = { columns: [], rows: [], truncated: false, ms: 0 }
  const made = (id: string) => ({
    id,
    name: `${id}.csv`,
    revision: 1,
    document: () => Promise.reject(new Error()),
  })
  for (const id of ["costs", "income"]) {
    await kept.prepare("folder")
    const table = { id: `of-${id}`, name: id, key: "t0", sheet: null, rows: 1, columns: [] }
    await kept.keep("folder", id, { revision: 1, tables: [table] })
    await writeFile(kept.databasePath("folder", id, 1), "a database")
  }
  await using tables = createTables({
    maker: () => Promise.reject(new Error("All is made.")),
    asker: () =>
      Promise.resolve({
        ask: () => Promise.resolve(answer),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    kept,
    spreadsheets: () => Promise.resolve([made("costs"), made("income")]),
    foldersOf: () => Promise.resolve(new Map()),
    bus: createEventBus(),
    logger: silentLogger,
  })
  const asked = await tables.query("alice", "folder", "SELECT sum(net) FROM Costs")
  expect(asked.tables.map(({ fileName }) => fileName)).toEqual(["costs.csv"])
})

// Would catch: many small workbooks of many columns, all of which are read with each question while nobody else is answered.
test("a folder has so many columns, and room again once files are gone", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-test-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const columns = Array.from({ length: 10_000 }, (_, index) => ({
    name: `c${index}`,
    type: "text" as const,
  }))
  const spreadsheet = (number: number) => ({
    id: `file${number}`,
    name: `${number}.csv`,
    revision: 1,
    document: () => Promise.resolve({ path: "a.csv", name: "a.csv" }),
  })
  const files = Array.from({ length: 7 }, (_, number) => spreadsheet(number))
  await using tables = createTables({
    maker: () =>
      Promise.resolve({
        async make(_userId, _input, path) {
          await writeFile(path, "a database")
          return { tables: [{ key: "t0", sheet: null, rows: 1, columns }], problem: null }
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    asker: () => Promise.reject(new Error("Nobody asks.")),
    kept: createKeptTables(directory),
    spreadsheets: () => Promise.resolve(files),
    foldersOf: () => Promise.resolve(new Map()),
    bus: createEventBus(),
    logger: silentLogger,
  })
  const made = async () => (await tables.list("alice", "folder")).map(({ fileId }) => fileId)
  expect(await made()).toEqual(["file0", "file1", "file2", "file3", "file4"])
  files.shift()
  expect(await made()).toEqual(["file1", "file2", "file3", "file4", "file5"])
})
