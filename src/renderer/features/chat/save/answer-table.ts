import type { Source } from "../../../../shared/contract/chat.ts"
import { citedSources } from "../../../lib/words/cited-sources.ts"
import { readMarkdown, extractText, splitCitations } from "./read-answer.ts"

/** A table from an answer, with its citations separated from the cell text. */
export interface AnswerTable {
  /** The first row is the header. */
  rows: { cells: string[]; numbers: number[] }[]
  /** The sources that the numbers refer to; empty if the table cites nothing. */
  sources: Source[]
}

export function readTable(markdown: string, sources: readonly Source[]): AnswerTable {
  const known = new Set(sources.map(({ citation }) => citation))
  const table = readMarkdown(markdown).children.find(({ type }) => type === "table")
  const rows = table?.type === "table" ? table.children : []
  return {
    rows: rows.map((row) => {
      const cells = row.children.map((cell) =>
        splitCitations(extractText(cell), (number) => known.has(number)),
      )
      return {
        cells: cells.map(({ text }) => text),
        numbers: [...new Set(cells.flatMap(({ numbers }) => numbers))],
      }
    }),
    sources: citedSources(markdown, sources),
  }
}
