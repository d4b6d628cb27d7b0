import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { redirectTemporaryFiles } from "../../../core/files/temporary-files.ts"
import type { PassageRow } from "./arrow-rows.ts"
import { type LanceTable, openLanceTable } from "./lance-table.ts"
import { tablesIn } from "../tables-location.ts"

const kept = "0190a000-0000-7000-8000-000000000001"
const removed = "0190a000-0000-7000-8000-000000000002"
const dimensions = 8
/** Vectors are stored on disk unchanged, so a marker value can be searched for in the files. */
const mark = Math.fround(0.123456)

let directory: string
let table: LanceTable
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lance-table-"))
  table = await openLanceTable({ location: tablesIn(directory), dimensions, versionRetentionMs: 0 })
})
afterEach(async () => {
  table.close()
  await rm(directory, { recursive: true, force: true })
})

const row = (vectorId: string, number: number, value?: number): PassageRow => ({
  id: crypto.randomUUID(),
  vectorId,
  fileId: crypto.randomUUID(),
  text: { words: `number ${number}`, grams: null, language: null },
  embedding: Float32Array.from({ length: dimensions }, (_, axis) => value ?? Math.sin(number * (axis + 1))),
})
const rows = (vectorId: string, count: number, value?: number) =>
  Array.from({ length: count }, (_, number) => row(vectorId, number, value))

async function filesWith(bytes: Buffer): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const contents = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))))
  return contents.filter((content) => content.includes(bytes)).length
}
const dataFiles = async () => (await readdir(join(directory, "passages.lance", "data"))).length

// Catches a shutdown that fails halfway because a write or a search is still running.
test("the table can be closed while it is in use", async () => {
  await table.upsert(rows(kept, 50))
  const used = [
    table.upsert(rows(kept, 50)),
    table.removeBy("vectorId", [removed]),
    table.keyword(["7"], [kept], 10),
  ]
  expect(() => table.close()).not.toThrow()
  await Promise.allSettled(used)
})

// Catches passages of a small deleted folder whose words and vectors stay on disk permanently.
test("deletes removed rows from the disk, even if they are a small part of the table", async () => {
  const marked = Buffer.from(new Float32Array(dimensions).fill(mark).buffer)
  await table.upsert(rows(kept, 2_500))
  await table.upsert(rows(removed, 20, mark))
  await table.optimize()
  expect(await filesWith(marked)).toBeGreaterThan(0)
  await table.removeBy("vectorId", [removed])
  await table.optimize()
  await table.optimize()
  expect(await filesWith(marked)).toBe(0)
  const hits = await table.keyword(["77"], [kept, removed], 10)
  expect(hits.map(({ vectorId }) => vectorId)).toEqual([kept])
  expect(await table.semantic(new Float32Array(dimensions).fill(mark), [removed], 5)).toEqual([])
})

// Catches copies of all vectors that remain after each training until the disk is full or the box restarts.
test("leaves no temporary files after training the vector index", async () => {
  const temporaryDirectory = join(directory, "tmp")
  await mkdir(temporaryDirectory)
  vi.stubEnv("TMPDIR", temporaryDirectory)
  try {
    redirectTemporaryFiles(directory)
    await table.upsert(rows(kept, 2_500))
    await table.optimize()
    expect(await readdir(temporaryDirectory)).toEqual([])
  } finally {
    vi.unstubAllEnvs()
  }
})

// Catches index files that increase with every upload until a search reads thousands of them.
test("merges many small writes", async () => {
  await table.upsert(rows(kept, 2_500))
  await table.optimize()
  for (let write = 0; write < 40; write++) {
    await table.upsert([row(kept, write)])
    await table.optimize()
  }
  expect(await dataFiles()).toBeLessThanOrEqual(20)
})

// Catches searches that fail when the table is reopened between them.
test("completes a search that started before the table was closed", async () => {
  await table.upsert(rows(kept, 100))
  const searches = [
    table.keyword(["77"], [kept], 10),
    table.semantic(new Float32Array(dimensions).fill(mark), [kept], 5),
  ]
  table.close()
  expect((await Promise.all(searches)).map((hits) => hits.length)).toEqual([1, 5])
})

