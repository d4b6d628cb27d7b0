import { failure } from "../parser.ts"
import type { SheetCell } from "../table/row-blocks.ts"
import type { ReadAhead, XmlAttributes, XmlHandler } from "../xml/xml-events.ts"
import { type PlainRow, readRowsAhead } from "./rows-ahead.ts"

/** Text length of cells that repeatedly refer to the same long texts, beyond which the sheet is treated as a bomb. */
const suspiciousCharacters = 16_000_000
const charactersPerCell = 1000
const maxCells = 16_384
const maxMerged = 100_000

/** Functions that convert the cells of each type. */
export interface CellReading<Value> {
  text(text: string): Value
  /** @param style number of the cell's style */
  number(value: string, style: number): Value
  boolean(value: boolean): Value
  /** The value is in ISO 8601 format. */
  date(value: string): Value
  error(value: string): Value
}

/** A row with its number, from 1. Its cells are in column order. */
export interface ReadRow<Value> {
  row: number
  cells: SheetCell<Value>[]
}

/** Reads one worksheet (ECMA-376 part 1, 18.3), row by row. */
export class SheetReader<Value> implements XmlHandler {
  /** References such as `A1:B3` of merged cells, complete after the sheet has been read. */
  readonly merged: string[] = []
  readonly #strings: readonly string[]
  readonly #reading: CellReading<Value>
  #rows: ReadRow<Value>[] = []
  #cells: SheetCell<Value>[] = []
  #row = 0
  #column = -1
  #type = ""
  #style = 0
  #value = ""
  #inValue = false
  #inPronunciation = false
  #referredCharacters = 0
  #referringCells = 0
  #depth = 0
  /** Depth of the element that contains the rows; 0 outside of it. */
  #depthOfRows = 0

  constructor(strings: readonly string[], reading: CellReading<Value>) {
    this.#strings = strings
    this.#reading = reading
  }

  take(): ReadRow<Value>[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  /** Reads plain rows without the XML parser, which takes several times as long. */
  readAhead(parse: (text: string) => void): ReadAhead {
    return readRowsAhead(parse, { isBetweenRows: () => this.#isBetweenRows, take: (row) => this.#take(row) })
  }

  get #isBetweenRows(): boolean {
    return this.#depthOfRows > 0 && this.#depth === this.#depthOfRows
  }

  #take({ row, cells, count }: PlainRow): void {
    this.#startRow(row)
    for (let index = 0; index < count; index++) {
      const cell = cells[index]
      if (cell === undefined) continue
      this.#column = cell.column ?? this.#column + 1
      this.#type = cell.type
      this.#style = cell.style
      this.#value = cell.value
      this.#endCell()
    }
    this.#endRow()
  }

  #startRow(number: number | null): void {
    this.#row = number ?? this.#row + 1
    this.#column = -1
    this.#cells = []
  }

  #endRow(): void {
    this.#rows.push({ row: this.#row, cells: this.#cells })
  }

  open(name: string, attributes: XmlAttributes): void {
    this.#depth++
    if (name === "c") {
      const reference = attributes["r"]
      this.#column = reference === undefined ? this.#column + 1 : parseColumn(reference)
      this.#type = attributes["t"] ?? "n"
      this.#style = Number(attributes["s"] ?? 0)
      this.#value = ""
      this.#inPronunciation = false
    } else if (name === "v" || (name === "t" && this.#type === "inlineStr" && !this.#inPronunciation))
      this.#inValue = true
    else if (name === "rPh") this.#inPronunciation = true
    else if (name === "row") {
      const number = Number(attributes["r"])
      this.#startRow(Number.isSafeInteger(number) && number > 0 ? number : null)
    } else if (name === "sheetData") this.#depthOfRows = this.#depth
    else if (name === "mergeCell" && this.merged.length < maxMerged) this.merged.push(attributes["ref"] ?? "")
  }

  text(text: string): void {
    if (this.#inValue) this.#value += text
  }

  close(name: string): void {
    if (this.#depth-- === this.#depthOfRows) this.#depthOfRows = 0
    if (name === "v" || name === "t") this.#inValue = false
    else if (name === "rPh") this.#inPronunciation = false
    else if (name === "c") this.#endCell()
    else if (name === "row") this.#endRow()
  }

  #endCell(): void {
    if (this.#value === "" || this.#cells.length >= maxCells) return
    const value = this.#read()
    this.#value = ""
    this.#cells.push({ column: this.#column, value })
  }

  #read(): Value {
    const value = this.#value
    if (this.#type === "s") return this.#reading.text(this.#shared(this.#strings[Number(value)] ?? ""))
    if (this.#type === "n") return this.#reading.number(value, this.#style)
    if (this.#type === "b") return this.#reading.boolean(value === "1" || value === "true")
    if (this.#type === "d") return this.#reading.date(value)
    return this.#type === "e" ? this.#reading.error(value) : this.#reading.text(value)
  }

  #shared(text: string): string {
    this.#referringCells++
    this.#referredCharacters += text.length
    const suspicious = this.#referredCharacters > suspiciousCharacters
    if (suspicious && this.#referredCharacters > this.#referringCells * charactersPerCell) {
      throw failure("workbook_repeats_texts")
    }
    return text
  }
}

/** Returns the column number of a reference such as `AB12`, from 0. */
export function parseColumn(reference: string): number {
  let column = 0
  for (let index = 0; index < 3; index++) {
    const letter = reference.charCodeAt(index) & 0xdf
    if (letter < 0x41 || letter > 0x5a) break
    column = column * 26 + letter - 0x40
  }
  return column - 1
}
