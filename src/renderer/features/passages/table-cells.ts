import type { FileBlock } from "../../../shared/contract/files.ts"
import { cellBorder } from "../../../shared/words/words.ts"

const maxColumns = 50
const narrowest = 5
const widest = 28

const isTableRow = (kind: FileBlock["kind"]): boolean => kind === "table-row" || kind === "table-header"

/** Properties shared by the rows of a table. */
export interface Table {
  /** Widths of its columns, in characters. */
  widths: number[]
  /** Sheet column of its first column, from 1; undefined if the rows don't state their columns. */
  firstColumn: number | undefined
  /** Number of digits of its longest row number. */
  numberDigits: number
}

/** Start and end, in characters of a row's text. */
type Cell = [start: number, end: number]

interface TableRow {
  table: Table
  cells: Cell[]
  /** Column index of its first cell in the table, from 0; null if the row is rendered as a single cell that spans the table. */
  at: number | null
}

/** Returns the positions of a row's cells in its text. Beyond the maximum number of columns, the rest is one cell. */
export function splitCells(text: string, max = maxColumns): Cell[] {
  const cells: Cell[] = []
  let start = 0
  for (const { 0: match, index } of text.matchAll(cellBorder)) {
    if (cells.length >= max - 1) break
    cells.push([start, index])
    start = index + match.length
  }
  return [...cells, [start, text.length]]
}

/** Returns the rows of tables, by block index. */
export function tableRows(blocks: readonly FileBlock[]): Map<number, TableRow> {
  const rows = new Map<number, TableRow>()
  for (let from = 0; from < blocks.length;) {
    const own = tableAt(blocks, from)
    const table = newTable(own)
    for (const [index, block] of own.entries()) {
      const row = getRow(block, table)
      if (row.at !== null) widen(table, row.at, row.cells)
      rows.set(from + index, row)
    }
    from += Math.max(1, own.length)
  }
  return rows
}

/** Returns the rows of the table that begins at this block; empty if there is none. */
function tableAt(blocks: readonly FileBlock[], from: number): FileBlock[] {
  const sheet = blocks[from]?.location.sheet
  let end = from
  for (let block = blocks[end]; block && isTableRow(block.kind); block = blocks[++end])
    if (block.location.sheet !== sheet) break
  return blocks.slice(from, end)
}

function newTable(rows: readonly FileBlock[]): Table {
  let firstColumn: number | undefined
  let lastNumber = 0
  for (const { location } of rows) {
    if (location.column !== undefined) firstColumn = Math.min(firstColumn ?? Infinity, location.column)
    lastNumber = Math.max(lastNumber, location.row ?? 0)
  }
  return { widths: [], firstColumn, numberDigits: String(lastNumber).length }
}

function getRow({ text, location: { column } }: FileBlock, table: Table): TableRow {
  if (table.firstColumn === undefined) return { table, cells: splitCells(text), at: 0 }
  if (column === undefined) return { table, cells: [[0, text.length]], at: null }
  const at = Math.min(column - table.firstColumn, maxColumns - 1)
  return { table, cells: splitCells(text, maxColumns - at), at }
}

function widen({ widths }: Table, at: number, cells: readonly Cell[]): void {
  while (widths.length < at + cells.length) widths.push(narrowest)
  for (const [index, [start, end]] of cells.entries())
    widths[at + index] = Math.max(widths[at + index] ?? narrowest, Math.min(widest, end - start))
}

/** The letters of a sheet's columns, as in spreadsheets. In a very wide table, the last one also represents all later columns. */
export function columnLetters({ widths, firstColumn }: Table): string[] {
  if (firstColumn === undefined) return []
  return widths.map((_, index) => {
    const letters = toColumnLetters(firstColumn + index)
    return index === maxColumns - 1 ? `${letters}…` : letters
  })
}

/** The letters of a column, from 1: A to Z, AA, AB. */
function toColumnLetters(column: number): string {
  const before = Math.floor((column - 1) / 26)
  return (before > 0 ? toColumnLetters(before) : "") + String.fromCodePoint(65 + ((column - 1) % 26))
}