describe("parts", () => {
  const rowsPerPart = 300
  const parts = async () => (await readdir(directory)).filter((name) => name.endsWith(".lance")).sort()
  const reopen = async () => {
    table.close()
    table = await openLanceTable({
      location: tablesIn(directory),
      dimensions,
      versionRetentionMs: 0,
      rowsPerPart,
    })
  }
  beforeEach(reopen)

  // Catches indexing that gets more expensive as the index grows, because the whole keyword index is rewritten.
  test("new rows change none of the files of a full part", async () => {
    const listFiles = async (part: string) =>
      (await readdir(join(directory, part), { recursive: true })).sort()
    await table.upsert(rows(kept, rowsPerPart))
    await table.optimize()
    await table.optimize()
    const before = await listFiles("passages.lance")
    for (let more = 0; more < 3; more++) {
      await table.upsert(rows(kept, 100))
      await table.optimize()
    }
    expect(await listFiles("passages.lance")).toEqual(before)
    expect(await parts()).toEqual(["passages-2.lance", "passages.lance"])
  })

  // Catches passages that are found twice: in their original part and in the one being filled.
  test("a passage stays in its part, even after another one is filled and the table is reopened", async () => {
    const first = rows(kept, rowsPerPart)
    await table.upsert(first)
    await table.upsert(rows(kept, 200))
    await reopen()
    const changed = first.slice(0, 20).map((one) => ({ ...one, text: { ...one.text, words: "heron" } }))
    await table.upsert([...changed, row(kept, 999)])
    expect((await table.keyword(["heron"], [kept], 50)).map(({ id }) => id).sort()).toEqual(
      changed.map(({ id }) => id).sort(),
    )
    expect(await table.keyword(["999"], [kept], 50)).toHaveLength(1)
    const ids: string[] = []
    for await (const some of table.contents()) ids.push(...some.map(({ id }) => id))
    expect(ids).toHaveLength(rowsPerPart + 201)
    expect(new Set(ids).size).toBe(ids.length)
    expect(await parts()).toHaveLength(2)
  })

  test("a search finds the best hits of all parts, by words and by meaning", async () => {
    const near = row(kept, 1_000, mark)
    await table.upsert([...rows(kept, rowsPerPart - 1), near])
    await table.upsert([...rows(kept, 100), row(kept, 1_000)])
    expect(await table.keyword(["1000"], [kept], 10)).toHaveLength(2)
    expect(await table.keyword(["number"], [kept], 10)).toHaveLength(10)
    const [nearest] = await table.semantic(new Float32Array(dimensions).fill(mark), [kept], 5)
    expect(nearest?.id).toBe(near.id)
  })

  // Catches parts that increase as passages come and go, because every search reads all of them.
  test("space left by removed passages is reused, and empty parts are deleted", async () => {
    await table.upsert(rows(removed, rowsPerPart))
    await table.upsert(rows(kept, rowsPerPart))
    await table.upsert(rows(kept, rowsPerPart))
    expect(await parts()).toHaveLength(3)
    await table.removeBy("vectorId", [removed])
    await table.optimize()
    expect(await parts()).toHaveLength(2)
    await table.removeBy("id", await firstIds(100))
    await table.upsert(rows(kept, 90))
    expect(await parts()).toHaveLength(2)
    expect(await table.keyword(["number"], [kept], 1_000)).toHaveLength(2 * rowsPerPart - 10)
  })

  // Catches passages that are found twice, because a part is assumed to have no ids as late as those it received since.
  test("a passage stays in a part that was full, had space again and is full once more", async () => {
    const wave = (number: number, count: number) =>
      rows(kept, count).map((one, temporaryDirectory) => ({
        ...one,
        id: `0190a00${number}-0000-7000-8000-${String(temporaryDirectory).padStart(12, "0")}`,
      }))
    const first = wave(1, rowsPerPart)
    await table.upsert(first)
    for (const number of [2, 3]) await table.upsert(wave(number, 200))
    const leaving = first.slice(0, 250).map(({ id }) => id)
    await table.removeBy("id", leaving)
    await table.upsert(wave(4, 100))
    await table.upsert(wave(5, 280))
    await table.upsert(wave(6, 50))
    await table.upsert([...wave(5, 280), ...wave(4, 100)])
    expect(await table.keyword(["number"], [kept], 2_000)).toHaveLength(50 + 400 + 100 + 280 + 50)
  })

  async function firstIds(count: number): Promise<string[]> {
    for await (const some of table.contents()) return some.slice(0, count).map(({ id }) => id)
    return []
  }
})
