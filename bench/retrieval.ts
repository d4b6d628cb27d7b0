// Retrieval quality on the collections next to the project: node bench/retrieval.ts
import { readFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import type { EmbeddingEngine } from "../src/box/engines/engine.ts"
import { chunk } from "../src/box/features/retrieval/chunker.ts"
import type { Block } from "../src/box/parsers/parser.ts"
import type { Strategy } from "../src/shared/contract/folders.ts"
import { printResults, type BenchResult } from "./result.ts"
import { openEmbedder, openFolder } from "./retrieval-folder.ts"
import { corpusPath, ndcgAt10, readCollection, computeRecall, type Collection } from "./retrieval-corpus.ts"

/** Collections with the score that keyword search must reach: the best of LanceDB's own settings for the language. */
const promises: Record<string, number | undefined> = {
  "xquad-en": 0.969,
  "xquad-de": 0.945,
  "xquad-ru": 0.955,
  "xquad-th": 0.97,
  "chunking-eval": undefined,
}
/** Character budgets for the passages returned for a question; about 500, 1,000 and 2,000 tokens. */
const budgets = [2_150, 4_300, 8_600]
const fixedTokens = 200
/** Time until new rows have joined the index; BM25 scores them separately until then. */
const settleMs = 8_000
/** One in this many questions requests its first hundred passages, which takes several times as long. */
const everySo = 4
const charactersPerToken = 4.3

export async function run(): Promise<BenchResult[]> {
  const collections = Object.keys(promises).flatMap((name) => {
    const path = corpusPath("retrieval", name)
    return path === undefined ? [] : [readCollection(name, path)]
  })
  if (collections.length === 0) {
    process.stderr.write("The retrieval collections are not beside the project: skipped.\n")
    return []
  }
  await using embedder = openEmbedder()
  const languages = collections.filter(({ name }) => name.startsWith("xquad"))
  const results: BenchResult[] = []
  for (const collection of collections) {
    results.push(...(await quality([collection], embedder, "alone")))
  }
  results.push(...(await quality(languages, embedder, "mixed")))
  return [...results, ...(await chunkRecall())]
}

/** nDCG@10 and recall of each collection when all collections share one folder. */
async function quality(
  collections: Collection[],
  embedder: EmbeddingEngine | undefined,
  label: string,
): Promise<BenchResult[]> {
  await using folder = await openFolder(embedder)
  for (const { name, passages } of collections) {
    await folder.add(passages.map(({ id, text }) => ({ name: `${name}/${id}`, text })))
  }
  await wait(settleMs)
  const results: BenchResult[] = []
  for (const { name, questions } of collections) {
    const mean = async (
      asked: Collection["questions"],
      strategy: Strategy,
      topK: number,
      judge: Judge[],
    ): Promise<number[]> => {
      const sums = judge.map(() => 0)
      for (const { text, relevant } of asked) {
        const found = (await folder.search(text, strategy, topK)).map((passage) => passage.fileName)
        const grades = new Map([...relevant].map(([id, grade]) => [`${name}/${id}`, grade]))
        for (const [index, measure] of judge.entries())
          sums[index] = (sums[index] ?? 0) + measure(found, grades)
      }
      return sums.map((sum) => sum / asked.length)
    }
    let floor: number | undefined
    for (const strategy of embedder ? (["keyword", "hybrid"] as const) : (["keyword"] as const)) {
      const [ndcg = 0, recall10 = 0] = await mean(questions, strategy, 10, [ndcgAt10, computeRecall])
      const some = questions.filter((_, index) => index % everySo === 0)
      const [recall100 = 0] = await mean(some, strategy, 100, [computeRecall])
      const target = floor ?? promises[name]
      results.push({
        name: `${strategy} nDCG@10, ${name} ${label}`,
        value: ndcg,
        unit: "",
        ...(floor === undefined ? {} : { floor }),
        ...(target === undefined
          ? {}
          : { target: floor === undefined ? `≥${target}` : "≥keyword", ok: ndcg >= target }),
      })
      results.push({ name: `${strategy} recall@10, ${name} ${label}`, value: recall10, unit: "" })
      results.push({
        name: `${strategy} recall@100 of every fourth question, ${name} ${label}`,
        value: recall100,
        unit: "",
      })
      floor ??= ndcg
    }
  }
  return results
}

type Judge = (found: string[], relevant: Map<string, number>) => number

/** Share of the exact answers in chunking-eval's documents that passages within each character budget contain. */
async function chunkRecall(): Promise<BenchResult[]> {
  const raw = corpusPath("retrieval", "chunking-eval", "raw")
  const questions = corpusPath("retrieval", "chunking-eval", "queries.jsonl")
  if (raw === undefined || questions === undefined) return []
  const names = (await readdir(raw)).filter((name) => name.endsWith(".md"))
  const documents = await Promise.all(
    names.map(async (name) => ({
      name: name.replace(".md", ""),
      text: await readFile(join(raw, name), "utf8"),
    })),
  )
  const asked = (await readFile(questions, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Question)
  const own = await recall(documents, asked, ownChunks)
  const fixed = await recall(documents, asked, (text) => Promise.resolve(fixedChunks(text)))
  return budgets.map((budget, index) => {
    const value = own[index] ?? 0
    const floor = fixed[index] ?? 0
    return {
      name: `chunk recall, ${budget} characters back`,
      value,
      unit: "",
      floor,
      target: "≥fixed 200 tokens",
      ok: value >= floor,
    }
  })
}

interface Question {
  text: string
  metadata: { doc: string; references: { start_index: number; end_index: number }[] }
}

async function recall(
  documents: { name: string; text: string }[],
  questions: Question[],
  cut: (text: string) => Promise<string[]>,
): Promise<number[]> {
  await using folder = await openFolder(undefined)
  for (const { name, text } of documents)
    await folder.add((await cut(text)).map((part) => ({ name, text: part })))
  const texts = new Map(documents.map(({ name, text }) => [name, text]))
  const sums = budgets.map(() => 0)
  for (const { text, metadata } of questions) {
    const found = await folder.search(text, "keyword", 30)
    for (const [index, budget] of budgets.entries()) {
      const spans: [number, number][] = []
      let used = 0
      for (const passage of found) {
        used += passage.text.length
        if (used > budget) break
        if (passage.fileName === metadata.doc)
          spans.push(...getSpans(texts.get(metadata.doc) ?? "", passage.text))
      }
      sums[index] = (sums[index] ?? 0) + covered(metadata.references, spans)
    }
  }
  return sums.map((sum) => sum / questions.length)
}

/** Positions of a passage's paragraphs in the document. */
function getSpans(document: string, passage: string): [number, number][] {
  const whole = document.indexOf(passage)
  if (whole >= 0) return [[whole, whole + passage.length]]
  return passage.split("\n\n").flatMap((part): [number, number][] => {
    const start = document.indexOf(part)
    return start >= 0 ? [[start, start + part.length]] : []
  })
}

function covered(references: Question["metadata"]["references"], spans: [number, number][]): number {
  let wanted = 0
  let got = 0
  for (const { start_index: start, end_index: end } of references) {
    for (let at = start; at < end; at++) {
      wanted++
      if (spans.some(([from, to]) => at >= from && at < to)) got++
    }
  }
  return wanted === 0 ? 0 : got / wanted
}

async function ownChunks(text: string): Promise<string[]> {
  async function* paragraphs(): AsyncGenerator<Block> {
    for (const paragraph of text.split(/\n\s*\n/)) yield { kind: "paragraph", text: paragraph, location: {} }
  }
  const parts: string[] = []
  for await (const part of chunk(paragraphs())) parts.push(part.text)
  return parts
}

/** The usual baseline: chunks with a fixed number of tokens, cut at the end of a word. */
function fixedChunks(text: string): string[] {
  const size = Math.round(fixedTokens * charactersPerToken)
  const parts: string[] = []
  for (let start = 0; start < text.length;) {
    const space = text.slice(start + size).search(/\s/)
    const end = space < 0 ? text.length : start + size + space + 1
    parts.push(text.slice(start, end))
    start = end
  }
  return parts
}

if (import.meta.main) printResults(await run())
