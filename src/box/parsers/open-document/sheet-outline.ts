import type { PartPicture } from "../office/office-package.ts"
import { HiddenColumns, type MergedArea, type SheetCell } from "../table/sheet-layout.ts"
import { joinShifted, type Shift } from "../text/linear-math.ts"
import { addLinkTarget } from "../text/link-target.ts"
import { attribute, type XmlAttributes, type XmlHandler } from "../xml/xml-events.ts"
import { getCount, getPicturePart, maxRepeatedCells } from "./open-outline.ts"
import { getShift } from "./open-styles.ts"

const maxCells = 16_384
const maxSheetObjects = 1000
/** Maximum comments between two steps. */
const maxSheetComments = 10_000
const maxMerged = 100_000
const unreadInSheets = new Set(["tracked-changes", "forms"])

/** A row with its number, from 1, and its repeat count. Its cells are in column order. */
export interface OpenRow<Value> {
  sheet: string
  isHiddenSheet: boolean
  row: number
  repeated: number
  isHidden: boolean
  cells: SheetCell<Value>[]
  hiddenColumns: HiddenColumns
  /** Areas that start in this row. */
  merged: MergedArea[]
}

export interface OpenCellReading<Value> {
  /** Returns the value of a cell that displays this text. Cells without text are skipped. */
  text(text: string, attributes: XmlAttributes): Value
  /** Returns the value of a cell with a formula whose value isn't stored. */
  formula(formula: string, place: { sheet: string; row: number; column: number }): Value
  /** Whether the targets of links follow their texts. */
  showsLinks?: true
}

/** A comment on a cell, with its row from 1 and its column from 0. */
export interface CellComment {
  sheet: string
  row: number
  column: number
  text: string
  isHidden: boolean
}

/** Reads the sheets of an OpenDocument spreadsheet (ODF 1.3 part 3, 9) row by row. */
export class SheetOutline<Value> implements XmlHandler {
  /** Embedded documents, such as charts: their folder in the package, and their sheet. */
  readonly objects: { folder: string; sheet: string; isHidden: boolean }[] = []
  /** Pictures since the last step, with their row from 1. */
  readonly pictures: PartPicture[] = []
  /** Comments on cells since the last step. */
  readonly comments: CellComment[] = []
  hiddenSheets = 0
  readonly #hiddenStyles = new Set<string>()
  readonly #shifts = new Map<string, Shift>()
  /** How the next text is shifted. */
  #nextShift: Shift
  /** The text of the open comment. */
  #comment: string | undefined
  readonly #reading: OpenCellReading<Value>
  readonly #readsHidden: boolean
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
  /** The open link, and where its text starts. */
  #link: { target: string; start: number } | undefined
  #paragraphs = 0
  #tables = 0
  #unread = 0

