import type { Block } from "../parser.ts"
import { SheetRows } from "../table/sheet-rows.ts"
import type { SheetCell } from "../table/sheet-rows.ts"
import { attribute } from "../xml/xml-events.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

/** Equal cells beside each other are written once with a count; more than this are a background. */
const maxRepeatedCells = 50
const maxCells = 16_384
const maxObjects = 1000
const unread = new Set(["creator", "date", "tracked-changes", "forms"])

/** Sheets of an OpenDocument spreadsheet (ODF 1.3 part 3, 9), with the text that the cells show. */
export class SheetOutline implements XmlHandler {
  /** Embedded documents, such as charts: their folder in the package, and the sheet they stand on. */
  readonly objects: { folder: string; sheet: string }[] = []
  #blocks: Block[] = []
  #sheet = ""
  #rows = new SheetRows("")
  #row = 0
  #repeatedRows = 1
  #column = 0
  #repeatedColumns = 1
  #cells: SheetCell[] = []
  #text = ""
  #paragraphs = 0
  #tables = 0
  #unread = 0

  take(): Block[] {
    const blocks = this.#blocks
    this.#blocks = []
    return blocks
  }

  open(name: string, attributes: XmlAttributes): void {
    if (unread.has(name)) this.#unread++
    if (name === "table") {
      if (++this.#tables > 1) return
      this.#sheet = attribute(attributes, "name") ?? ""
      this.#rows = new SheetRows(this.#sheet)
      this.#row = 1
    } else if (name === "table-row" && this.#tables === 1) {
      this.#repeatedRows = count(attributes, "number-rows-repeated")
      this.#column = 0
      this.#cells = []
    } else if ((name === "table-cell" || name === "covered-table-cell") && this.#tables === 1) {
      this.#repeatedColumns = count(attributes, "number-columns-repeated")
      this.#text = ""
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
      this.#cells.push({ column: this.#column + index, text })
    }
    this.#column += this.#repeatedColumns
  }

  /** Equal rows below each other say nothing that one of them doesn't say. */
  #endRow(): void {
    this.#blocks.push(...this.#rows.blocks(this.#row, this.#cells))
    this.#row += this.#repeatedRows
  }
}

function count(attributes: XmlAttributes, name: string): number {
  const value = Number(attribute(attributes, name) ?? 1)
  return value >= 1 && value < 2 ** 31 ? Math.floor(value) : 1
}
