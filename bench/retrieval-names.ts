// Effect of file names on search: node bench/retrieval-names.ts
import { printResults, type BenchResult } from "./result.ts"
import { corpusPath, ndcgAt10, readCollection, type Collection } from "./retrieval-corpus.ts"
import { openFolder } from "./retrieval-folder.ts"

const collection = "xquad-en"
const tenants = "zorblax mirandel quontus fernhill dorvan ostwick plenn kirsova tamber ulrich".split(" ")

interface Naming {
  name: string
  /** Name of the file that contains the passage. */
  getName(passages: Collection["passages"], index: number): string
  /** Replaces the question whose passage is in a file with this name. */
  ask?(question: string, name: string): string
}

const namings: Naming[] = [
  { name: "names that say nothing", getName: (_, index) => `Qqq${index}.txt` },
  {
    name: "names of words from the passage",
    getName: (passages, index) => `${getWords(passages, index)} ${index}.txt`,
  },
  {
    name: "names of words from another passage",
    getName: (passages, index) => `${getWords(passages, (index + 37) % passages.length)} ${index}.txt`,
  },
  { name: "names of ten tenants", getName: getTenant },
  { name: "names of ten tenants, who are asked about", getName: getTenant, ask: askAbout },
  {
    name: "the same questions, names that say nothing",
    getName: (_, index) => `Qqq${index}.txt`,
    ask: (question, name) => askAbout(question, getTenant([], Number(/\d+/.exec(name)))),
  },
]

function getTenant(_: unknown, index: number): string {
  return `${tenants[index % tenants.length] ?? ""} contract ${index}.txt`
}

function askAbout(question: string, name: string): string {
  return `${question} in ${name.split(" ")[0] ?? ""}`
}

function getWords(passages: Collection["passages"], index: number): string {
  const words = new Set(passages[index]?.text.toLowerCase().match(/\p{L}{6,}/gu))
  return [...words].slice(0, 3).join(" ")
}

export async function run(): Promise<BenchResult[]> {
  const path = corpusPath("retrieval", collection)
  if (path === undefined) return []
  const { passages, questions } = readCollection(collection, path)
  const results: BenchResult[] = []
  for (const { name, getName, ask } of namings) {
    const names = passages.map((_, index) => getName(passages, index))
    const nameOfId = new Map(passages.map(({ id }, index) => [id, names[index] ?? ""]))
    const idOfName = new Map(passages.map(({ id }, index) => [names[index] ?? "", id]))
    await using folder = await openFolder(undefined)
    await folder.add(passages.map(({ text }, index) => ({ name: names[index] ?? "", text })))
    let sum = 0
    for (const { text, relevant } of questions) {
      const [id = ""] = relevant.keys()
      const found = await folder.search(ask?.(text, nameOfId.get(id) ?? "") ?? text, "keyword", 10)
      const ids = found.map(({ fileName }) => idOfName.get(fileName) ?? "")
      sum += ndcgAt10(ids, relevant)
    }
    results.push({ name: `nDCG@10, ${collection}, ${name}`, value: sum / questions.length, unit: "" })
  }
  return results
}

if (import.meta.main) printResults(await run())
