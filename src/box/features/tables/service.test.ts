import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { spawnNodeChild } from "../../core/children/child.ts"
import { createEventBus } from "../../core/event-bus.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { createTableDatabases } from "./keeping/kept-tables.ts"
import { createTableAsker } from "./asking/table-asker.ts"
import { createTableMaker } from "./making/table-maker.ts"
import type { Spreadsheet } from "./making/folder-tables.ts"
import { createTables } from "./service.ts"

const never = AbortSignal.any([])

/** Tables of one file. They are swept while being created, after `first` is called. */
function tablesSweptWhileMade(
  kept: ReturnType<typeof createTableDatabases>,
  folderByFile: () => Map<string, string>,
  first: () => void = () => undefined,
) {
  const input = { path: "a.csv", name: "a.csv" }
  const tables = createTables({
    maker: () =>
      Promise.resolve({
        async make(_userId, _input, path) {
          first()
          await tables.sweep()
          await writeFile(path, "a database")
          return { tables: [{ key: "t0", sheet: null, rows: 1, columns: [] }], problem: null }
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    asker: () => Promise.reject(new Error("Not asked.")),
    kept,
    spreadsheets: () =>
      Promise.resolve([{ id: "file", name: "a.csv", revision: 1, document: () => Promise.resolve(input) }]),
    getFolders: () => Promise.resolve(folderByFile()),
    bus: createEventBus(),
    logger: silentLogger,
  })
  return tables
}

// Catches a sweep that removes a folder's directory while its first tables are being created, which fails the request.
test("doesn't sweep a folder whose first tables are being created", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-test-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const kept = createTableDatabases(directory)
  await kept.prepare("old")
  await kept.keep("old", "gone", { revision: 1, tables: [] })
  await using tables = tablesSweptWhileMade(kept, () => new Map([["file", "new"]]))
  expect((await tables.list("alice", "new", { signal: never })).tables.map(({ name }) => name)).toEqual(["a"])
  expect(await kept.all()).toEqual([{ folderId: "new", fileId: "file" }])
})

// Catches a workbook that stays without tables after its password is entered, because it had none while locked.
test("reads a file without tables again after its password is known, but only once", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-test-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  let password: string | undefined
  let made = 0
  await using tables = createTables({
    maker: () =>
      Promise.resolve({
        async make() {
          made++
          return { tables: [], problem: "It can't be read.", why: "unreadable" }
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    asker: () => Promise.reject(new Error("Not asked.")),
    kept: createTableDatabases(directory),
    spreadsheets: async () => [
      {
        id: "file",
        name: "a.xlsx",
        revision: 1,
        isUnlocked: password !== undefined,
        document: async () => ({
          path: "a.xlsx",
          name: "a.xlsx",
          ...(password !== undefined && { password }),
        }),
      },
    ],
    getFolders: () => Promise.resolve(new Map([["file", "folder"]])),
    bus: createEventBus(),
    logger: silentLogger,
  })
  const listed = async () => {
    await tables.list("alice", "folder", { signal: never })
    return made
  }
  expect([await listed(), await listed()]).toEqual([1, 1])
  password = "heron"
  expect([await listed(), await listed()]).toEqual([2, 2])
})

// Catches an answer that cites sheets its SQL doesn't use, or cites none because the SQL uses capitals.
test("lists the tables that the SQL names, regardless of case", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-test-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const kept = createTableDatabases(directory)
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
    getFolders: () => Promise.resolve(new Map()),
    bus: createEventBus(),
    logger: silentLogger,
  })
  const asked = await tables.query("alice", "folder", "SELECT sum(net) FROM Costs", { signal: never })
  expect(asked.tables.map(({ fileName }) => fileName)).toEqual(["costs.csv"])
})

// Catches many small workbooks with many columns that are all read for each query and block other requests.
test("limits a folder's total columns and frees room when files are removed", async () => {
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
    asker: () => Promise.reject(new Error("Not asked.")),
    kept: createTableDatabases(directory),
    spreadsheets: () => Promise.resolve(files),
    getFolders: () => Promise.resolve(new Map(files.map(({ id }) => [id, "folder"]))),
    bus: createEventBus(),
    logger: silentLogger,
  })
  const made = async () => {
    const { tables: found, without } = await tables.list("alice", "folder", { signal: never })
    return [...found.map(({ fileId }) => fileId), ...without.map(({ fileId, why }) => `${fileId} ${why}`)]
  }
  const [first, ...others] = [0, 1, 2, 3, 4].map((number) => `file${number}`)
  expect(await made()).toEqual([first, ...others, "file5 folder_full", "file6 folder_full"])
  files.shift()
  expect(await made()).toEqual([...others, "file5", "file6 folder_full"])
})

