import type { SheetCell } from "../table/sheet-rows.ts"
import { attribute } from "../xml/xml-events.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

/** Equal adjacent cells are stored once with a count. A larger count means that they are only a background. */
const maxRepeatedCells = 50
const maxCells = 16_384
const maxObjects = 1000
const maxMerged = 100_000
const unread = new Set(["creator", "date", "tracked-changes", "forms"])

/** A row with its number, from 1, and its repeat count. Its cells are in column order. */
export interface OpenRow<Value> {
  sheet: string
  row: number
  repeated: number
  cells: SheetCell<Value>[]
}

/** Returns the value of a cell that displays this text. Cells without text are skipped. */
type OpenCellReading<Value> = (text: string, attributes: XmlAttributes) => Value

/** Reads the sheets of an OpenDocument spreadsheet (ODF 1.3 part 3, 9) row by row. */
export class SheetOutline<Value> implements XmlHandler {
  /** Embedded documents, such as charts: their folder in the package, and their sheet. */
  readonly objects: { folder: string; sheet: string }[] = []
  /** Cells whose content also applies to the rows below. */
  readonly merged: { sheet: string; column: number; row: number; rows: number }[] = []
  readonly #reading: OpenCellReading<Value>
  #rows: OpenRow<Value>[] = []
  #sheet = ""
  #row = 0
  #repeatedRows = 1
  #column = 0
  #repeatedColumns = 1
  #cells: SheetCell<Value>[] = []
  #attributes: XmlAttributes = {}
  #text = ""
  #paragraphs = 0
  #tables = 0
  #unread = 0

  constructor(reading: OpenCellReading<Value>) {
    this.#reading = reading
  }

  take(): OpenRow<Value>[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  open(name: string, attributes: XmlAttributes): void {
    if (unread.has(name)) this.#unread++
    if (name === "table") {
      if (++this.#tables > 1) return
      this.#sheet = attribute(attributes, "name") ?? ""
      this.#row = 1
    } else if (name === "table-row" && this.#tables === 1) {
      this.#repeatedRows = count(attributes, "number-rows-repeated")
      this.#column = 0
      this.#cells = []
    } else if ((name === "table-cell" || name === "covered-table-cell") && this.#tables === 1) {
      this.#repeatedColumns = count(attributes, "number-columns-repeated")
      this.#text = ""
      this.#attributes = attributes
      const rows = count(attributes, "number-rows-spanned")
      if (rows > 1 && this.merged.length < maxMerged)
        this.merged.push({ sheet: this.#sheet, column: this.#column, row: this.#row, rows })
    } else if (name === "p") {
      this.#paragraphs++
      if (this.#text !== "") this.#text += " "
    } else if (name === "object") {
      const folder = attribute(attributes, "href")?.replace(/^\.\//, "")
      if (folder && this.objects.length < maxObjects) this.objects.push({ folder, sheet: this.#sheet })
    } else if (name === "s" || name === "tab" || name === "line-break") this.#text += " "
  }

  text(text: string): void {
    if (this.#paragraphs > 0 && this.#unread === 0) this.#text += text
  }

  close(name: string): void {
    if (unread.has(name)) this.#unread--
    if (name === "p") this.#paragraphs--
    else if (name === "table") this.#tables--
    else if ((name === "table-cell" || name === "covered-table-cell") && this.#tables === 1) this.#endCell()
    else if (name === "table-row" && this.#tables === 1) this.#endRow()
  }

  #endCell(): void {
    const text = this.#text.replace(/\s+/g, " ").trim()
    const repeated = text === "" ? 0 : Math.min(this.#repeatedColumns, maxRepeatedCells)
    for (let index = 0; index < repeated && this.#cells.length < maxCells; index++) {
      this.#cells.push({ column: this.#column + index, value: this.#reading(text, this.#attributes) })
    }
    this.#column += this.#repeatedColumns
  }

  #endRow(): void {
    const [sheet, row, repeated, cells] = [this.#sheet, this.#row, this.#repeatedRows, this.#cells]
    if (cells.length > 0) this.#rows.push({ sheet, row, repeated, cells })
    this.#row += this.#repeatedRows
  }
}

function count(attributes: XmlAttributes, name: string): number {
  const value = Number(attribute(attributes, name) ?? 1)
  return value >= 1 && value < 2 ** 31 ? Math.floor(value) : 1
}
