import type { Source } from "../../../../shared/contract/chat.ts"
import { citedSources } from "../../../lib/words/cited-sources.ts"
import { readMarkdown, wordsOf } from "./read-markdown.ts"
import { splitCitations } from "./sources.ts"

/** A table of an answer, its citations told apart from what its cells say. */
export interface AnswerTable {
  /** The first row is its heading. */
  rows: { cells: string[]; numbers: number[] }[]
  /** What the numbers mean; none where it cites nothing. */
  sources: Source[]
}

export function readTable(markdown: string, sources: readonly Source[]): AnswerTable {
  const known = new Set(sources.map(({ citation }) => citation))
  const table = readMarkdown(markdown).children.find(({ type }) => type === "table")
  const rows = table?.type === "table" ? table.children : []
  return {
    rows: rows.map((row) => {
      const cells = row.children.map((cell) => splitCitations(wordsOf(cell), (number) => known.has(number)))
      return {
        cells: cells.map(({ text }) => text),
        numbers: [...new Set(cells.flatMap(({ numbers }) => numbers))],
      }
    }),
    sources: citedSources(markdown, sources),
  }
}
