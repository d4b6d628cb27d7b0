import type { CellValue, ValueRow } from "../../../parsers/sheets/sheet-rows.ts"
import { dateReading } from "./date-texts.ts"
import { numberReading } from "./number-texts.ts"

/** Rows in which a header is looked for. */
const mostTitles = 30
/** Of the widest row, what a header fills at least; titles and headings of groups fill less. */
const leastFilled = 0.6

export const isFilled = (cell: CellValue): boolean =>
  cell !== undefined && (typeof cell !== "string" || cell.trim() !== "")

export const filledCells = (cells: readonly CellValue[]): number =>
  cells.reduce<number>((n, cell) => n + Number(isFilled(cell)), 0)

/** Whether a cell says something in words: neither number, date nor truth, nor a text that is one. */
export function isWord(cell: CellValue): boolean {
  if (typeof cell !== "string" || cell.trim() === "") return false
  const text = cell.trim()
  const number = numberReading(text)
  const date = dateReading(text)
  return !(number.dot || number.comma || number.isName || date.iso || date.dayFirst || date.monthFirst)
}

const isYear = (cell: CellValue): boolean => {
  const year = typeof cell === "number" ? cell : typeof cell === "string" ? Number(cell.trim()) : NaN
  return Number.isInteger(year) && year >= 1900 && year <= 2100
}

/** Numbers that count on from one column to the next, such as months or days. */
const leastCounted = 4

/** The columns in which a row counts on: 0, 1, 2, 3 … */
function countingColumns(cells: readonly CellValue[]): Set<number> {
  const found = new Set<number>()
  let run = 0
  for (let column = 0; column <= cells.length; column++) {
    const [before, cell] = [cells[column - 1], cells[column]]
    const goesOn = typeof before === "number" && typeof cell === "number" && cell === before + 1
    if (!goesOn && run >= leastCounted) for (let back = 1; back <= run; back++) found.add(column - back)
    run = goesOn ? run + 1 : Number(Number.isInteger(cell))
  }
  return found
}

/** Whether a row names columns: words, numbers that count on, and years where those below have none in their place. */
function namesColumns(cells: readonly CellValue[], below: readonly CellValue[] | undefined): boolean {
  const counting = countingColumns(cells)
  let words = 0
  for (const [column, cell] of cells.entries()) {
    if (!isFilled(cell)) continue
    if (isWord(cell)) words++
    else if (counting.has(column)) continue
    else if (!isYear(cell) || isYear(below?.[column])) return false
  }
  return words > 0
}

/** Whether a row after empty ones begins another table. */
export function beginsTable({ cells }: ValueRow): boolean {
  const counting = countingColumns(cells)
  const isName = (cell: CellValue, column: number) => !isFilled(cell) || isWord(cell) || counting.has(column)
  return filledCells(cells) > 1 && cells.some(isWord) && cells.every(isName)
}

/** Whether a row may be the title of another table, whose columns the next row names. */
export const mayBeTitle = ({ cells }: ValueRow): boolean => filledCells(cells) === 1 && cells.some(isWord)

/** Number of the row that names the columns, among the first of a table; -1 where none does. What is above it are titles. */
export function findHeader(rows: readonly ValueRow[]): number {
  const first = rows.slice(0, mostTitles)
  const widest = first.reduce((most, { cells }) => Math.max(most, filledCells(cells)), 0)
  for (const [index, { cells }] of first.entries()) {
    if (filledCells(cells) < Math.max(1, widest * leastFilled)) continue
    const below = rows[index + 1]?.cells
    if (!namesColumns(cells, below)) return -1
    // one column of words: its first word is no more a name than the others
    return widest > 1 ||
      rows.slice(index + 1).some((row) => row.cells.some((cell) => isFilled(cell) && !isWord(cell)))
      ? index
      : -1
  }
  return -1
}
