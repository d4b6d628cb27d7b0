import type { OpenedInput, ParseContext } from "../parser.ts"

/** The value of a cell. Dates are in ISO 8601 format, with a time if they have one; undefined when the cell is empty. */
export type CellValue = string | number | boolean | { date: string } | undefined

export interface ValueRow {
  /** Number of the row in its sheet, from 1. */
  row: number
  /** By column, from 0. There may be gaps. */
  cells: CellValue[]
}

/** Cells of one column that are displayed as one. Only the first contains a value. */
export interface MergedCells {
  /** Counted from 0. */
  column: number
  firstRow: number
  lastRow: number
}

/** Some rows of a sheet, in order. A sheet's last batch includes its merged cells. */
export interface SheetRowBatch {
  /** Null if the format has no sheets. */
  sheet: string | null
  rows: ValueRow[]
  merged?: MergedCells[]
}

/** Reads the values of a workbook's cells, not their displayed text. Throws `ParseFailure` like a parser. */
export interface SheetsReader {
  read(input: OpenedInput, context: Pick<ParseContext, "note">): AsyncIterable<SheetRowBatch>
}

/** Maximum length of a text, which is Excel's own limit. Longer texts are cut. */
export const maxCellLength = 32_767

/** Digits of a number that JavaScript and Excel can't distinguish from its neighbours. It is more likely an identifier than a quantity. */
const longNumber = /^-?\d{16,}$/

export const numberOrDigits = (written: string): CellValue => {
  const number = Number(written)
  const isLong = written.length >= 16 && longNumber.test(written)
  return isLong || !Number.isFinite(number) ? written : number
}
