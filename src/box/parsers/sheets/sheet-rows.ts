import type { OpenedInput, ParseContext } from "../parser.ts"

/** What a cell holds; a date as ISO 8601 writes it, with its time where it has one; undefined when it is empty. */
export type CellValue = string | number | boolean | { date: string } | undefined

export interface ValueRow {
  /** Number of the row in its sheet, from 1. */
  row: number
  /** By column, from 0; there may be holes. */
  cells: CellValue[]
}

/** Cells of one column that are one for whoever looks at the sheet: only the first of them holds something. */
export interface MergedCells {
  /** From 0. */
  column: number
  firstRow: number
  lastRow: number
}

/** Some rows of a sheet, in their order; the last ones of a sheet come with what is merged in it. */
export interface SheetRowBatch {
  /** Null where the format has none. */
  sheet: string | null
  rows: ValueRow[]
  merged?: MergedCells[]
}

/** Reads a workbook's cells for what they hold, and not as they are shown. Throws `ParseFailure` like a parser. */
export interface SheetsReader {
  read(input: OpenedInput, context: Pick<ParseContext, "note">): AsyncIterable<SheetRowBatch>
}

/** Longer texts are cut: Excel's own limit. */
export const longestCell = 32_767

/** Digits of a number that JavaScript, as Excel, can't tell from its neighbours: it counts something, or more likely names it. */
const longNumber = /^-?\d{16,}$/

export const numberOrDigits = (written: string): CellValue => {
  const number = Number(written)
  const isLong = written.length >= 16 && longNumber.test(written)
  return isLong || !Number.isFinite(number) ? written : number
}