// Catches a copy of a deleted file's content that remains because it was created during the deletion.
test("removes tables of a file that is deleted while they are created", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-test-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const kept = createTableDatabases(directory)
  const folderByFile = new Map([["file", "folder"]])
  await using tables = tablesSweptWhileMade(
    kept,
    () => folderByFile,
    () => folderByFile.clear(),
  )
  await tables.list("alice", "folder", { signal: never })
  await expect.poll(() => kept.all()).toEqual([])
})

/** Creates and queries tables of real files in real processes. */
async function openReal(processorMs?: number) {
  const directory = await mkdtemp(join(tmpdir(), "casella-test-"))
  const stack = new AsyncDisposableStack()
  onTestFinished(async () => {
    await stack.disposeAsync()
    await rm(directory, { recursive: true, force: true })
  })
  const files: Spreadsheet[] = []
  const opened: string[] = []
  const maker = stack.use(createTableMaker(spawnNodeChild, join(directory, "making"), processorMs))
  const asker = stack.use(createTableAsker(spawnNodeChild))
  const tables = stack.use(
    createTables({
      maker: () => Promise.resolve(maker),
      asker: () => Promise.resolve(asker),
      kept: createTableDatabases(join(directory, "tables")),
      spreadsheets: () => Promise.resolve([...files]),
      getFolders: () => Promise.resolve(new Map(files.map(({ id }) => [id, "folder"]))),
      bus: createEventBus(),
      logger: silentLogger,
      waitMs: 1,
    }),
  )
  return {
    tables,
    opened,
    /** Adds a file that can be read after the gate opens. */
    async add(id: string, content: string, gate: Promise<unknown> = Promise.resolve()) {
      const path = join(directory, `${id}.csv`)
      await writeFile(path, content)
      const document = async () => {
        opened.push(id)
        await gate
        return { path, name: `${id}.csv` }
      }
      files.push({ id, name: `${id}.csv`, revision: 1, document })
    },
    list: () => tables.list("alice", "folder", { signal: never }),
    ask: (sql: string, signal = never) => tables.query("alice", "folder", sql, { signal }),
  }
}

// Catches a query that waits for all files of a folder, and one that reports a table as missing when it is still being created.
test("queries finished tables while others are being created", async () => {
  const { add, list, ask } = await openReal()
  await add("costs", "net;gross\n1;2\n")
  await expect.poll(async () => (await list()).without).toEqual([])
  const gate = Promise.withResolvers<void>()
  await add("income", "net;gross\n3;4\n", gate.promise)
  expect((await ask("SELECT net FROM costs")).answer.rows).toEqual([[1]])
  const found = await list()
  expect(found.tables.map(({ name }) => name)).toEqual(["costs"])
  expect(found.without).toEqual([{ fileId: "income", fileName: "income.csv", why: "making" }])
  await expect(ask("SELECT net FROM income")).rejects.toMatchObject({ code: "conflict" })
  gate.resolve()
  await expect.poll(async () => (await list()).without).toEqual([])
  expect((await ask("SELECT net FROM income")).answer.rows).toEqual([[3]])
})

// Catches a cancelled request that keeps waiting, and table creation that stops with the request that started it.
test("stops waiting when the caller leaves, but finishes the tables", async () => {
  const { tables, add, ask, list } = await openReal()
  const gate = Promise.withResolvers<void>()
  await add("income", "net;gross\n3;4\n", gate.promise)
  const gone = new AbortController()
  const reason = new Error("gone")
  const asked = ask("SELECT net FROM income", gone.signal)
  const listed = tables.list("alice", "folder", { signal: gone.signal })
  gone.abort(reason)
  await Promise.all([asked, listed].map((left) => expect(left).rejects.toBe(reason)))
  gate.resolve()
  await expect.poll(async () => (await list()).tables.map(({ name }) => name)).toEqual(["income"])
})

// Catches a hostile file that uses its full time limit at each query.
test("doesn't retry a file that exceeded its time limit", async () => {
  const { add, list, ask, opened } = await openReal(50)
  await add("slow", `a;b\n${"name of something;12,5\n".repeat(400_000)}`)
  const why = async () => (await list()).without.map((file) => file.why)
  await expect.poll(why).toEqual(["limits"])
  expect(await why()).toEqual(["limits"])
  await expect(ask("SELECT a FROM slow")).rejects.toMatchObject({ code: "unprocessable" })
  expect(opened).toEqual(["slow"])
})
