import { openTestDatabase } from "../../core/database/testing/test-database.ts"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from "kysely"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { OpenDatabase } from "../../core/database/database.ts"
import { addStoredFolder } from "../../testing/test-database.ts"
import { newFileRow, getPath, scanPriority } from "./file-entry.ts"
import { createFileStore, type FileStore } from "./store.ts"

let directory: string
let database: OpenDatabase
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "casella-store-"))
  database = await openTestDatabase(join(directory, "casella.sqlite"))
  await addStoredFolder(database.db, "/folder")
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})

const maxBatchSize = 500

/**
 * A store that records how many rows each of its statements reads or writes, or how many passages are deleted with them. It fails after
 * `failAfter` statements.
 */
async function watched(failAfter = Infinity) {
  const rows: number[] = []
  let passages = await left("passages")
  const recorder: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const before = passages
      passages = await left("passages")
      rows.push(Math.max(result.rows.length, Number(result.numAffectedRows ?? 0), before - passages))
      if (rows.length >= failAfter) throw new Error("The box was killed.")
      return result
    },
  }
  return { rows, store: createFileStore(database.db.withPlugin(recorder)) }
}

async function addFiles(count: number, passagesEach: number): Promise<string[]> {
  const files = Array.from({ length: count }, (_, number) => {
    const found = {
      path: `note-${number}.md`,
      size: 1,
      modifiedMs: 1,
      identity: `${number}:1`,
      changedMs: null,
    }
    return {
      ...newFileRow("folder", { ...found, storage: "local" }, scanPriority),
      status: "completed" as const,
    }
  })
  await createFileStore(database.db).insert(files)
  for (const { id: fileId } of files) {
    for (let from = 0; from < passagesEach; from += 100) {
      const passages = Array.from({ length: Math.min(100, passagesEach - from) }, (_, index) => {
        const position = from + index
        return { id: `${fileId}-${position}`, fileId, position, text: "heron", location: "{}" }
      })
      await database.db.insertInto("passages").values(passages).execute()
    }
  }
  return files.map(({ id }) => id)
}

/** SQLite's query plans for the statements that `work` runs. */
async function explainQueries(work: (store: FileStore) => Promise<unknown>): Promise<string[]> {
  const nodes: RootOperationNode[] = []
  const recorder: KyselyPlugin = {
    transformQuery({ node }) {
      nodes.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await work(createFileStore(database.db.withPlugin(recorder)))
  const executor = database.db.getExecutor()
  const plans = nodes.map(async (node) => {
    const { sql, parameters } = executor.compileQuery(node, { queryId: "plan" })
    const plan = await database.db.executeQuery(
      CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]),
    )
    return (plan.rows as { detail: string }[]).map(({ detail }) => detail)
  })
  return (await Promise.all(plans)).flat()
}

const left = async (table: "files" | "passages") =>
  (await database.db.selectFrom(table).select("id").execute()).length

// Catches a single statement that deletes all passages of a book, or a thousand files, while every request waits.
it.each([
  { count: 1, passagesEach: 1_800 },
  { count: 60, passagesEach: 30 },
  { count: 1_200, passagesEach: 0 },
])("deletes $count files with $passagesEach passages each in statements of bounded size", async (size) => {
  const ids = await addFiles(size.count, size.passagesEach)
  const { rows, store } = await watched()
  await store.remove(ids)
  expect(Math.max(...rows)).toBeLessThanOrEqual(maxBatchSize)
  expect(await left("files")).toBe(0)
  expect(await left("passages")).toBe(0)
})

// Catches a file that is shown with half of its passages after a crash, and a file that is never read again.
it("marks no partly deleted file as complete when the deletion is interrupted", async () => {
  const [id = ""] = await addFiles(1, 1_800)
  await expect((await watched(4)).store.remove([id])).rejects.toThrow("killed")
  expect(await left("passages")).toBeLessThan(1_800)
  const { store } = await watched()
  expect(await store.findByIds([id])).toMatchObject([{ status: "queued", revision: 2 }])
  await store.remove([id])
  expect(await left("files")).toBe(0)
})

// Catches a single statement that queues or reads thousands of files.
it("queues and reads thousands of files in steps", async () => {
  const ids = await addFiles(1_200, 0)
  await database.db.updateTable("files").set({ status: "failed" }).execute()
  const { rows, store } = await watched()
  expect((await store.requeueFailed("folder")).toSorted()).toEqual(ids.toSorted())
  const [found, ...queued] = rows // finding them takes one statement, over an index
  expect(found).toBe(1_200)
  expect(Math.max(...queued)).toBe(maxBatchSize)
  rows.length = 0
  expect(await store.under("folder", "")).toHaveLength(1_200)
  expect(Math.max(...rows)).toBe(maxBatchSize)
})

// Catches a path lookup that scans all files of the folder. Each of 30,000 changes makes such a lookup.
it(
  "finds the files at or below a path through the index on locations",
  { tags: "rows-in-file" },
  async () => {
    const paths = ["a/b", "a/b/c.md", "a/b/d/e.md", "a/b0", "a/b c/f.md", "a/bc/g.md", "a.md", "b"]
    const found = paths.map((path) => ({ path, size: 1, modifiedMs: 1, identity: "1:1", changedMs: null }))
    await createFileStore(database.db).insert(
      found.map((file) => newFileRow("folder", { ...file, storage: "local" }, scanPriority)),
    )
    const plans = await explainQueries(async (store) => {
      expect((await store.under("folder", "a/b")).map(getPath).toSorted()).toEqual(paths.slice(0, 3))
      expect((await store.under("folder", "b")).map(getPath)).toEqual(["b"])
    })
    const searches = plans.filter((step) => step.startsWith("SEARCH"))
    expect(searches.length).toBeGreaterThan(0)
    for (const search of searches) expect(search).toMatch(/subFolder|\(id=\?\)/)
  },
)
