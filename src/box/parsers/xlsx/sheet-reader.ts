import { failure } from "../parser.ts"
import type { ReadAhead, XmlAttributes, XmlHandler } from "../xml/xml-events.ts"
import { HiddenColumns, type MergedArea, type SheetCell } from "../table/sheet-layout.ts"
import { isMissing, otherFormula, type PlainRow, readRowsAhead } from "./rows-ahead.ts"

/** Text length of cells that repeatedly refer to the same long texts, beyond which the sheet is treated as a bomb. */
const suspiciousCharacters = 16_000_000
const charactersPerCell = 1000
const maxCells = 16_384
const maxMerged = 100_000
const maxLinks = 10_000
const maxFilters = 100

export interface FormulaPlace {
  /** Counted from 1. */
  row: number
  /** Counted from 0. */
  column: number
  /** Number of the cell's style. */
  style: number
}

/** Functions that convert the cells of each type. */
export interface CellReading<Value> {
  text(text: string): Value
  /** @param style number of the cell's style */
  number(value: string, style: number): Value
  boolean(value: boolean): Value
  /** The value is in ISO 8601 format. */
  date(value: string): Value
  error(value: string): Value
  /** The value of the formula isn't stored. */
  formula(formula: string, place: FormulaPlace): Value
}

/** A row with its number, from 1. Its cells are in column order. */
export interface ReadRow<Value> {
  row: number
  isHidden: boolean
  cells: SheetCell<Value>[]
}

/** Reads one worksheet (ECMA-376 part 1, 18.3), row by row. */
export class SheetReader<Value> implements XmlHandler {
  /** References such as `A1:B3` of merged cells, complete after the sheet has been read. */
  readonly merged: string[] = []
  /** Complete before the first row. */
  readonly hiddenColumns = new HiddenColumns()
  readonly #strings: readonly string[]
  readonly #reading: CellReading<Value>
  #rows: ReadRow<Value>[] = []
  #cells: SheetCell<Value>[] = []
  #row = 0
  #column = -1
  #type = ""
  #style = 0
  #value = ""
  /** The formula of the current cell, if its value isn't stored. */
  #formula = ""
  #isHiddenRow = false
  #inValue = false
  #inFormula = false
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

