import { citedNumbers, isNothingRelevant, removeCitations, type Note } from "../notes/notes.ts"
import { createRareWords } from "../notes/rare-words.ts"

/** Maximum number of rows in one answer, in case a model never stops. */
const maxRows = 1_000
const maxCellLength = 1_000

const fence = /^\s*(?:```|~~~)/
const ruler = /^[\s|:+-]+$/
const bullet = /^\s*[-*•–]\s+(?!\|)/
const emptyCell = /^(?:[-–—]+|n\/?a|none|null|unknown)$/i

/**
 * Parses a model's rows, one per line, with cells between bars and block numbers at the end. Lines that can't be rows are dropped: frames,
 * repeated headings and remarks. A row without valid block numbers is assigned to the block that shares most of its rare words.
 */
export function parseRows(answer: string, columns: readonly string[], texts: readonly string[]): Note[] {
  const rare = createRareWords(texts)
  const rows: Note[] = []
  for (const line of answer.split("\n")) {
    if (rows.length >= maxRows) break
    if (fence.test(line) || ruler.test(line) || isNothingRelevant(line)) continue
    const numbers = [...new Set(citedNumbers(line))].filter((number) => number >= 1 && number <= texts.length)
    const cells = getCells(removeCitations(line.replace(bullet, "")), columns.length)
    if (cells === null || isHeader(cells, columns)) continue
    const isRemark = numbers.length === 0 && columns.length > 1 && cells.slice(1).every((cell) => cell === "")
    if (isRemark || !cells.some((cell) => /[\p{L}\p{N}]/u.test(cell))) continue
    const text = cells.join(" | ")
    const guessed = numbers.length > 0 ? null : rare.best(text)
    const blocks = guessed === null ? numbers.map((number) => number - 1) : [guessed]
    rows.push({ text, blocks: blocks.sort((one, other) => one - other), cells })
  }
  return rows.sort((one, other) => getFirst(one) - getFirst(other))
}

/** Rows without a block come last. */
const getFirst = ({ blocks }: Note): number => blocks[0] ?? Number.MAX_SAFE_INTEGER

/** Returns as many cells as there are columns, or null if the line has none. */
function getCells(line: string, count: number): string[] | null {
  const cells = line.split(/(?<!\\)\|/).map((cell) => plain(cell.replaceAll(String.raw`\|`, "|")))
  if (cells.length > count && cells[0] === "") cells.shift()
  while (cells.length > count && cells.at(-1) === "") cells.pop()
  if (cells.length === 0) return null
  const last = cells.splice(count - 1).join(" | ")
  return [...cells, last, ...Array.from({ length: count - 1 - cells.length }, () => "")]
    .slice(0, count)
    .map((cell) => (emptyCell.test(cell) ? "" : cell.slice(0, maxCellLength)))
}

/** Removes formatting that encloses a whole cell. */
const plain = (cell: string): string =>
  cell
    .trim()
    .replace(/^(\*\*|__|`)(.+)\1$/, "$2")
    .trim()

const folded = (text: string) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
const isHeader = (cells: readonly string[], columns: readonly string[]) =>
  cells.every((cell, index) => folded(cell) === folded(columns[index] ?? ""))
