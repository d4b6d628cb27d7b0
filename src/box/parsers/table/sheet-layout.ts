import { reason } from "../../../shared/contract/file-reasons.ts"
import type { ParseContext } from "../parser.ts"

/** A cell with the requested content: its displayed text or its value. */
export interface SheetCell<Value = string> {
  /** Counted from 0. */
  column: number
  value: Value
}

/** Cells that are displayed as one. Only the first contains a value. */
export interface MergedArea {
  /** Columns are counted from 0, rows from 1. */
  firstColumn: number
  lastColumn: number
  firstRow: number
  lastRow: number
}

/** Hidden columns, counted from 0. */
export class HiddenColumns {
  readonly #ranges: { first: number; last: number }[] = []

  hide(first: number, last: number): void {
    if (this.#ranges.length < maxRanges) this.#ranges.push({ first, last })
  }

  has(column: number): boolean {
    for (const { first, last } of this.#ranges) if (column >= first && column <= last) return true
    return false
  }
}

/** Hidden columns that aren't adjacent. */
const maxRanges = 100

/** Counts the hidden parts of a workbook, which its folder leaves out or marks, and the formulas without values. */
export class LeftOut {
  /** Whether hidden parts are read and marked. */
  readonly isMarked: boolean
  rows = 0
  columns = 0
  sheets = 0
  /** Formulas without values that were computed. */
  computed = 0
  #formulas = 0
  readonly #places: FormulaRange[] = []

  constructor({ marksHidden }: Pick<ParseContext, "marksHidden"> = { marksHidden: false }) {
    this.isMarked = marksHidden
  }

  /** Adds a note for each kind. */
  note(context: Pick<ParseContext, "note">): void {
    this.#noteHidden(context)
    if (this.computed > 0) context.note(reason("formulas_computed", { count: this.computed }))
    if (this.#formulas === 0) return
    const named = this.#places.slice(0, maxNamedRanges).map(describeRange)
    const places = [...named, ...(this.#places.length > maxNamedRanges ? ["…"] : [])].join(", ")
    context.note(reason("formulas_not_computed", { count: this.#formulas, places }))
  }

  /** Counts a formula that is read as it is. Rows of a sheet must be passed in order. */
  addFormula(sheet: string, row: number, column: number): void {
    this.#formulas++
    const above = this.#places.findLast((place) => place.column === column && place.sheet === sheet)
    if (above && above.lastRow >= row - 1) above.lastRow = Math.max(above.lastRow, row)
    else if (this.#places.length <= maxNamedRanges)
      this.#places.push({ sheet, column, firstRow: row, lastRow: row })
  }

  #noteHidden(context: Pick<ParseContext, "note">): void {
    const count = this.sheets + this.rows + this.columns
    if (this.isMarked) {
      if (count > 0) context.note(reason("hidden_parts_marked", { count }))
      return
    }
    if (this.sheets > 0) context.note(reason("hidden_sheets_left_out", { count: this.sheets }))
    if (this.rows > 0) context.note(reason("hidden_rows_left_out", { count: this.rows }))
    if (this.columns > 0) context.note(reason("hidden_columns_left_out", { count: this.columns }))
  }
}

/** Formulas in adjacent rows of a column. */
interface FormulaRange {
  sheet: string
  /** Counted from 0. */
  column: number
  firstRow: number
  lastRow: number
}

const maxNamedRanges = 10

/** Describes a range as a formula refers to it: `Stock!C2:C40`. */
function describeRange({ sheet, column, firstRow, lastRow }: FormulaRange): string {
  const letters = getColumnLetters(column)
  const end = lastRow > firstRow ? `:${letters}${lastRow}` : ""
  return `${sheet}!${letters}${firstRow}${end}`
}

/** @param column counted from 0 */
export function getColumnLetters(column: number): string {
  let letters = ""
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

/** Longer texts aren't labels of rows or columns, and aren't repeated. */
const maxRepeatedLength = 255
const maxRepeatedColumns = 100
/** Maximum cells and characters that merged cells add to one sheet. */
const maxAddedCells = 500_000
const maxAddedCharacters = 8_000_000

/** Repeats the values of one sheet's merged cells in each row and column that they cover. */
export class MergedValues {
  readonly #byFirstRow = new Map<number, MergedArea[]>()
  #open: { area: MergedArea; value: string }[] = []
  #cellsLeft = maxAddedCells
  #charactersLeft = maxAddedCharacters

  add(area: MergedArea): void {
    const sameRow = this.#byFirstRow.get(area.firstRow)
    if (sameRow) sameRow.push(area)
    else this.#byFirstRow.set(area.firstRow, [area])
  }

  /** Takes the values of the areas that start at this row. Rows must be passed in order, hidden ones too. */
  startRow(row: number, cells: readonly SheetCell[]): void {
    if (this.#open.length > 0) this.#open = this.#open.filter(({ area }) => area.lastRow >= row)
    const areas = this.#byFirstRow.get(row)
    if (!areas) return
    this.#byFirstRow.delete(row)
    const values = new Map(cells.map(({ column, value }) => [column, value]))
    for (const area of areas) {
      const value = values.get(area.firstColumn) ?? ""
      if (value.trim() !== "" && value.length <= maxRepeatedLength) this.#open.push({ area, value })
    }
  }

  /**
   * Returns the cells that areas add to a row, by column. A row with no value of its own gets none, and a title that is the only value of
   * its row isn't repeated.
   */
  getAdded(row: number, filled: readonly SheetCell[]): ReadonlyMap<number, string> {
    const added = new Map<number, string>()
    if (this.#open.length === 0 || filled.length === 0) return added
    if (filled.length === 1 && this.#open.every(({ area }) => area.firstRow === row)) return added
    for (const { area, value } of this.#open) {
      if (this.#cellsLeft-- <= 0) break
      if (area.firstRow > row) continue
      const last = Math.min(area.lastColumn, area.firstColumn + maxRepeatedColumns - 1)
      for (let column = area.firstColumn; column <= last; column++) {
        if (row === area.firstRow && column === area.firstColumn) continue
        this.#charactersLeft -= value.length
        if (this.#cellsLeft-- <= 0 || this.#charactersLeft < 0) return added
        added.set(column, value)
      }
    }
    return added
  }
}
