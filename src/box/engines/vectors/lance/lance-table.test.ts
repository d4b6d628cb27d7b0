import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { keepTemporaryFiles } from "../../../core/files/temporary-files.ts"
import type { PassageRow } from "./arrow-rows.ts"
import { type LanceTable, openLanceTable } from "./lance-table.ts"
import { tablesIn } from "./tables-place.ts"

const kept = "0190a000-0000-7000-8000-000000000001"
const removed = "0190a000-0000-7000-8000-000000000002"
const dimensions = 8
/** Vectors lie on the disk as they are, so a mark in them can be looked for. */
const mark = Math.fround(0.123456)

let directory: string
let table: LanceTable
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lance-table-"))
  table = await openLanceTable({ place: tablesIn(directory), dimensions, keepVersionsMs: 0 })
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

// Would catch: a box whose end fails halfway, because something is still being written or looked for.
test("is closed while it is used", async () => {
  await table.upsert(rows(kept, 50))
  const used = [
    table.upsert(rows(kept, 50)),
    table.removeBy("vectorId", [removed]),
    table.keyword(["7"], [kept], 10),
  ]
  expect(() => table.close()).not.toThrow()
  await Promise.allSettled(used)
})

// Would catch: passages of a small folder that was deleted, but whose words and vectors stay on the disk for good.
test("what is removed leaves the disk, also when it is little of all", async () => {
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

// Would catch: copies of all vectors that stay with each training, until the disk is full or the box starts again.
test("training the index over vectors leaves no temporary files", async () => {
  const place = join(directory, "tmp")
  await mkdir(place)
  vi.stubEnv("TMPDIR", place)
  try {
    keepTemporaryFiles(directory)
    await table.upsert(rows(kept, 2_500))
    await table.optimize()
    expect(await readdir(place)).toEqual([])
  } finally {
    vi.unstubAllEnvs()
  }
})

// Would catch: files of the index that become more with every upload, until searching reads thousands.
test("many small writes are joined", async () => {
  await table.upsert(rows(kept, 2_500))
  await table.optimize()
  for (let write = 0; write < 40; write++) {
    await table.upsert([row(kept, write)])
    await table.optimize()
  }
  expect(await dataFiles()).toBeLessThanOrEqual(20)
})

// Would catch: searches that fail whenever the table is opened anew between them.
test("a search that began ends well, though the table is closed meanwhile", async () => {
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
    table = await openLanceTable({ place: tablesIn(directory), dimensions, keepVersionsMs: 0, rowsPerPart })
  }
  beforeEach(reopen)

  // Would catch: indexing that costs the more, the more there is, because all of the keyword index is written anew.
  test("rows that come once a part is full change none of its files", async () => {
    const filesOf = async (part: string) => (await readdir(join(directory, part), { recursive: true })).sort()
    await table.upsert(rows(kept, rowsPerPart))
    await table.optimize()
    await table.optimize()
    const before = await filesOf("passages.lance")
    for (let more = 0; more < 3; more++) {
      await table.upsert(rows(kept, 100))
      await table.optimize()
    }
    expect(await filesOf("passages.lance")).toEqual(before)
    expect(await parts()).toEqual(["passages-2.lance", "passages.lance"])
  })

  // Would catch: passages that are found twice, in the part that had them and in the one that is being filled.
  test("a passage stays in the part that has it, also once another is filled and the table was opened again", async () => {
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

  test("the best of all parts are found, by words and by meaning", async () => {
    const near = row(kept, 1_000, mark)
    await table.upsert([...rows(kept, rowsPerPart - 1), near])
    await table.upsert([...rows(kept, 100), row(kept, 1_000)])
    expect(await table.keyword(["1000"], [kept], 10)).toHaveLength(2)
    expect(await table.keyword(["number"], [kept], 10)).toHaveLength(10)
    const [nearest] = await table.semantic(new Float32Array(dimensions).fill(mark), [kept], 5)
    expect(nearest?.id).toBe(near.id)
  })

  // Would catch: ever more parts, which every search asks, where passages go as others come.
  test("room that removed passages leave is used, and empty parts go", async () => {
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

  // Would catch: passages that are found twice, because a part was taken to hold nothing as late as what it was given since.
  test("a passage stays in a part that was full, had room again and is full once more", async () => {
    const wave = (number: number, count: number) =>
      rows(kept, count).map((one, place) => ({
        ...one,
        id: `0190a00${number}-0000-7000-8000-${String(place).padStart(12, "0")}`,
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
