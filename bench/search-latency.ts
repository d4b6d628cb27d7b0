// Search in 100,000 passages with 384-dimensional vectors: node bench/search-latency.ts [passages]
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as lancedb from "@lancedb/lancedb"
import { silentLogger } from "../src/box/core/logging/logger.ts"
import { openPassageIndex, type PassageRecord } from "../src/box/engines/vectors/passage-index.ts"
import type { StoredPassage } from "../src/box/features/retrieval/collect.ts"
import { createSearch } from "../src/box/features/retrieval/search.ts"
import type { Strategy } from "../src/shared/contract/folders.ts"
import { elapsed, percentile } from "./measure.ts"
import { printResults, type BenchResult } from "./result.ts"
import { sequence, spell } from "./made-up-words.ts"

const dimensions = 384
const passagesPerPut = 1_000
const wordsPerPassage = 120
const questions = 600
const settleMs = 15_000
/** One question in this many has a wrong letter. */
const misspeltEvery = 2
const concurrency = 5
/** Maximum multiples of the bare index; for concurrent searches, multiples of a single search. */
const most = { keyword: 1.5, hybrid: 1.1, concurrency: 2 }
const random = sequence(7)
const vocabulary = Array.from({ length: 30_000 }, (_, index) => spell(index + 7))
const functionWords = "the of and to in is was that for it".split(" ")
const topics = Array.from({ length: 500 }, () => direction(undefined))

