import type { Block } from "../parser.ts"
import { looksLikeHeader, rowBlocks } from "./row-blocks.ts"

/** A cell with what is wanted of it: the text that it shows, or the value that it holds. */
export interface SheetCell<Value = string> {
  /** From 0. */
  column: number
  value: Value
}

/** Empty cells that are kept between two filled ones, so that columns stay in line with their headers. */
const maxGap = 50
/** Excel's own limits. */
const maxCellCharacters = 32_767
const maxColumn = 16_384

/** Rows of one sheet of a workbook; the first with several cells is its header when it looks like one. */
export class SheetRows {
  readonly #sheet: string
  #firstColumn: number | undefined
  #begun = false

  constructor(sheet: string) {
    this.#sheet = sheet
  }

  /** @param row number of the row, from 1; its cells are in the order of their columns */
  *blocks(row: number, cells: readonly SheetCell[]): Generator<Block, void, undefined> {
    const filled = cells.filter(({ value }) => value.trim() !== "")
    const first = filled[0]
    if (!first) return
    this.#firstColumn = Math.min(this.#firstColumn ?? first.column, first.column)
    const texts: string[] = []
    let next = this.#firstColumn
    let isInLine = this.#firstColumn >= 0 && (filled.at(-1) ?? first).column < maxColumn
    for (const { column, value } of filled) {
      for (let gap = Math.min(column - next, maxGap); gap > 0; gap--) texts.push("")
      isInLine &&= texts.length === column - this.#firstColumn
      texts.push(value.slice(0, maxCellCharacters))
      next = column + 1
    }
    const isHeader = !this.#begun && filled.length > 1 && looksLikeHeader(texts)
    this.#begun ||= filled.length > 1
    yield* rowBlocks(isHeader ? "table-header" : "table-row", texts, {
      sheet: this.#sheet,
      row,
      ...(isInLine && { column: this.#firstColumn + 1 }),
    })
  }
}
