// Share of results that a folder's filter keeps, for each strategy: node bench/retrieval-filter.ts
import type { Strategy } from "../src/shared/contract/folders.ts"
import { corpusPath, readCollection } from "./retrieval-corpus.ts"
import { openEmbedder, openFolder } from "./retrieval-folder.ts"
import { printResults, type BenchResult } from "./result.ts"

const names = ["xquad-en", "xquad-de", "xquad-ru", "xquad-th", "chunking-eval"]
const strategies: Strategy[] = ["keyword", "hybrid", "semantic"]
const filters = [20, 40, 60, 80]
const topK = 10

/** Shares of relevant and other passages among the first ten that each filter keeps. */
export async function run(): Promise<BenchResult[]> {
  await using embedder = openEmbedder()
  const results: BenchResult[] = []
  for (const name of names) {
    const path = corpusPath("retrieval", name)
    if (path === undefined) continue
    const { passages, questions } = readCollection(name, path)
    await using folder = await openFolder(embedder)
    await folder.add(passages.map(({ id, text }) => ({ name: id, text })))
    for (const strategy of strategies) {
      if (strategy !== "keyword" && !embedder) continue
      const scores = { relevant: [] as number[], other: [] as number[] }
      for (const { text, relevant } of questions) {
        for (const { fileName, score } of await folder.search(text, strategy, topK)) {
          scores[relevant.has(fileName) ? "relevant" : "other"].push(score)
        }
      }
      for (const [kind, all] of Object.entries(scores)) {
        for (const filter of filters) {
          const kept = all.filter((score) => score * 100 >= filter).length
          results.push({
            name: `${name}, ${strategy}: ${kind} kept at ${filter} %`,
            value: kept / all.length,
            unit: "",
          })
        }
      }
    }
  }
  return results
}

if (import.meta.main) printResults(await run())