export async function run(count = 100_000): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), "bench-search-"))
  try {
    return await measure(directory, count)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function measure(directory: string, count: number): Promise<BenchResult[]> {
  const folders = Array.from({ length: 5 }, () => crypto.randomUUID())
  const stored = new Map<string, StoredPassage>()
  await using index = await openPassageIndex({
    directory: join(directory, "index"),
    embedding: { modelId: "random", dimensions },
    passages: async function* () {},
    logger: silentLogger,
  })
  let putMs = 0
  for (let done = 0; done < count; done += passagesPerPut) {
    const records = Array.from({ length: passagesPerPut }, (_, place) =>
      passage(folders[place % folders.length] ?? ""),
    )
    for (const { embedding: _, ...record } of records) {
      stored.set(record.id, { ...record, fileName: record.id, relativePath: record.id, location: {} })
    }
    putMs += await elapsed(() => index.put(records))
  }
  await new Promise((resolve) => setTimeout(resolve, settleMs)) // leaves time for the work that the index does when writing pauses

  const searcher = createSearch({
    index,
    embedder: { embed: () => Promise.resolve([direction(topics[Math.floor(random() * topics.length)])]) },
    findPassagesById: (ids) => Promise.resolve(ids.flatMap((id) => stored.get(id) ?? [])),
    names: { holding: () => Promise.resolve([]), findFirstPassages: () => Promise.resolve([]) },
    logger: silentLogger,
  })
  const ask = (strategy: Strategy, query: string) =>
    searcher.search({ query, vectorIds: folders, topK: 8, strategy })
  const bare = await openBare(join(directory, "index", "tables"), folders)
  const size = `${count} passages`
  const [keywordFloor, keyword] = await measureAlternately(
    () => bare.keyword(question()),
    () => ask("keyword", question()),
  )
  const [misspeltFloor, misspelt] = await measureAlternately(
    () => bare.keyword(misspeltQuestion()),
    () => ask("keyword", misspeltQuestion()),
  )
  const [hybridFloor, hybrid] = await measureAlternately(
    () => Promise.all([bare.keyword(question()), bare.vector()]),
    () => ask("hybrid", question()),
  )
  const [single, several] = await measureAlternately(
    () => ask("keyword", question()),
    () => Promise.all(Array.from({ length: concurrency }, () => ask("keyword", question()))),
  )
  bare.close()
  return [
    { name: `indexing, ${size}`, value: count / (putMs / 1000), unit: "passages/s" },
    compareWithFloor(`keyword search p95, ${size}`, keyword, keywordFloor, most.keyword),
    compareWithFloor(
      `keyword search p95 with a misspelt word, ${size}`,
      misspelt,
      misspeltFloor,
      most.keyword,
    ),
    compareWithFloor(
      `${concurrency} keyword searches at once, last one p95, ${size}`,
      several,
      single,
      most.concurrency,
    ),
    compareWithFloor(`hybrid search p95, ${size}`, hybrid, hybridFloor, most.hybrid),
    {
      name: `recall of the vector index, ${size}`,
      value: await recall(join(directory, "index", "tables"), index, folders),
      unit: "",
    },
    {
      name: `index on disk, ${size}`,
      value: (await bytes(directory)) / 1e6,
      unit: "MB",
      floor: (count * dimensions * 4) / 1e6,
    },
  ]
}

function compareWithFloor(name: string, value: number, floor: number, times: number): BenchResult {
  return { name, value, unit: "ms", floor, target: `≤${times} × floor`, ok: value <= floor * times }
}

/** LanceDB's own queries on the same tables, without the box's work around them. */
async function openBare(directory: string, folders: string[]) {
  const tables = await openTables(directory)
  const filter = `vectorId IN (${folders.map((id) => `'${id}'`).join(", ")})`
  const queryAllTables = (query: (table: lancedb.Table) => Promise<unknown>) => Promise.all(tables.map(query))
  return {
    keyword: (asked: string) =>
      queryAllTables((table) =>
        table
          .query()
          .fullTextSearch(new lancedb.MatchQuery(asked, "words"))
          .where(filter)
          .select(["id", "_score"])
          .limit(24)
          .toArray(),
      ),
    vector: () => {
      const asked = direction(topics[0])
      return queryAllTables((table) =>
        table
          .query()
          .nearestTo(asked)
          .distanceType("cosine")
          .where(filter)
          .select(["id", "_distance"])
          .limit(24)
          .toArray(),
      )
    },
    close: () => tables.forEach((table) => table.close()),
  }
}

/** The tables that make up the index. */
async function openTables(directory: string): Promise<lancedb.Table[]> {
  const connection = await lancedb.connect(directory)
  return Promise.all((await connection.tableNames()).map((name) => connection.openTable(name)))
}

/** Share of the true 20 nearest passages that the vector index returns. */
async function recall(
  directory: string,
  index: { semantic(embedding: Float32Array, folders: string[], limit: number): Promise<{ id: string }[]> },
  folders: string[],
): Promise<number> {
  const tables = await openTables(directory)
  let sum = 0
  const rounds = 30
  for (let round = 0; round < rounds; round++) {
    const query = direction(topics[round])
    const exact = await getNearest(tables, query, 20)
    const found = new Set((await index.semantic(query, folders, 20)).map(({ id }) => id))
    sum += exact.filter(({ id }) => found.has(id)).length / exact.length
  }
  for (const table of tables) table.close()
  return sum / rounds
}

/** Searches without an index. */
async function getNearest(tables: lancedb.Table[], query: Float32Array, limit: number) {
  const found: Record<string, unknown>[][] = await Promise.all(
    tables.map((table) =>
      table
        .query()
        .nearestTo(query)
        .distanceType("cosine")
        .bypassVectorIndex()
        .select(["id", "_distance"])
        .limit(limit)
        .toArray(),
    ),
  )
  return found
    .flat()
    .sort((a, b) => Number(a["_distance"]) - Number(b["_distance"]))
    .slice(0, limit)
    .map(({ id }) => ({ id: String(id) }))
}

/** The p95 of both, measured alternately, so that other load on the computer affects both equally. */
async function measureAlternately(floor: () => Promise<unknown>, work: () => Promise<unknown>) {
  const times: [number[], number[]] = [[], []]
  for (let round = -10; round < questions; round++) {
    const both = [await elapsed(floor), await elapsed(work)] as const
    if (round < 0) continue // warm-up
    times[0].push(both[0])
    times[1].push(both[1])
  }
  return [percentile(times[0], 0.95), percentile(times[1], 0.95)] as const
}

async function bytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function passage(vectorId: string): PassageRecord {
  const text = Array.from({ length: wordsPerPassage }, word).join(" ")
  const embedding = direction(topics[Math.floor(random() * topics.length)])
  return { id: crypto.randomUUID(), fileId: crypto.randomUUID(), vectorId, text, embedding }
}

function question(): string {
  const words = Array.from({ length: 5 }, () => vocabulary[Math.floor(30_000 * random() ** 3)])
  return `what is the ${words.join(" ")}`
}

/** A question whose last word is misspelt now and then. */
function misspeltQuestion(): string {
  const asked = question()
  if (random() >= 1 / misspeltEvery) return asked
  const at = asked.length - 2
  return `${asked.slice(0, at)}y${asked.slice(at + 1)}`
}

/** Words with uneven frequencies, as in real text. */
function word(): string {
  const words = random() < 0.3 ? functionWords : vocabulary
  return words[Math.floor(words.length * random() ** 4)] ?? ""
}

/** A unit vector, near the given one or in a random direction. */
function direction(near: Float32Array | undefined): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, (_, index) => {
    const noise = random() - 0.5
    return near ? (near[index] ?? 0) + noise * 0.12 : noise
  })
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

if (import.meta.main) printResults(await run(Number(process.argv[2] ?? 100_000)))
