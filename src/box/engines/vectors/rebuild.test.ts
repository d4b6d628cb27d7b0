import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { newId } from "../../core/ids.ts"
import { openLanceTable, type LanceTable } from "./lance/lance-table.ts"
import { tablesIn } from "./tables-location.ts"
import type { IdRange, PassageRecord } from "./passage-record.ts"
import { createRebuild } from "./rebuild.ts"

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const folder = newId()
const perSlice = 100

let directory: string
let table: LanceTable
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "rebuild-"))
  table = await openLanceTable({ location: tablesIn(directory), dimensions: undefined, rowsPerPart: 700 })
})
afterEach(async () => {
  table.close()
  await rm(directory, { recursive: true, force: true })
})

const passages = (count: number) =>
  Array.from({ length: count }, (): PassageRecord => ({
    id: newId(),
    fileId: folder,
    vectorId: folder,
    text: "",
  }))
const write = (records: PassageRecord[]) =>
  table.upsert(
    records.map((record) => ({
      ...record,
      text: { words: "word", grams: null, language: null },
      embedding: undefined,
    })),
  )

// Catches a box that freezes after a crash until it has compared all of its passages at once, and a file that isn't found because it was
// moved to another folder just before.
test("index and database are compared slice by slice, wherever they differ", async () => {
  const all = passages(2_000)
  const lost = new Set([0, 1, 999, 1_000, 1_500, 1_999])
  const surplus = new Set([3, 99, 100, 101, 700, 1_998])
  const stored = all.filter((_, place) => !surplus.has(place))
  const after = passages(3)
  const moved = new Set([5, 1_200])
  const elsewhere = newId()
  await write(
    all
      .filter((_, place) => !lost.has(place))
      .map((record) => (moved.has(all.indexOf(record)) ? { ...record, vectorId: elsewhere } : record)),
  )
  await write(after)
  const asked: number[] = []
  const added: string[] = []
  const gone: string[] = []
  const rebuild = createRebuild({
    passages: async function* () {
      for (let from = 0; from < stored.length; from += perSlice) yield stored.slice(from, from + perSlice)
    },
    contents: async (range: IdRange, take) => {
      let rows = 0
      for await (const some of table.contents(range)) {
        rows += some.length
        take(some)
      }
      asked.push(rows)
    },
    put: async (records) => void added.push(...records.map(({ id }) => id)),
    remove: async (ids) => void gone.push(...ids),
    logger: silent,
  })
  rebuild.start({ compare: true })
  await expect.poll(() => rebuild.state.status, { interval: 10 }).toBe("ready")
  expect(Math.max(...asked)).toBeLessThanOrEqual(perSlice + surplus.size)
  expect(added).toEqual(all.filter((_, place) => lost.has(place) || moved.has(place)).map(({ id }) => id))
  expect(gone.sort()).toEqual(
    [...all.filter((_, place) => surplus.has(place)), ...after].map(({ id }) => id).sort(),
  )
})

// Catches a passage that loses its new vector because the build overwrites it with the state it read before.
test("a passage that was indexed in the meantime isn't replaced by its previous state", async () => {
  const [first, second] = passages(2) as [PassageRecord, PassageRecord]
  const added: string[] = []
  const rebuild = createRebuild({
    passages: async function* () {
      rebuild.added([{ ...second, embedding: new Float32Array([1]) }])
      yield [first, second]
    },
    contents: async () => undefined,
    put: async (records) => void added.push(...records.map(({ id }) => id)),
    remove: async () => undefined,
    logger: silent,
  })
  rebuild.start({ compare: false })
  await expect.poll(() => rebuild.state.status, { interval: 10 }).toBe("ready")
  expect(added).toEqual([first.id])
})

// Catches a comparison that never ends because a restored database contains an invalid id.
test("LanceDB accepts ranges with invalid ids", async () => {
  await write(passages(5))
  const found: unknown[] = []
  for await (const some of table.contents({ after: "' OR '", upTo: "it's" })) found.push(...some)
  expect(found).toHaveLength(5)
})
