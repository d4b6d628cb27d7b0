import { failure } from "../parser.ts"
import type { Block } from "../parser.ts"
import { SheetRows } from "../table/sheet-rows.ts"
import type { SheetCell } from "../table/sheet-rows.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"
import type { NumberFormats } from "./number-formats.ts"

/** Text of cells that refer to the same long texts over and over, beyond which it is a bomb. */
const suspiciousCharacters = 16_000_000
const charactersPerCell = 1000
const maxCells = 16_384

/** Reads one worksheet (ECMA-376 part 1, 18.3), row by row. */
export class SheetReader implements XmlHandler {
  readonly #rows: SheetRows
  readonly #strings: readonly string[]
  readonly #formats: NumberFormats
  #blocks: Block[] = []
  #cells: SheetCell[] = []
  #row = 0
  #column = -1
  #type = ""
  #style = 0
  #value = ""
  #inValue = false
  #referredCharacters = 0
  #referringCells = 0

  constructor(sheet: string, strings: readonly string[], formats: NumberFormats) {
    this.#rows = new SheetRows(sheet)
    this.#strings = strings
    this.#formats = formats
  }

  take(): Block[] {
    const blocks = this.#blocks
    this.#blocks = []
    return blocks
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "c") {
      const reference = attributes["r"]
      this.#column = reference === undefined ? this.#column + 1 : columnOf(reference)
      this.#type = attributes["t"] ?? "n"
      this.#style = Number(attributes["s"] ?? 0)
      this.#value = ""
    } else if (name === "v" || (name === "t" && this.#type === "inlineStr")) this.#inValue = true
    else if (name === "row") {
      const number = Number(attributes["r"])
      this.#row = Number.isSafeInteger(number) && number > 0 ? number : this.#row + 1
      this.#column = -1
      this.#cells = []
    }
  }

  text(text: string): void {
    if (this.#inValue) this.#value += text
  }

  close(name: string): void {
    if (name === "v" || name === "t") this.#inValue = false
    else if (name === "c") this.#endCell()
    else if (name === "row") this.#blocks.push(...this.#rows.blocks(this.#row, this.#cells))
  }

  #endCell(): void {
    if (this.#value === "" || this.#cells.length >= maxCells) return
    const text = this.#shown()
    this.#value = ""
    this.#cells.push({ column: this.#column, text })
  }

  #shown(): string {
    if (this.#type === "s") return this.#shared(this.#strings[Number(this.#value)] ?? "")
    if (this.#type === "b") return this.#value === "1" ? "TRUE" : "FALSE"
    return this.#type === "n" ? this.#formats.show(this.#value, this.#style) : this.#value
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

/** Number of the column of a reference like `AB12`, from 0. */
function columnOf(reference: string): number {
  let column = 0
  for (let index = 0; index < 3; index++) {
    const letter = reference.charCodeAt(index) & 0xdf
    if (letter < 0x41 || letter > 0x5a) break
    column = column * 26 + letter - 0x40
  }
  return column - 1
}
