import { cellBorder } from "../../../../shared/words/cell-border.ts"
import { foldedWords } from "../../../../shared/words/get-words.ts"
import { getScore } from "./relevant-sentences.ts"

const between = " | "
const maxRows = 5
const maxColumns = 20

/** Returns the rows of a table that are about the question, under the table's first row, as Markdown; undefined for other texts. */
export function quotedTable(text: string, question: string): string | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const rows = lines.filter((line) => line.includes(between)).map((line) => line.split(cellBorder))
  const [head, ...others] = rows
  if (!head || others.length === 0 || rows.length < lines.length / 2) return undefined
  const wanted = new Set(foldedWords(question))
  const scored = others.map((cells) => ({ cells, score: getScore(cells.join(" "), wanted) }))
  const best = new Set(scored.toSorted((a, b) => b.score - a.score).slice(0, maxRows))
  const most = Math.max(...[...best].map(({ score }) => score))
  const shown = scored.filter((row) => best.has(row) && (most === 0 || row.score > 0))
  const width = Math.min(maxColumns, Math.max(head.length, ...shown.map(({ cells }) => cells.length)))
  return [head, Array.from({ length: width }, () => "---"), ...shown.map(({ cells }) => cells)]
    .map((cells) => getRow(cells, width))
    .join("\n")
}

const getRow = (cells: readonly string[], width: number): string =>
  `| ${Array.from({ length: width }, (_, index) => (cells[index] ?? "").trim().replaceAll("|", "\\|")).join(between)} |`
