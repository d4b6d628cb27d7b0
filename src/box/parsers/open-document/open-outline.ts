import { HiddenColumns, type MergedArea, type SheetCell } from "../table/sheet-layout.ts"
import type { FlowOutline } from "../text/flow-outline.ts"
import { getLinkTarget } from "../text/link-target.ts"
import { bullet } from "../text/list-numbers.ts"
import { attribute, type XmlAttributes, type XmlHandler } from "../xml/xml-events.ts"
import { OpenStyles, type ListCounts } from "./open-styles.ts"

/** Deleted text, note numbers, authors and dates of comments, and images as text. */
const unread = new Set(["tracked-changes", "note-citation", "creator", "date", "binary-data", "forms"])
/** Parts that may be hidden. */
const sectionNames = new Set(["section", "hidden-text"])
const maxSpaces = 100
const maxObjects = 1000

/** Maximum columns in which a cell is repeated. */
const maxSpan = 100

interface Paragraph {
  text: string
  /** Level of a heading. */
  level: number | undefined
  /** Number or bullet that precedes the text. */
  label: string
  isHidden: boolean
}

interface List {
  /** From 1. */
  level: number
  style: string | undefined
  counts: ListCounts
  /** Number of paragraphs around it. */
  depth: number
  /** Whether its numbers continue those of another list. */
  continues: boolean
  /** The current item until its first paragraph. */
  item: { start: number | undefined; hasNumber: boolean } | undefined
}

interface Table {
  row: number
  column: number
  cell: { columns: number; rows: number; repeated: number; isCovered: boolean }
  /** Texts of cells that cover others, by column, with their first and last row. */
  covers: Map<number, { text: string; row: number; lastRow: number }>
}

/**
 * Reads texts and presentations in OpenDocument (ODF 1.3 part 3, 5 and 10): paragraphs with their numbers, including nested ones, and tables.
 * Hidden text is left out.
 */
export class OpenOutline implements XmlHandler {
  /** Embedded documents, such as charts, by their folder in the package. */
  readonly objects: string[] = []
  readonly #outline: FlowOutline
  readonly #styles: OpenStyles
  readonly #open: Paragraph[] = []
  /** For each open section, whether it is hidden. */
  readonly #sections: boolean[] = []
  /** For each open span, whether the text around it is hidden. */
  readonly #spans: boolean[] = []
  readonly #links: { paragraph: Paragraph | undefined; start: number; target: string }[] = []
  readonly #lists: List[] = []
  readonly #countsOfList = new Map<string, ListCounts>()
  readonly #countsOfStyle = new Map<string, ListCounts>()
  readonly #headingCounts: ListCounts = []
  readonly #tables: Table[] = []
  #inStyles = false
  #unread = 0
  #headerRows = 0
  #slide = 0
  #isTitle = false
  #inFormula = false

