import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"

export interface Collection {
  name: string
  passages: { id: string; text: string }[]
  questions: { text: string; relevant: Map<string, number> }[]
}

const root = fileURLToPath(new URL("../../shared/corpus/", import.meta.url))

/** Path inside the corpus next to the project; `undefined` if it doesn't exist. */
export function corpusPath(...parts: string[]): string | undefined {
  const path = join(root, ...parts)
  return existsSync(path) ? path : undefined
}

/** Reads one collection of `corpus/retrieval`. */
export function readCollection(name: string, directory: string): Collection {
  const relevant = new Map<string, Map<string, number>>()
  for (const line of readFileSync(join(directory, "qrels.tsv"), "utf8").trim().split("\n").slice(1)) {
    const [question = "", passage = "", grade = "0"] = line.split("\t")
    relevant.set(question, (relevant.get(question) ?? new Map<string, number>()).set(passage, Number(grade)))
  }
  const lines = (file: string) =>
    readFileSync(join(directory, file), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { _id: string; title?: string; text: string })
  return {
    name,
    passages: lines("corpus.jsonl").map(({ _id, title, text }) => ({
      id: _id,
      text: title ? `${title}\n${text}` : text,
    })),
    questions: lines("queries.jsonl").flatMap(({ _id, text }) => {
      const grades = relevant.get(_id)
      return grades ? [{ text, relevant: grades }] : []
    }),
  }
}

/** Normalised discounted cumulative gain of the first ten results. */
export function ndcgAt10(ranked: string[], relevant: Map<string, number>): number {
  const gain = (grades: number[]) =>
    grades.slice(0, 10).reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0)
  const ideal = gain([...relevant.values()].sort((a, b) => b - a))
  return ideal === 0 ? 0 : gain(ranked.map((id) => relevant.get(id) ?? 0)) / ideal
}

/** Share of the relevant passages that were found. */
export function computeRecall(found: string[], relevant: Map<string, number>): number {
  const wanted = [...relevant].filter(([, grade]) => grade > 0)
  const foundIds = new Set(found)
  return wanted.length === 0 ? 0 : wanted.filter(([id]) => foundIds.has(id)).length / wanted.length
}
