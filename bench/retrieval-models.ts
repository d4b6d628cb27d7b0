// Combined ranking of keyword search and models of known quality: node bench/retrieval-models.ts
import type { Strategy } from "../src/shared/contract/folders.ts"
import { corpusPath, ndcgAt10, readCollection, type Collection } from "./retrieval-corpus.ts"
import { openFolder } from "./retrieval-folder.ts"
import { printResults, type BenchResult } from "./result.ts"
import { sequence } from "./made-up-words.ts"

const names = ["xquad-en", "xquad-ru"]
/** Distance of a question's vector from its passage's vector; the smaller it is, the better the model. */
const noises = [0.75, 1.05, 1.5]
const strategies: Strategy[] = ["keyword", "semantic", "hybrid"]
const dimensions = 64
const everySo = 3
const random = sequence(11)

export async function run(): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  for (const name of names) {
    const path = corpusPath("retrieval", name)
    if (path === undefined) continue
    const collection = readCollection(name, path)
    for (const noise of noises) {
      await using folder = await openFolder(simulatedModel(collection, noise))
      await folder.add(collection.passages.map(({ id, text }) => ({ name: id, text })))
      const asked = collection.questions.filter((_, index) => index % everySo === 0)
      for (const strategy of strategies) {
        let sum = 0
        for (const { text, relevant } of asked) {
          const found = await folder.search(text, strategy, 10)
          sum += ndcgAt10(
            found.map(({ fileName }) => fileName),
            relevant,
          )
        }
        const value = sum / asked.length
        results.push({ name: `${strategy} nDCG@10, ${name}, noise ${noise}`, value, unit: "" })
      }
    }
  }
  return results
}

/** Passages are scattered around a common direction. Each question is close to its passages, off by the noise. */
function simulatedModel({ passages, questions }: Collection, noise: number) {
  const common = unit(normal())
  const vectors = new Map<string, Float32Array>()
  const byId = new Map(passages.map(({ id, text }) => [id, text]))
  for (const { text } of passages) vectors.set(text, unit(sum(common, normal(), 0.8)))
  for (const { text, relevant } of questions) {
    let near = new Float32Array(dimensions)
    for (const id of relevant.keys()) near = sum(vectors.get(byId.get(id) ?? "") ?? near, near, 1)
    vectors.set(text, unit(sum(normal(), unit(near), noise)))
  }
  const embed = (texts: string[]) =>
    Promise.resolve(texts.map((text) => vectors.get(text) ?? new Float32Array(dimensions)))
  return { embed, model: { id: `noise ${noise}` }, dimensions: () => Promise.resolve(dimensions) }
}

const sum = (a: Float32Array, b: Float32Array, share: number) =>
  Float32Array.from(a, (value, axis) => value * share + (b[axis] ?? 0))

function unit(vector: Float32Array): Float32Array<ArrayBuffer> {
  const length = Math.hypot(...vector)
  return Float32Array.from(vector, (value) => value / length)
}

/** A random direction of about length one. */
function normal(): Float32Array {
  return Float32Array.from({ length: dimensions }, () => {
    const radius = Math.sqrt(-2 * Math.log(random()))
    return (radius * Math.cos(2 * Math.PI * random())) / Math.sqrt(dimensions)
  })
}

if (import.meta.main) printResults(await run())