  #take({ row, isHidden, cells, count }: PlainRow): void {
    this.#startRow(row, isHidden)
    for (let index = 0; index < count; index++) {
      const cell = cells[index]
      if (cell === undefined) continue
      this.#column = cell.column ?? this.#column + 1
      this.#type = cell.type
      this.#style = cell.style
      this.#value = cell.value
      this.#formula = cell.formula
      this.#endCell()
    }
    this.#endRow()
  }

  #startRow(number: number | null, isHidden: boolean): void {
    this.#isHiddenRow = isHidden
    this.#row = number ?? this.#row + 1
    this.#column = -1
    this.#cells = []
  }

  #endRow(): void {
    this.#rows.push({ row: this.#row, isHidden: this.#isHiddenRow, cells: this.#cells })
  }

  open(name: string, attributes: XmlAttributes): void {
    this.#depth++
    if (name === "c") {
      const reference = attributes["r"]
      this.#column = reference === undefined ? this.#column + 1 : parseColumn(reference)
      this.#type = attributes["t"] ?? "n"
      this.#style = Number(attributes["s"] ?? 0)
      this.#value = ""
      this.#formula = ""
      this.#inPronunciation = false
    } else if (name === "v" || (name === "t" && this.#type === "inlineStr" && !this.#inPronunciation))
      this.#inValue = true
    else if (name === "rPh") this.#inPronunciation = true
    else if (name === "row") {
      const number = Number(attributes["r"])
      this.#startRow(Number.isSafeInteger(number) && number > 0 ? number : null, isTrue(attributes["hidden"]))
    } else if (name === "f") {
      this.#inFormula = true
      this.#formula = ""
    } else if (name === "col" && isTrue(attributes["hidden"]))
      this.hiddenColumns.hide(Number(attributes["min"]) - 1, Number(attributes["max"]) - 1)
    else if (name === "sheetData") this.#depthOfRows = this.#depth
    else if (name === "mergeCell" && this.merged.length < maxMerged) this.merged.push(attributes["ref"] ?? "")
  }

  text(text: string): void {
    if (this.#inValue) this.#value += text
    else if (this.#inFormula) this.#formula += text
  }

  close(name: string): void {
    if (this.#depth-- === this.#depthOfRows) this.#depthOfRows = 0
    if (name === "v" || name === "t") this.#inValue = false
    if (name === "v" && !isMissing(this.#type, this.#value)) this.#formula = ""
    else if (name === "f") {
      this.#inFormula = false
      this.#formula ||= otherFormula
    } else if (name === "rPh") this.#inPronunciation = false
    else if (name === "c") this.#endCell()
    else if (name === "row") this.#endRow()
  }

  #endCell(): void {
    const isFormula = this.#value === "" && this.#formula !== ""
    if ((this.#value === "" && !isFormula) || this.#cells.length >= maxCells) return
    const value = isFormula ? this.#readFormula() : this.#read()
    this.#value = ""
    this.#formula = ""
    this.#cells.push({ column: this.#column, value })
  }

  #readFormula(): Value {
    const place = { row: this.#row, column: this.#column, style: this.#style }
    return this.#reading.formula(`=${this.#formula}`, place)
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

const isTrue = (written: string | undefined): boolean => written === "1" || written === "true"

const rowsEnd = "</sheetData>"
/** Bytes at the end of a worksheet in which the text below its rows is found. */
const maxBelowRows = 2 ** 20
const mergedCell =
  /<(?:\w+:)?mergeCell\s[^<>]{0,200}?\bref\s{0,9}=\s{0,9}["']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})["']/g
const linkedCell = /<(?:\w+:)?hyperlink\s([^<>]{1,3000})>/g
const linkReference = /\bref\s{0,9}=\s{0,9}["']([A-Z]{1,3}\d{1,7})(?=[:"'])/
const linkId = /:id\s{0,9}=\s{0,9}["']([^"'<>]{1,255})["']/
const activeFilter =
  /<autoFilter\s[^<>]{0,200}?\bref\s{0,9}=\s{0,9}["'][A-Z]{1,3}(\d{1,7}):[A-Z]{1,3}(\d{1,7})["'][^<>]{0,200}>\s{0,9}<filterColumn/g

/** Parts of a worksheet that are listed below its rows. */
interface SheetView {
  merged: MergedArea[]
  /** Ranges of rows that a filter may hide. */
  filtered: { firstRow: number; lastRow: number }[]
  /** The relationships of links, by the reference of their first cell, such as `A2`. */
  links: Map<string, string>
}

/** Reads a worksheet's merged cells, filter and links without parsing the rows, which come first. */
export async function readSheetView(chunks: AsyncIterable<Buffer>): Promise<SheetView> {
  // Searching all bytes would take longer than decompressing them.
  const last: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    last.push(chunk)
    length += chunk.length
    while (length - (last[0]?.length ?? 0) > maxBelowRows) length -= last.shift()?.length ?? 0
  }
  const end = Buffer.concat(last)
  const text = end.toString("latin1", Math.max(0, end.lastIndexOf(rowsEnd)))
  const merged: MergedArea[] = []
  for (const [, firstColumn = "", firstRow, lastColumn = "", lastRow] of text.matchAll(mergedCell)) {
    merged.push({
      firstColumn: parseColumn(firstColumn),
      lastColumn: parseColumn(lastColumn),
      firstRow: Number(firstRow),
      lastRow: Number(lastRow),
    })
    if (merged.length >= maxMerged) break
  }
  const links = new Map<string, string>()
  for (const [, attributes = ""] of text.matchAll(linkedCell)) {
    const [cell, id] = [linkReference, linkId].map((pattern) => pattern.exec(attributes)?.[1])
    if (cell !== undefined && id !== undefined && links.size < maxLinks) links.set(cell, id)
  }
  return { merged, filtered: findFilteredRows(text), links }
}

/** Returns the ranges of the filters in the XML of a worksheet or table that have a condition. */
export const findFilteredRows = (xml: string): SheetView["filtered"] =>
  Array.from(xml.matchAll(activeFilter), ([, firstRow, lastRow]) => ({
    firstRow: Number(firstRow),
    lastRow: Number(lastRow),
  })).slice(0, maxFilters)

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