  constructor(outline: FlowOutline, styles = new OpenStyles()) {
    this.#outline = outline
    this.#styles = styles
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "automatic-styles") this.#inStyles = true
    if (this.#inStyles) return this.#styles.open(name, attributes)
    if (sectionNames.has(name)) {
      const isHidden =
        attribute(attributes, "display") === "none" || attribute(attributes, "is-hidden") === "true"
      this.#sections.push(isHidden && this.#unread === 0)
      if (this.#sections.at(-1)) this.#unread++
    }
    if (unread.has(name)) this.#unread++
    if (this.#unread > 0) return
    const paragraph = this.#open.at(-1)
    if (name === "p" || name === "h") this.#startParagraph(name, attributes)
    else if (name === "span") this.#startSpan(attributes)
    else if (name === "content-control") this.#startControl(attributes)
    else if (name === "hidden-paragraph") {
      if (paragraph && attribute(attributes, "is-hidden") === "true") paragraph.isHidden = true
    } else if (name === "a") {
      const target = attribute(attributes, "href") ?? ""
      this.#links.push({ paragraph, start: paragraph?.text.length ?? 0, target })
    } else if (name === "s") this.#add(paragraph, " ".repeat(spaces(attributes)))
    else if (name === "tab") this.#add(paragraph, " ")
    else if (name === "title" || name === "desc") this.#add(paragraph, " ")
    else if (name === "line-break") this.#add(paragraph, "\n")
    else if (name === "list") this.#startList(attributes)
    else if (name === "list-item" || name === "list-header") {
      const list = this.#lists.at(-1)
      if (list) list.item = { start: getStart(attributes), hasNumber: name === "list-item" }
    } else if (name === "page") this.#outline.moveTo({ slide: ++this.#slide })
    else if (name === "notes" && this.#slide > 0) this.#outline.section("Notes")
    else if (name === "frame") this.#isTitle = attribute(attributes, "class") === "title"
    else if (name === "object") this.#addObject(attribute(attributes, "href"))
    else if (name === "annotation" && attribute(attributes, "encoding")?.startsWith("StarMath")) {
      this.#inFormula = true
      this.#open.push({ text: "", level: undefined, label: "", isHidden: false })
    } else this.#openTable(name, attributes)
  }

  text(text: string): void {
    if (this.#unread === 0) this.#add(this.#open.at(-1), text.replace(/\s+/g, " "))
  }

  close(name: string): void {
    if (this.#inStyles) {
      if (name === "automatic-styles") this.#inStyles = false
      return this.#styles.close(name)
    }
    const wasUnread = this.#unread > 0
    if (unread.has(name)) this.#unread--
    if (sectionNames.has(name) && this.#sections.pop()) this.#unread--
    if (wasUnread) return
    if (name === "p" || name === "h") this.#endParagraph()
    else if (name === "span" || name === "content-control") this.#endSpan()
    else if (name === "a") this.#endLink()
    else if (name === "title" || name === "desc") this.#add(this.#open.at(-1), " ")
    else if (name === "list") this.#lists.pop()
    else if (name === "frame") this.#isTitle = false
    else if (name === "annotation" && this.#inFormula) {
      this.#inFormula = false
      this.#endParagraph()
    } else this.#closeTable(name)
  }

  #add(paragraph: Paragraph | undefined, text: string): void {
    if (paragraph && !paragraph.isHidden) paragraph.text += text
  }

  #startParagraph(name: string, attributes: XmlAttributes): void {
    const style = attribute(attributes, "style-name")
    const isHidden = this.#styles.isHidden("paragraph", style) ?? false
    const level = name === "h" ? getLevel(attributes) : undefined
    const label = isHidden ? "" : this.#getLabel(style, level, attributes)
    this.#open.push({ text: "", level, label, isHidden })
  }

  #getLabel(style: string | undefined, level: number | undefined, attributes: XmlAttributes): string {
    if (this.#slide > 0) return ""
    const list = this.#lists.at(-1)
    if (!list) {
      const hasNumber = attribute(attributes, "is-list-header") !== "true"
      if (level === undefined || !hasNumber || this.#styles.getListStyle(style) === "") return ""
      const restarts = attribute(attributes, "restart-numbering") === "true"
      const start = restarts ? (getStart(attributes) ?? 1) : undefined
      return this.#styles.count(undefined, this.#headingCounts, level, start)
    }
    // A paragraph of a note isn't part of the list around the note.
    if (list.depth !== this.#open.length) return ""
    const { item } = list
    list.item = undefined
    if (!item?.hasNumber) return ""
    const listStyle = list.style ?? this.#styles.getListStyle(style) ?? ""
    return this.#styles.count(listStyle, list.counts, list.level, item.start)
  }

  #startList(attributes: XmlAttributes): void {
    const around = this.#lists.at(-1)
    const style = attribute(attributes, "style-name") ?? around?.style
    const level = (around?.level ?? 0) + 1
    const continued =
      this.#countsOfList.get(attribute(attributes, "continue-list") ?? "") ??
      (attribute(attributes, "continue-numbering") === "true"
        ? this.#countsOfStyle.get(style ?? "")
        : undefined)
    const counts = around?.counts ?? continued ?? []
    const continues = continued !== undefined || (around?.continues ?? false)
    if (around && !continues && counts.length > level) counts.length = level
    this.#lists.push({ level, style, counts, depth: this.#open.length, continues, item: undefined })
    const id = attribute(attributes, "id")
    if (id !== undefined) this.#countsOfList.set(id, counts)
    if (style !== undefined) this.#countsOfStyle.set(style, counts)
  }

  #startSpan(attributes: XmlAttributes): void {
    const paragraph = this.#open.at(-1)
    this.#spans.push(paragraph?.isHidden ?? false)
    const isHidden = this.#styles.isHidden("text", attribute(attributes, "style-name"))
    if (paragraph && isHidden !== undefined) paragraph.isHidden = isHidden
  }

  /** Starts a control of a form. The text of a check box is only a symbol. */
  #startControl(attributes: XmlAttributes): void {
    const paragraph = this.#open.at(-1)
    this.#spans.push(paragraph?.isHidden ?? false)
    if (!paragraph || attribute(attributes, "checkbox") !== "true") return
    this.#add(paragraph, attribute(attributes, "checked") === "true" ? "[x] " : "[ ] ")
    paragraph.isHidden = true
  }

  #endSpan(): void {
    const wasHidden = this.#spans.pop() ?? false
    const paragraph = this.#open.at(-1)
    if (paragraph) paragraph.isHidden = wasHidden
  }

  /** Adds a link's target after its text, unless the text is a heading or shows the target. */
  #endLink(): void {
    const link = this.#links.pop()
    const paragraph = this.#open.at(-1)
    if (!link || !paragraph || link.paragraph !== paragraph || paragraph.level !== undefined) return
    const shown = paragraph.text.slice(link.start)
    const target = shown.trim() === "" ? undefined : getLinkTarget(link.target, shown)
    if (target !== undefined) paragraph.text += ` (${target})`
  }

