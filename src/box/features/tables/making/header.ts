import type { CellValue, ValueRow } from "../../../parsers/sheets/sheet-rows.ts"
import { dateReading, numberReading } from "./cell-texts.ts"

/** Rows that are searched for a header. */
const maxTitles = 30
/** Minimum share of the widest row that a header fills. Titles and group headings fill less. */
const minFilled = 0.6

export const isFilled = (cell: CellValue): boolean =>
  cell !== undefined && (typeof cell !== "string" || cell.trim() !== "")

export const countFilledCells = (cells: readonly CellValue[]): number =>
  cells.reduce<number>((n, cell) => n + Number(isFilled(cell)), 0)

/** Whether a cell contains words: not a number, date or boolean, nor a text that reads as a number or date. */
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

/** Minimum length of a series of consecutive numbers across columns, such as months or days. */
const minCounted = 4

/** Returns the columns that belong to a series of consecutive numbers, such as 0, 1, 2, 3. */
function countingColumns(cells: readonly CellValue[]): Set<number> {
  const found = new Set<number>()
  let run = 0
  for (let column = 0; column <= cells.length; column++) {
    const [before, cell] = [cells[column - 1], cells[column]]
    const isConsecutive = typeof before === "number" && typeof cell === "number" && cell === before + 1
    if (!isConsecutive && run >= minCounted) for (let back = 1; back <= run; back++) found.add(column - back)
    run = isConsecutive ? run + 1 : Number(Number.isInteger(cell))
  }
  return found
}

/** Whether a row names columns. It contains words, and otherwise only consecutive numbers and years with no year below them. */
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

/** Whether a row after empty rows starts another table. */
export function startsTable({ cells }: ValueRow): boolean {
  const counting = countingColumns(cells)
  const isName = (cell: CellValue, column: number) => !isFilled(cell) || isWord(cell) || counting.has(column)
  return countFilledCells(cells) > 1 && cells.some(isWord) && cells.every(isName)
}

/** Whether a row may be the title of another table whose header is the next row. */
export const mayBeTitle = ({ cells }: ValueRow): boolean =>
  countFilledCells(cells) === 1 && cells.some(isWord)

/** Returns the index of the header among the first rows of a table, or -1 if there is none. Rows above it are titles. */
export function findHeader(rows: readonly ValueRow[]): number {
  const first = rows.slice(0, maxTitles)
  const widest = first.reduce((max, { cells }) => Math.max(max, countFilledCells(cells)), 0)
  for (const [index, { cells }] of first.entries()) {
    if (countFilledCells(cells) < Math.max(1, widest * minFilled)) continue
    const below = rows[index + 1]?.cells
    if (!namesColumns(cells, below)) return -1
    // In a single column of words, the first word is no more a header than the others.
    return widest > 1 ||
      rows.slice(index + 1).some((row) => row.cells.some((cell) => isFilled(cell) && !isWord(cell)))
      ? index
      : -1
  }
  return -1
}
