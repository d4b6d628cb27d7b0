import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { silentLogger } from "../../core/logging/logger.ts"
import { openPassageIndex, type PassageIndex } from "../../engines/vectors/passage-index.ts"
import type { Reranker } from "./ranking.ts"
import type { StoredPassage } from "./collect.ts"
import { createSearch, type SearchDeps, type SearchRequest } from "./search.ts"

const folder = "0190a000-0000-7000-8000-000000000001"
const otherFolder = "0190a000-0000-7000-8000-000000000002"

let directory: string
let index: PassageIndex
let stored: Map<string, StoredPassage>

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "search-"))
  stored = new Map()
  index = await openPassageIndex({
    directory: join(directory, "index"),
    embedding: { modelId: "m", dimensions: 3 },
    passages: async function* () {},
    logger: silentLogger,
  })
})
afterEach(async () => {
  await index[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function add(text: string, embedding?: Float32Array, vectorId = folder): Promise<string> {
  const id = crypto.randomUUID()
  const fileId = crypto.randomUUID()
  const name = `${id}.txt`
  stored.set(id, {
    id,
    fileId,
    fileName: name,
    vectorId,
    relativePath: `${vectorId}/${name}`,
    text,
    location: {},
  })
  await index.put([{ id, vectorId, fileId, text, ...(embedding ? { embedding } : {}) }])
  return id
}

const search = (query: string, request: Partial<SearchRequest> = {}, deps: Partial<SearchDeps> = {}) =>
  createSearch({
    index,
    findPassagesById: async (ids) => ids.flatMap((id) => stored.get(id) ?? []),
    names: { holding: async () => [], findFirstPassages: async () => [] },
    logger: silentLogger,
    ...deps,
  }).search({ query, vectorIds: [folder], topK: 5, strategy: "keyword", ...request })

const meaning = (vector: number[]): SearchDeps["embedder"] => ({
  embed: async (texts) => texts.map(() => Float32Array.from(vector)),
})

describe("search", () => {
  test("a passage is returned with its file, a score and its rank", async () => {
    const id = await add("The warranty lasts two years.")
    const { results, strategy, notices } = await search("how long is the warranty")
    expect(results).toMatchObject([{ ...stored.get(id), rank: { keyword: 1 } }])
    expect(results[0]?.score).toBeGreaterThan(0)
    expect(results[0]?.score).toBeLessThanOrEqual(1)
    expect({ strategy, notices }).toEqual({ strategy: "keyword", notices: [] })
  })

  test("without an embedding model it falls back to keywords and reports that", async () => {
    const id = await add("warranty")
    for (const strategy of ["hybrid", "semantic"] as const) {
      const found = await search("warranty", { strategy })
      expect(found.results.map((passage) => passage.id)).toEqual([id])
      expect(found.strategy).toBe("keyword")
      expect(found.notices).toMatchObject([{ code: "no_embedding_model" }])
    }
  })

  test("if the embedding model fails, the search still returns keyword results", async () => {
    const id = await add("warranty")
    const broken: SearchDeps["embedder"] = { embed: () => Promise.reject(new Error("crashed")) }
    const found = await search("warranty", { strategy: "hybrid" }, { embedder: broken })
    expect(found.results.map((passage) => passage.id)).toEqual([id])
    expect(found.notices).toMatchObject([{ code: "embedding_unavailable" }])
  })

  // Catches a search that returns no results because it failed.
  test("an index that fails is an error with a message, never an empty result", async () => {
    const failing = { ...index, state: index.state, keyword: () => Promise.reject(new Error("gone")) }
    await expect(search("warranty", {}, { index: failing })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("didn't answer") as string,
    })
  })

  // Catches a warning with a stack trace for each search while the server stops.
  test("an index error with a stated reason isn't logged as a warning", async () => {
    const warnings: string[] = []
    const logger = { warn: (_: object, message: string) => void warnings.push(message) }
    const failing = { ...index, state: index.state, keyword: () => Promise.reject(new Error("gone")) }
    await expect(search("warranty", {}, { index: failing, logger })).rejects.toThrow("didn't answer")
    expect(warnings).toEqual(["The search index didn't respond"])
    await index[Symbol.asyncDispose]()
    await expect(search("warranty", {}, { logger })).rejects.toMatchObject({ code: "unavailable" })
    expect(warnings).toHaveLength(1)
  })

  test("semantic search finds a passage that shares no word with the query", async () => {
    await add("Cats purr", Float32Array.of(0, 1, 0))
    const dog = await add("Dogs bark", Float32Array.of(1, 0, 0))
    const found = await search("hound", { strategy: "semantic" }, { embedder: meaning([1, 0, 0]) })
    expect(found.results[0]).toMatchObject({ id: dog, rank: { semantic: 1 }, score: 1 })
  })

  // Catches an order that depends on earlier questions from anyone, and differs after a restart.
  test("a question's order stays the same whatever was asked before", async () => {
    const short = await add("warranty", Float32Array.of(0, 1, 0))
    const long = await add("warranty of lamps", Float32Array.of(1, 0, 0))
    await add("herons", Float32Array.of(0, 0, 1))
    const other = createSearch({
      index,
      findPassagesById: async (ids) => ids.flatMap((id) => stored.get(id) ?? []),
      names: { holding: async () => [], findFirstPassages: async () => [] },
      logger: silentLogger,
      embedder: {
        embed: async (texts) =>
          texts.map((text) => Float32Array.from(text === "herons" ? [0, 0, 1] : [1, 0, 0])),
      },
    })
    const order = async (query: string) =>
      (await other.search({ query, vectorIds: [folder], topK: 2, strategy: "hybrid" })).results.map(
        ({ id }) => id,
      )
    expect(await order("warranty")).toEqual([short, long])
    for (let other = 0; other < 40; other++) await order("herons")
    expect(await order("warranty")).toEqual([short, long])
  })

  test("hybrid keeps the keyword ranking while the model shows no clear lead, and adds the rest", async () => {
    const words = await add("warranty terms", Float32Array.of(0, 1, 0))
    const near = await add("unrelated", Float32Array.of(1, 0, 0))
    const found = await search("warranty", { strategy: "hybrid" }, { embedder: meaning([1, 0, 0]) })
    expect(found.results.map((passage) => passage.id)).toEqual([words, near])
    expect(found.results[0]?.rank).toEqual({ keyword: 1, semantic: 2 })
  })

  test("passages that are no longer in the database are left out and replaced by the next ones", async () => {
    const ids = [await add("warranty one"), await add("warranty two"), await add("warranty three")]
    stored.delete(ids[0] ?? "")
    const found = await search("warranty", { topK: 2 })
    expect(found.results.map((passage) => passage.id).sort()).toEqual(ids.slice(1).sort())
  })

  // Catches copies that displace other passages, and files that aren't named although they contain the same text.
  test("copies of a passage are shown once and name the other files", async () => {
    await add("The  warranty lasts\ntwo years.")
    await add("The warranty lasts two years.")
    const { results, others } = await search("warranty")
    expect(results).toHaveLength(1)
    const [shown] = results
    const other = [...stored.values()].find(({ id }) => id !== shown?.id)
    expect(shown?.alsoIn).toEqual([
      {
        fileId: other?.fileId,
        fileName: other?.fileName,
        vectorId: folder,
        relativePath: other?.relativePath,
      },
    ])
    expect(others).toMatchObject([{ id: other?.id, reason: "duplicate" }])
  })

  // Catches reasons that don't explain why a passage isn't among the results.
  test("passages that aren't shown are returned with the reason", async () => {
    await add("blue gyroscope calibration")
    await add("the gyroscope calibration of a blue one")
    await add("a procedure about a gyroscope")
    const { results, others } = await search("blue gyroscope calibration", {
      topK: 1,
      filters: new Map([[folder, 10]]),
    })
    expect(results).toHaveLength(1)
    expect(others.map(({ reason }) => reason)).toEqual(["not_best", "below_filter"])
  })

  test("the filter drops passages that contain too little of the query", async () => {
    const full = await add("the blue gyroscope calibration procedure")
    await add("a procedure about something else entirely, told at length")
    const question = { filters: new Map([[folder, 60]]) }
    expect((await search("gyroscope calibration procedure", question)).results.map((one) => one.id)).toEqual([
      full,
    ])
    expect((await search("gyroscope calibration procedure")).results).toHaveLength(2)
    const absent = await search("zebra procedure", { filters: new Map([[folder, 80]]) })
    expect(absent.results).toEqual([])
  })

  // Catches filtered passages or copies that displace passages that could be shown.
  test("passages that can't be shown don't displace those that can", async () => {
    const many = Array.from({ length: 70 }, (_, number) => add(`gyroscope manual ${number}`))
    const lax = await add(
      "a long text about many things, one of which is a gyroscope",
      undefined,
      otherFolder,
    )
    await Promise.all(many)
    const request = { topK: 2, vectorIds: [folder, otherFolder], filters: new Map([[folder, 90]]) }
    const found = await search("gyroscope calibration procedure", request)
    expect(found.results.map(({ id }) => id)).toEqual([lax])
    expect(found.others[0]?.reason).toBe("below_filter")

    await Promise.all(Array.from({ length: 70 }, () => add("walrus walrus")))
    const last = await add("one walrus among so many other words")
    expect((await search("walrus", { topK: 2 })).results[1]?.id).toBe(last)
  })

  // Catches quotes that have no effect, and separated words or parts of longer words that are treated as the phrase.
  test.each([
    ['"to be or not"', "He asked: To be, or not?", ["not to be or", "to be or nothing to be or"]],
    ["what is “net profit margin”?", "Its net profit\nmargin fell.", ["profit margin, net of profit margin"]],
    ["「返品不可」の商品", "この商品は返品不可です", ["返品の商品は交換不可の商品 返品 商品"]],
  ])("%s finds passages with the quoted words first", async (query, holding, others) => {
    for (const text of others) await add(text)
    const id = await add(`${holding} ${"Some more words of another kind. ".repeat(8)}`)
    const { results } = await search(query)
    expect(results[0]?.id).toBe(id)
    expect(results).toHaveLength(others.length + 1)
    expect(results.map(({ score }) => score)).toEqual(
      results.map(({ score }) => score).toSorted((a, b) => b - a),
    )
  })

  // Catches an order of the first passages that depends on how many are wanted.
  test("asking for more passages returns the same first ones", async () => {
    for (let number = 0; number < 90; number++) {
      const at = number / 90
      await add(`report ${number % 7 === 0 ? "warranty" : ""} ${number}`, Float32Array.of(at, 1 - at, 0))
    }
    const few = await search("warranty", { strategy: "semantic", topK: 5 }, { embedder: meaning([1, 0, 0]) })
    const more = await search(
      "warranty",
      { strategy: "semantic", topK: 40 },
      { embedder: meaning([1, 0, 0]) },
    )
    expect(more.results.slice(0, 5)).toEqual(few.results)
  })

  // Catches an order that changes with the load of the computer without notice.
  test("a reranking model that didn't read enough in time is reported as late", async () => {
    for (let lamp = 0; lamp < 7; lamp++) await add(`warranty of lamp ${lamp}`)
    let asked = 0
    const rank: Reranker["rank"] = (_, texts) =>
      ++asked === 1 ? Promise.resolve(texts.map(() => 0.5)) : new Promise(() => undefined)
    const found = await search("warranty", { topK: 2 }, { reranker: () => ({ rank }), rerankMs: 20 })
    expect(found.notices).toMatchObject([{ code: "reranker_late" }])
  })

  // Catches a reranking model that sees only the results, and one whose failure makes the search fail.
  test("a reranking model chooses among more passages than are shown, or is left out if it fails", async () => {
    await add("warranty warranty")
    await add("warranty of the blue lamp")
    const liked = await add("warranty, and a walrus between many other words that follow here")
    const reranked = (rank: Reranker["rank"]) =>
      search("warranty", { topK: 1 }, { reranker: () => ({ rank }) })
    const found = await reranked((_, texts) =>
      Promise.resolve(texts.map((text) => (text.includes("walrus") ? 1 : 0))),
    )
    expect(found.results).toMatchObject([{ id: liked, rank: { rerank: 1 } }])
    expect(found.others).toHaveLength(2)
    const failed = await reranked(() => Promise.reject(new Error("crashed")))
    expect(failed.results).toHaveLength(1)
    expect(failed.notices).toMatchObject([{ code: "reranker_unavailable" }])
  })

  test("returns no results without folders", async () => {
    await add("warranty")
    expect((await search("warranty", { vectorIds: [] })).results).toEqual([])
  })
})

// Catches a passage with the asked date or amount behind one that shares only the question's other words.
describe("a date or an amount of the question", () => {
  test.each([
    ["invoice from Rossi of 5 March 2024", "Received 05.03.2024", "Invoice from Rossi of 6 March 2024"],
    ["invoice from Rossi of 2024-03-05", "Received on 5/3/2024", "Invoice from Rossi of 2024-03-06"],
    ["Rechnung vom 5.3.2024", "5 marzo 2024: pagato", "Rechnung vom 6.3.2024"],
    ["invoice over 1500 euro", "Paid: 1.500,00 EUR", "Invoice over 1600 euro"],
    ["invoice over 1500 euro", "Paid: 1\u202F500,00 €", "Invoice over 1500 dollars"],
    ["invoice over CHF 12’500.–", "name | 12500.00 | CHF", "Invoice over CHF 12’600.–"],
    ["invoice over 1500", "Paid: £1,500.00", "Invoice over 1600"],
    ["invoice over 12’500.–", "Paid: CHF 12'500", "Invoice over 12’600.–"],
  ])("%s", async (query, matching, different) => {
    await add(different, Float32Array.of(1, 0, 0))
    const id = await add(matching, Float32Array.of(0, 1, 0))
    for (let other = 0; other < 30; other++)
      await add(`Invoice ${other} from Rossi`, Float32Array.of(1, 0, 0))
    for (const strategy of ["keyword", "hybrid"] as const) {
      const found = await search(query, { strategy, topK: 3 }, { embedder: meaning([1, 0, 0]) })
      expect(found.results[0]?.id, strategy).toBe(id)
    }
  })

  // Catches a reranking model that moves a different amount to the front.
  test("comes first whatever the reranking model says", async () => {
    const id = await add("Paid: 1.500,00 EUR")
    const other = await add("Invoice over 1600 euro")
    const reranker = () => ({
      rank: async (_: string, texts: string[]) => texts.map((text) => (text.includes("1600") ? 1 : 0)),
    })
    const { results } = await search("invoice over 1500 euro", {}, { reranker })
    expect(results.map((passage) => passage.id)).toEqual([id, other])
  })
})