  #endParagraph(): void {
    const paragraph = this.#open.pop()
    if (!paragraph) return
    const { text, level, label } = paragraph
    const isEmpty = text.trim() === ""
    if (level !== undefined || this.#isTitle) {
      const number = isEmpty || label === bullet ? "" : label
      return this.#outline.heading(level ?? 1, number + text)
    }
    if (!isEmpty) this.#outline.paragraph(label + text)
    // In a column of numbers, the cells have no other text.
    else if (label !== "" && label !== bullet && this.#tables.length > 0) this.#outline.paragraph(label)
  }

  #openTable(name: string, attributes: XmlAttributes): void {
    const table = this.#tables.at(-1)
    if (name === "table") {
      this.#outline.startTable()
      const cell = { columns: 1, rows: 1, repeated: 1, isCovered: false }
      this.#tables.push({ row: 0, column: 0, cell, covers: new Map() })
    } else if (name === "table-header-rows") this.#headerRows++
    else if (name === "table-row") {
      this.#outline.startRow()
      if (table) Object.assign(table, { row: table.row + 1, column: 0 })
    } else if (name === "table-cell" || name === "covered-table-cell") {
      this.#outline.startCell()
      if (!table) return
      table.cell = {
        columns: Math.min(count(attributes, "number-columns-spanned"), maxSpan),
        rows: count(attributes, "number-rows-spanned"),
        repeated: Math.min(count(attributes, "number-columns-repeated"), maxRepeatedCells),
        isCovered: name === "covered-table-cell",
      }
    }
  }

  #closeTable(name: string): void {
    if (name === "table") {
      this.#outline.endTable()
      this.#tables.pop()
    } else if (name === "table-header-rows") this.#headerRows--
    else if (name === "table-row") this.#outline.endRow(this.#headerRows > 0)
    else if (name === "table-cell" || name === "covered-table-cell") this.#endCell()
  }

  #endCell(): void {
    const table = this.#tables.at(-1)
    if (!table) return
    const { row, covers, cell } = table
    if (!cell.isCovered) {
      const text = this.#outline.cellText
      const covered = cell.columns > 1 || cell.rows > 1 ? cell.columns : 0
      for (let index = 0; index < covered; index++)
        covers.set(table.column + index, { text, row, lastRow: row + cell.rows - 1 })
      this.#outline.repeatCell(cell.repeated - 1)
    }
    for (let index = 0; cell.isCovered && index < cell.repeated; index++) {
      if (index > 0) this.#outline.startCell()
      const cover = covers.get(table.column + index)
      if (cover && row <= cover.lastRow)
        this.#outline.coverCell(cover.text, cover.row === row ? "left" : "above")
    }
    table.column += cell.repeated
  }

  #addObject(reference: string | undefined): void {
    const folder = reference?.replace(/^\.\//, "")
    if (folder && this.objects.length < maxObjects) this.objects.push(folder)
  }
}

