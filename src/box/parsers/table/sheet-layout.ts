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

/** Counts what a workbook contains but its text doesn't. */
export class LeftOut {
  rows = 0
  columns = 0
  sheets = 0
  formulas = 0

  /** Adds a note for each kind. */
  note(context: Pick<ParseContext, "note">): void {
    if (this.sheets > 0) context.note(reason("hidden_sheets_left_out", { count: this.sheets }))
    if (this.rows > 0) context.note(reason("hidden_rows_left_out", { count: this.rows }))
    if (this.columns > 0) context.note(reason("hidden_columns_left_out", { count: this.columns }))
    if (this.formulas > 0) context.note(reason("formulas_without_values", { count: this.formulas }))
  }
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
