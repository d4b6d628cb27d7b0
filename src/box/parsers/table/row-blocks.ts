import type { Location } from "../../../shared/contract/location.ts"
import { cellBorder } from "../../../shared/words/words.ts"
import { maxBlockCharacters, type Block } from "../parser.ts"
import { hiddenMark } from "../text/hidden-text.ts"
import { splitText } from "../text/split-text.ts"
import { LeftOut, MergedValues, type HiddenColumns, type MergedArea, type SheetCell } from "./sheet-layout.ts"

/**
 * Yields the blocks of one table row; none when the row is empty. The location has a column only if the row's cells can be counted in the
 * text.
 */
export function* rowBlocks(
  kind: Block["kind"],
  cells: readonly string[],
  { column, ...place }: Location,
): Generator<Block, void, undefined> {
  if (cells.every((cell) => cell.trim() === "")) return
  const text = collapse(cells.join(" | "))
  const isCountable =
    column !== undefined &&
    (!cells.some((cell) => cell.includes("|")) || text.split(cellBorder).length === cells.length)
  const location = isCountable ? { ...place, column } : place
  if (text.length <= maxBlockCharacters) return yield { kind, text, location }
  const [first = "", ...rest] = splitText(text, maxBlockCharacters)
  yield { kind, text: first, location }
  for (const part of rest) yield { kind, text: part, location: place }
}

function collapse(text: string): string {
  return /\s\s|[\t\r\n]|^\s|\s$/.test(text) ? text.replace(/\s+/g, " ").trim() : text
}

/** Whether cells look like column names: several, distinct, not empty, and neither numbers nor dates. */
export function looksLikeHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim().replace(hiddenMark, ""))
  if (names.length < 2) return false
  return (
    names.every((name) => name !== "" && !/^[\d\s.,:/+%€$£-]+$/.test(name)) &&
    new Set(names).size === names.length
  )
}

/** Maximum empty cells kept between two filled ones, so that columns stay aligned with their headers. */
const maxGap = 50
/** Excel's own limits. */
const maxCellCharacters = 32_767
const maxColumn = 16_384

/** How a sheet is displayed, apart from its values. */
interface SheetLayout {
  /** Whether the sheet itself is hidden, so that each row of it is marked. */
  isHiddenSheet?: boolean
  hidden?: Pick<HiddenColumns, "has">
  merged?: readonly MergedArea[]
  leftOut?: LeftOut
}

/**
 * Creates the blocks of one sheet's rows as people see them: with hidden rows and columns left out or marked, and with the value of merged
 * cells in each of them. The first row with several cells is the header if it looks like one.
 */
export class SheetRows {
  /** Name of the sheet. */
  readonly sheet: string
  readonly isHiddenSheet: boolean
  readonly #hiddenRows = new Set<number>()
  readonly #hidden: SheetLayout["hidden"]
  readonly #merged = new MergedValues()
  readonly #leftOut: LeftOut
  readonly #hiddenColumns = new Set<number>()
  #firstColumn: number | undefined
  #started = false

  constructor(
    sheet: string,
    { isHiddenSheet = false, hidden, merged = [], leftOut = new LeftOut() }: SheetLayout = {},
  ) {
    this.sheet = sheet
    this.isHiddenSheet = isHiddenSheet
    this.#hidden = hidden
    this.#leftOut = leftOut
    for (const area of merged) this.#merged.add(area)
  }

  merge(area: MergedArea): void {
    this.#merged.add(area)
  }

  /** Yields a hidden row if the folder wants it. Merged cells that start in it are displayed in the rows below in any case. */
  *hiddenBlocks(row: number, cells: readonly SheetCell[], repeated = 1): Generator<Block, void, undefined> {
    this.#hiddenRows.add(row)
    if (cells.some(({ value }) => value.trim() !== "")) this.#leftOut.rows += repeated
    if (this.#leftOut.isMarked) yield* this.#blocks(row, cells, true)
    else this.#merged.startRow(row, cells)
  }

  /** Returns what precedes a comment on a cell, or a picture at it; undefined if it isn't read. */
  getMark(row: number, column: number): string | undefined {
    const isHidden = this.isHiddenSheet || this.#hiddenRows.has(row) || this.#hidden?.has(column) === true
    if (!isHidden) return ""
    return this.#leftOut.isMarked ? hiddenMark : undefined
  }

  /**
   * @param row number of the row, from 1
   * @param cells the row's cells in column order
   */
  blocks(row: number, cells: readonly SheetCell[]): Generator<Block, void, undefined> {
    return this.#blocks(row, cells, this.isHiddenSheet)
  }

  *#blocks(row: number, cells: readonly SheetCell[], isHidden: boolean): Generator<Block, void, undefined> {
    this.#merged.startRow(row, cells)
    let filled = cells.filter(({ value }) => value.trim() !== "")
    if (this.#hidden) filled = filled.filter(({ column }) => this.#isRead(column))
    const own = filled.length
    const added = this.#merged.getAdded(row, filled)
    if (added.size > 0) filled = this.#addMerged(filled, added)
    const first = filled[0]
    if (!first) return
    this.#firstColumn = Math.min(this.#firstColumn ?? first.column, first.column)
    const texts: string[] = []
    const names: string[] = []
    let next = this.#firstColumn
    let isInLine = this.#firstColumn >= 0 && (filled.at(-1) ?? first).column < maxColumn
    for (const { column, value } of filled) {
      for (let gap = Math.min(column - next, maxGap); gap > 0; gap--) {
        if (!this.#hidden?.has(column - gap)) names.push("")
        texts.push("")
      }
      isInLine &&= texts.length === column - this.#firstColumn
      // The mark of a row precedes its first value.
      const isMarked = isHidden ? column === first.column : this.#hidden?.has(column)
      texts.push((isMarked ? hiddenMark : "") + value.slice(0, maxCellCharacters))
      if (!added.has(column)) names.push(value)
      next = column + 1
    }
    const isOwnRow = own > 1 && isHidden === this.isHiddenSheet
    const isHeader = !this.#started && isOwnRow && looksLikeHeader(names)
    this.#started ||= isOwnRow
    yield* rowBlocks(isHeader ? "table-header" : "table-row", texts, {
      sheet: this.sheet,
      row,
      ...(isInLine && { column: this.#firstColumn + 1 }),
    })
  }

  #isRead(column: number): boolean {
    if (!this.#hidden?.has(column)) return true
    if (!this.#hiddenColumns.has(column)) this.#leftOut.columns++
    this.#hiddenColumns.add(column)
    return this.#leftOut.isMarked
  }

  #addMerged(filled: readonly SheetCell[], added: ReadonlyMap<number, string>): SheetCell[] {
    const cells = filled.filter(({ column }) => !added.has(column))
    for (const [column, value] of added)
      if (this.#leftOut.isMarked || !this.#hidden?.has(column)) cells.push({ column, value })
    return cells.sort((a, b) => a.column - b.column)
  }
}