function getStart(attributes: XmlAttributes): number | undefined {
  const start = Number(attribute(attributes, "start-value") ?? Number.NaN)
  return start >= 0 && start < 2 ** 31 ? Math.floor(start) : undefined
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

/** A row with its number, from 1, and its repeat count. Its cells are in column order. Rows of hidden sheets aren't reported. */
export interface OpenRow<Value> {
  sheet: string
  row: number
  repeated: number
  isHidden: boolean
  cells: SheetCell<Value>[]
  hiddenColumns: HiddenColumns
  /** Areas that start in this row. */
  merged: MergedArea[]
}

interface OpenCellReading<Value> {
  /** Returns the value of a cell that displays this text. Cells without text are skipped. */
  text(text: string, attributes: XmlAttributes): Value
  /** Returns the value of a cell with a formula whose value isn't stored. */
  formula(formula: string): Value
}

/** Reads the sheets of an OpenDocument spreadsheet (ODF 1.3 part 3, 9) row by row. */
export class SheetOutline<Value> implements XmlHandler {
  /** Embedded documents, such as charts: their folder in the package, and their sheet. */
  readonly objects: { folder: string; sheet: string }[] = []
  hiddenSheets = 0
  readonly #hiddenStyles = new Set<string>()
  readonly #reading: OpenCellReading<Value>
  #rows: OpenRow<Value>[] = []
  #sheet = ""
  #style = ""
  #isHiddenSheet = false
  #hiddenColumns = new HiddenColumns()
  #tableColumn = 0
  #row = 0
  #isHiddenRow = false
  #merged: MergedArea[] = []
  #mergedCount = 0
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
      this.#isHiddenSheet = this.#hiddenStyles.has(attribute(attributes, "style-name") ?? "")
      if (this.#isHiddenSheet) this.hiddenSheets++
      this.#hiddenColumns = new HiddenColumns()
      this.#tableColumn = 0
    } else if (name === "style" && this.#tables === 0) this.#style = attribute(attributes, "name") ?? ""
    else if (name === "table-properties" && attribute(attributes, "display") === "false")
      this.#hiddenStyles.add(this.#style)
    else if (name === "table-column" && this.#tables === 1) {
      const first = this.#tableColumn
      this.#tableColumn += count(attributes, "number-columns-repeated")
      if (isHidden(attributes)) this.#hiddenColumns.hide(first, this.#tableColumn - 1)
    } else if (name === "table-row" && this.#tables === 1) {
      this.#isHiddenRow = isHidden(attributes)
      this.#merged = []
      this.#repeatedRows = count(attributes, "number-rows-repeated")
      this.#column = 0
      this.#cells = []
    } else if ((name === "table-cell" || name === "covered-table-cell") && this.#tables === 1) {
      this.#repeatedColumns = count(attributes, "number-columns-repeated")
      this.#text = ""
      this.#attributes = attributes
      if (isMerged(attributes))
        this.#merge(count(attributes, "number-columns-spanned"), count(attributes, "number-rows-spanned"))
    } else if (name === "p") {
      this.#paragraphs++
      if (this.#text !== "") this.#text += " "
    } else if (name === "object") {
      const folder = attribute(attributes, "href")?.replace(/^\.\//, "")
      if (folder && !this.#isHiddenSheet && this.objects.length < maxSheetObjects)
        this.objects.push({ folder, sheet: this.#sheet })
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

  #merge(columns: number, rows: number): void {
    if (this.#mergedCount++ >= maxMerged) return
    this.#merged.push({
      firstColumn: this.#column,
      lastColumn: this.#column + columns - 1,
      firstRow: this.#row,
      lastRow: this.#row + rows - 1,
    })
  }

  #endCell(): void {
    const text = this.#text.replace(/\s+/g, " ").trim()
    const formula = text === "" ? missingFormula(this.#attributes) : undefined
    const isEmpty = text === "" && formula === undefined
    const repeated = isEmpty || this.#isHiddenSheet ? 0 : Math.min(this.#repeatedColumns, maxRepeatedCells)
    for (let index = 0; index < repeated && this.#cells.length < maxCells; index++) {
      const value =
        formula === undefined ? this.#reading.text(text, this.#attributes) : this.#reading.formula(formula)
      this.#cells.push({ column: this.#column + index, value })
    }
    this.#column += this.#repeatedColumns
  }

  #endRow(): void {
    if (this.#cells.length > 0)
      this.#rows.push({
        sheet: this.#sheet,
        row: this.#row,
        repeated: this.#repeatedRows,
        isHidden: this.#isHiddenRow,
        cells: this.#cells,
        hiddenColumns: this.#hiddenColumns,
        merged: this.#merged,
      })
    this.#row += this.#repeatedRows
  }
}

/** Whether a cell covers others. Almost none do. */
function isMerged(attributes: XmlAttributes): boolean {
  for (const name in attributes) if (name.endsWith("-spanned") && attributes[name] !== "1") return true
  return false
}

/** Whether a row or column is hidden, unless a filter hides it. People who set a filter still see that the other rows exist. */
const isHidden = (attributes: XmlAttributes): boolean => attribute(attributes, "visibility") === "collapse"

/** Returns the formula of a cell if its value isn't stored: `=B2*1.22` for `of:=[.B2]*1.22`. */
function missingFormula(attributes: XmlAttributes): string | undefined {
  const formula = attribute(attributes, "formula")
  if (formula === undefined || attribute(attributes, "value-type") !== undefined) return undefined
  return formula
    .replace(/^\w+:/, "")
    .replace(/\[\.?([^\]]*)\]/g, (_, range: string) => range.replace(":.", ":"))
}

function count(attributes: XmlAttributes, name: string): number {
  const value = Number(attribute(attributes, name) ?? 1)
  return value >= 1 && value < 2 ** 31 ? Math.floor(value) : 1
}
