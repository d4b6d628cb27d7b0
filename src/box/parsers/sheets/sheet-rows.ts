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

const dayMs = 86_400_000
/** The day with number 0, chosen so that days from March 1900 on have the right number. */
const origin = Date.UTC(1899, 11, 30)
const origin1904 = Date.UTC(1904, 0, 1)
/** 31 December 9999, Excel's last day. */
const lastDay = 2_958_465

/** Cache of dates of whole days, by date system, because a column has few different ones. The values are never modified. */
const known = { 1900: new Map<number, { date: string }>(), 1904: new Map<number, { date: string }>() }
const maxKnown = 10_000

/** Returns the date for a day number in a workbook, or the number if it isn't a valid date. */
export function dayNumberToDate(days: number, from1904: boolean): { date: string } | number {
  const dates = known[from1904 ? 1904 : 1900]
  const before = dates.get(days)
  if (before) return before
  const found = findDate(days, from1904)
  if (Number.isInteger(days) && typeof found === "object" && dates.size < maxKnown) dates.set(days, found)
  return found
}

function findDate(days: number, from1904: boolean): { date: string } | number {
  if (!(days >= 0 && days <= lastDay + 1)) return days
  // Excel treats 1900 as a leap year, so its first 59 days are off by one.
  const early = !from1904 && days >= 1 && days < 60 ? 1 : 0
  const ms = (from1904 ? origin1904 : origin) + Math.round((days + early) * 86_400) * 1000
  const date = new Date(ms).toISOString()
  return { date: ms % dayMs === 0 ? date.slice(0, 10) : `${date.slice(0, 10)} ${date.slice(11, 19)}` }
}

/** Converts a date in the format of OpenDocument and newer Excel files to the format of tables. */
export function parseDateText(written: string): { date: string } | string {
  const found = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?))?/.exec(written)
  if (!found) return written
  const [, day = "", time = ""] = found
  const isMidnight = /^[0:]*$/.test(time)
  return { date: isMidnight ? day : `${day} ${time.padEnd(8, ":00")}` }
}
