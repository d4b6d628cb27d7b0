import type { SheetCell } from "../table/row-blocks.ts"
import type { FlowOutline } from "../text/flow-outline.ts"
import { attribute, type XmlAttributes, type XmlHandler } from "../xml/xml-events.ts"

/** Deleted text, note numbers, authors and dates of comments, and images as text. */
const unread = new Set(["tracked-changes", "note-citation", "creator", "date", "binary-data", "forms"])
const maxSpaces = 100
const maxObjects = 1000

interface Paragraph {
  text: string
  /** Level of a heading. */
  level: number | undefined
}

/** Reads texts and presentations in OpenDocument (ODF 1.3 part 3, 5 and 10): paragraphs, including nested ones, and tables. */
export class OpenOutline implements XmlHandler {
  /** Embedded documents, such as charts, by their folder in the package. */
  readonly objects: string[] = []
  readonly #outline: FlowOutline
  readonly #open: Paragraph[] = []
  #unread = 0
  #listDepth = 0
  #itemBegins = false
  #headerRows = 0
  #slide = 0
  #isTitle = false

  constructor(outline: FlowOutline) {
    this.#outline = outline
  }

  open(name: string, attributes: XmlAttributes): void {
    if (unread.has(name)) this.#unread++
    if (this.#unread > 0) return
    const paragraph = this.#open.at(-1)
    if (name === "p") this.#open.push({ text: "", level: undefined })
    else if (name === "h") this.#open.push({ text: "", level: getLevel(attributes) })
    else if (name === "s") this.#add(paragraph, " ".repeat(spaces(attributes)))
    else if (name === "tab") this.#add(paragraph, " ")
    else if (name === "title" || name === "desc") this.#add(paragraph, " ")
    else if (name === "line-break") this.#add(paragraph, "\n")
    else if (name === "list") this.#listDepth++
    else if (name === "list-item") this.#itemBegins = true
    else if (name === "table") this.#outline.startTable()
    else if (name === "table-header-rows") this.#headerRows++
    else if (name === "table-row") this.#outline.startRow()
    else if (name === "table-cell" || name === "covered-table-cell") this.#outline.startCell()
    else if (name === "page") this.#outline.moveTo({ slide: ++this.#slide })
    else if (name === "notes" && this.#slide > 0) this.#outline.section("Notes")
    else if (name === "frame") this.#isTitle = attribute(attributes, "class") === "title"
    else if (name === "object") this.#addObject(attribute(attributes, "href"))
  }

  text(text: string): void {
    if (this.#unread === 0) this.#add(this.#open.at(-1), text.replace(/\s+/g, " "))
  }

  close(name: string): void {
    const wasUnread = this.#unread > 0
    if (unread.has(name)) this.#unread--
    if (wasUnread) return
    if (name === "p" || name === "h") this.#endParagraph()
    else if (name === "title" || name === "desc") this.#add(this.#open.at(-1), " ")
    else if (name === "list") this.#listDepth--
    else if (name === "table") this.#outline.endTable()
    else if (name === "table-header-rows") this.#headerRows--
    else if (name === "table-row") this.#outline.endRow(this.#headerRows > 0)
    else if (name === "frame") this.#isTitle = false
  }

  #add(paragraph: Paragraph | undefined, text: string): void {
    if (paragraph) paragraph.text += text
  }

  #endParagraph(): void {
    const paragraph = this.#open.pop()
    if (!paragraph) return
    const { text, level } = paragraph
    if (level !== undefined || this.#isTitle) return this.#outline.heading(level ?? 1, text)
    if (text.trim() === "") return
    const marked = this.#listDepth > 0 && this.#itemBegins && this.#slide === 0
    this.#itemBegins = false
    this.#outline.paragraph(marked ? `- ${text}` : text)
  }

  #addObject(reference: string | undefined): void {
    const folder = reference?.replace(/^\.\//, "")
    if (folder && this.objects.length < maxObjects) this.objects.push(folder)
  }
}

function getLevel(attributes: XmlAttributes): number {
  const level = Number(attribute(attributes, "outline-level") ?? 1)
  return level >= 1 ? level : 1
}

function spaces(attributes: XmlAttributes): number {
  const count = Number(attribute(attributes, "c") ?? 1)
  return count >= 1 ? Math.min(Math.floor(count), maxSpaces) : 1
}

/** Equal adjacent cells are stored once with a count. A larger count means that they are only a background. */
const maxRepeatedCells = 50
const maxCells = 16_384
const maxSheetObjects = 1000
const maxMerged = 100_000
const unreadInSheets = new Set(["creator", "date", "tracked-changes", "forms"])

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
    if (unreadInSheets.has(name)) this.#unread++
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
      if (folder && this.objects.length < maxSheetObjects) this.objects.push({ folder, sheet: this.#sheet })
    } else if (name === "s" || name === "tab" || name === "line-break") this.#text += " "
  }

  text(text: string): void {
    if (this.#paragraphs > 0 && this.#unread === 0) this.#text += text
  }

  close(name: string): void {
    if (unreadInSheets.has(name)) this.#unread--
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