  /** @param readsHidden whether rows and objects of hidden sheets, and hidden pictures, are reported */
  constructor(reading: OpenCellReading<Value>, readsHidden = false) {
    this.#reading = reading
    this.#readsHidden = readsHidden
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
      this.#isHiddenRow = false
      this.#column = 0
      this.#isHiddenSheet = this.#hiddenStyles.has(attribute(attributes, "style-name") ?? "")
      if (this.#isHiddenSheet) this.hiddenSheets++
      this.#hiddenColumns = new HiddenColumns()
      this.#tableColumn = 0
    } else if (name === "style" && this.#tables === 0) this.#style = attribute(attributes, "name") ?? ""
    else if (name === "table-properties" && attribute(attributes, "display") === "false")
      this.#hiddenStyles.add(this.#style)
    else if (name === "table-column" && this.#tables === 1) {
      const first = this.#tableColumn
      this.#tableColumn += getCount(attributes, "number-columns-repeated")
      if (isHidden(attributes)) this.#hiddenColumns.hide(first, this.#tableColumn - 1)
    } else if (name === "table-row" && this.#tables === 1) {
      this.#isHiddenRow = isHidden(attributes)
      this.#merged = []
      this.#repeatedRows = getCount(attributes, "number-rows-repeated")
      this.#column = 0
      this.#cells = []
    } else if ((name === "table-cell" || name === "covered-table-cell") && this.#tables === 1) {
      this.#repeatedColumns = getCount(attributes, "number-columns-repeated")
      this.#text = ""
      this.#attributes = attributes
      if (isMerged(attributes))
        this.#merge(
          getCount(attributes, "number-columns-spanned"),
          getCount(attributes, "number-rows-spanned"),
        )
    } else if (name === "annotation") this.#comment = ""
    else if (name === "text-properties" && this.#tables === 0) {
      this.#shifts.set(this.#style, getShift(attribute(attributes, "text-position") ?? ""))
    } else if (name === "p") {
      this.#paragraphs++
      this.#addSpace()
    } else if (name === "span") {
      this.#nextShift = this.#shifts.get(attribute(attributes, "style-name") ?? "")
    } else if (name === "a" && this.#comment === undefined && this.#reading.showsLinks)
      this.#link = { target: attribute(attributes, "href") ?? "", start: this.#text.length }
    else if (name === "object") {
      const folder = attribute(attributes, "href")?.replace(/^\.\//, "")
      if (folder && !this.#isUnreadSheet && this.objects.length < maxSheetObjects)
        this.objects.push({ folder, sheet: this.#sheet, isHidden: this.#isHiddenSheet })
    } else if (name === "image") this.#addPicture(getPicturePart(attributes))
    else if (name === "s" || name === "tab" || name === "line-break") this.#addSpace()
  }

  #addSpace(): void {
    if (this.#comment !== undefined) this.#comment += " "
    else if (this.#text !== "") this.#text += " "
  }

  #addPicture(part: string | undefined): void {
    const isHidden = this.#isHiddenCell
    if (part === undefined || (isHidden && !this.#readsHidden)) return
    const location = { sheet: this.#sheet, row: this.#row, column: this.#column + 1 }
    if (this.pictures.length < maxSheetObjects) this.pictures.push({ part, location, isHidden })
  }

  text(text: string): void {
    if (this.#paragraphs === 0 || this.#unread > 0) return
    if (this.#comment !== undefined) this.#comment += text
    else this.#text = joinShifted(this.#text, text, this.#nextShift)
    this.#nextShift = undefined
  }

  close(name: string): void {
    if (unreadInSheets.has(name)) this.#unread--
    if (name === "p") this.#paragraphs--
    else if (name === "span") this.#nextShift = undefined
    else if (name === "a" && this.#link) this.#endLink(this.#link)
    else if (name === "annotation") this.#endComment()
    else if (name === "table") this.#tables--
    else if ((name === "table-cell" || name === "covered-table-cell") && this.#tables === 1) this.#endCell()
    else if (name === "table-row" && this.#tables === 1) this.#endRow()
  }

  #endLink({ target, start }: { target: string; start: number }): void {
    this.#link = undefined
    this.#text = this.#text.slice(0, start) + addLinkTarget(this.#text.slice(start), target)
  }

  #endComment(): void {
    const text = this.#comment?.replace(/\s+/g, " ").trim() ?? ""
    this.#comment = undefined
    const isHidden = this.#isHiddenCell
    if (text === "" || (isHidden && !this.#readsHidden) || this.comments.length >= maxSheetComments) return
    this.comments.push({ sheet: this.#sheet, row: this.#row, column: this.#column, text, isHidden })
  }

  get #isHiddenCell(): boolean {
    return this.#isHiddenSheet || this.#isHiddenRow || this.#hiddenColumns.has(this.#column)
  }

  get #isUnreadSheet(): boolean {
    return this.#isHiddenSheet && !this.#readsHidden
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
    const repeated = isEmpty || this.#isUnreadSheet ? 0 : Math.min(this.#repeatedColumns, maxRepeatedCells)
    for (let index = 0; index < repeated && this.#cells.length < maxCells; index++) {
      const value =
        formula === undefined
          ? this.#reading.text(text, this.#attributes)
          : this.#reading.formula(formula, {
              sheet: this.#sheet,
              row: this.#row,
              column: this.#column + index,
            })
      this.#cells.push({ column: this.#column + index, value })
    }
    this.#column += this.#repeatedColumns
  }

  #endRow(): void {
    if (this.#cells.length > 0)
      this.#rows.push({
        sheet: this.#sheet,
        isHiddenSheet: this.#isHiddenSheet,
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
