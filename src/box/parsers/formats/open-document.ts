import { describePackage, openDocumentPackage, type OfficePackage } from "../office/office-package.ts"
import { OpenOutline } from "../open-document/open-outline.ts"
import { OpenStyles } from "../open-document/open-styles.ts"
import {
  SheetOutline,
  type CellComment,
  type OpenCellReading,
  type OpenRow,
} from "../open-document/sheet-outline.ts"
import { type Block, maxBlockCharacters, type ParseContext, type Parser } from "../parser.ts"
import { showDate, showNumber } from "../sheets/cell-text.ts"
import {
  parseDateText,
  maxCellLength,
  numberOrDigits,
  type CellValue,
  type MergedCells,
  type SheetRowBatch,
  type SheetsReader,
  type ValueRow,
} from "../sheets/sheet-rows.ts"
import { SheetRows } from "../table/row-blocks.ts"
import { getColumnLetters, LeftOut } from "../table/sheet-layout.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { addHiddenMark, HiddenText } from "../text/hidden-text.ts"
import { splitText } from "../text/split-text.ts"
import { type XmlAttributes, type XmlHandler, attribute } from "../xml/xml-events.ts"

const titles: Record<string, string> = { header: "Page header", footer: "Page footer" }

/** Reads styles, and headers and footers, which OpenDocument stores with the page styles (ODF 1.3 part 3, 16.9). */
class PageStyleOutline implements XmlHandler {
  readonly #outline: FlowOutline
  readonly #styles: OpenStyles
  readonly #inner: OpenOutline
  #inside = 0

  constructor(outline: FlowOutline, styles: OpenStyles, hidden: HiddenText) {
    this.#outline = outline
    this.#styles = styles
    this.#inner = new OpenOutline(outline, styles, hidden)
  }

  open(name: string, attributes: XmlAttributes): void {
    const title = titles[name.replace(/-(left|first)$/, "")]
    if (title) {
      this.#inside++
      this.#outline.section(title)
    } else if (this.#inside > 0) this.#inner.open(name, attributes)
    else this.#styles.open(name, attributes)
  }

  text(text: string): void {
    if (this.#inside > 0) this.#inner.text(text)
  }

  close(name: string): void {
    if (titles[name.replace(/-(left|first)$/, "")]) this.#inside--
    else if (this.#inside > 0) this.#inner.close(name)
    else this.#styles.close(name)
  }
}

/** Reads OpenDocument texts and presentations: headings, paragraphs, tables, notes, charts, headers and footers. */
export const openDocument: Parser = {
  async *parse({ file: bytes, scan }, context) {
    const file = await openDocumentPackage(bytes, context)
    if (scan?.picture !== undefined) return yield* file.pictureText(scan.picture, context)
    await describePackage(file, context)
    const styles = new OpenStyles()
    const hidden = new HiddenText(context)
    const pages = new FlowOutline({}, hidden)
    await file.read("styles.xml", new PageStyleOutline(pages, styles, hidden))
    const outline = new FlowOutline({}, hidden)
    const content = new OpenOutline(outline, styles, hidden, await readEquations(file))
    for await (const _ of file.steps("content.xml", content)) {
      yield* content.hiddenSlides.mark(outline.take())
      yield* pictureBlocks(file, content, context)
    }
    outline.moveTo({})
    for (const { folder, isHidden } of content.objects) {
      outline.section("Object")
      await file.read(`${folder}/content.xml`, new OpenOutline(outline))
      yield* isHidden ? outline.take().map(addHiddenMark) : outline.take()
    }
    yield* pages.take()
    hidden.note(context)
    content.hiddenSlides.note(context)
  },
}

/** Yields blocks for the pictures of the last step. */
async function* pictureBlocks(
  file: OfficePackage,
  { pictures }: Pick<OpenOutline, "pictures">,
  context: ParseContext,
): AsyncGenerator<Block, void, undefined> {
  for (const picture of pictures.splice(0)) yield* file.picture(picture, context)
}

const maxEquations = 1000

/** Reads the formulas of a document, which are small documents inside it, before their places. Returns them by their folder. */
async function readEquations(file: OfficePackage): Promise<Map<string, string>> {
  const equations = new Map<string, string>()
  const folders = file.parts.flatMap((part) => /^([^/]+)\/content\.xml$/.exec(part)?.[1] ?? [])
  for (const folder of folders.slice(0, maxEquations)) {
    const part = `${folder}/content.xml`
    const head = await file.head(part)
    if (!/<(?:\w+:)?math\b/.test(head)) continue
    const outline = new FlowOutline()
    await file.read(part, new OpenOutline(outline))
    const text = outline.take().map((block) => block.text)
    if (text.length > 0) equations.set(folder, text.join(" "))
  }
  return equations
}

/** Reads OpenDocument spreadsheets, sheet by sheet and row by row. */
export const ods: Parser = {
  async *parse({ file: bytes, scan }, context) {
    const file = await openDocumentPackage(bytes, context)
    if (scan?.picture !== undefined) return yield* file.pictureText(scan.picture, context)
    await describePackage(file, context)
    const leftOut = new LeftOut(context)
    const reading: OpenCellReading<string> = {
      text: getText,
      showsLinks: true,
      formula(formula, { sheet, row, column }) {
        leftOut.addFormula(sheet, row, column)
        return formula
      },
    }
    const sheets = new SheetOutline(reading, leftOut.isMarked)
    let rows = { sheet: "", of: new SheetRows("") }
    for await (const _ of file.steps("content.xml", sheets)) {
      // Repeated rows are read once, because the others add nothing.
      for (const read of sheets.take()) {
        const { sheet, isHiddenSheet, row, repeated, cells, merged } = read
        if (rows.sheet !== sheet)
          rows = { sheet, of: new SheetRows(sheet, { hidden: read.hiddenColumns, isHiddenSheet, leftOut }) }
        for (const area of merged) rows.of.merge(area)
        yield* read.isHidden ? rows.of.hiddenBlocks(row, cells, repeated) : rows.of.blocks(row, cells)
      }
      yield* commentBlocks(sheets.comments.splice(0))
      yield* pictureBlocks(file, sheets, context)
    }
    leftOut.sheets = sheets.hiddenSheets
    leftOut.note(context)
    for (const { folder, sheet, isHidden } of sheets.objects) {
      const outline = new FlowOutline({ sheet })
      await file.read(`${folder}/content.xml`, new OpenOutline(outline))
      yield* isHidden ? outline.take().map(addHiddenMark) : outline.take()
    }
  },
}

function* commentBlocks(comments: readonly CellComment[]): Generator<Block, void, undefined> {
  for (const { sheet, row, column, text, isHidden } of comments)
    for (const part of splitText(
      `Comment on ${getColumnLetters(column)}${row}: ${text}`,
      maxBlockCharacters,
    )) {
      const block: Block = { kind: "paragraph", text: part, location: { sheet, row } }
      yield isHidden ? addHiddenMark(block) : block
    }
}

/** Maximum count of a repeated row. A larger count means that the rows are only a background. */
const maxRepeated = 100_000

/** Reads OpenDocument spreadsheets. */
export const odsSheets: SheetsReader = {
  async *read({ file: bytes }, context) {
    const file = await openDocumentPackage(bytes, context)
    const outline = new SheetOutline<CellValue>({ text: getValue, formula: () => undefined })
    const merged = new Map<string, MergedCells[]>()
    for await (const _ of file.steps("content.xml", outline)) {
      for (const row of outline.take()) {
        const inSheet = merged.get(row.sheet) ?? []
        merged.set(row.sheet, inSheet)
        for (const { firstColumn: column, firstRow, lastRow } of row.merged)
          if (lastRow > firstRow) inSheet.push({ column, firstRow, lastRow })
        if (!row.isHidden) yield* repeated(row)
      }
    }
    for (const [sheet, cells] of merged) yield { sheet, rows: [], merged: cells }
  },
}

function* repeated({
  sheet,
  row,
  repeated,
  cells,
  hiddenColumns,
}: OpenRow<CellValue>): Generator<SheetRowBatch> {
  const values: CellValue[] = []
  for (const { column, value } of cells) if (!hiddenColumns.has(column)) values[column] = value
  const rows: ValueRow[] = []
  for (let index = 0; index < Math.min(repeated, maxRepeated); index++)
    rows.push({ row: row + index, cells: values })
  yield { sheet, rows }
}

/** Shows cells as the sheet does, except for long numbers and dates. */
function getText(text: string, attributes: XmlAttributes): string {
  // Most texts are neither, and attributes take long to find.
  if (!/[\d#]/.test(text)) return text
  const type = attribute(attributes, "value-type")
  if (type === "date") return showDate(attribute(attributes, "date-value") ?? text, text)
  if (type !== "float" || /^[\d.,-]{1,11}$/.test(text)) return text
  return showNumber(attribute(attributes, "value") ?? text, text)
}

function getValue(text: string, attributes: XmlAttributes): CellValue {
  const type = attribute(attributes, "value-type")
  const value = attribute(attributes, "value") ?? ""
  if (type === "float" || type === "currency" || type === "percentage") return numberOrDigits(value)
  if (type === "boolean") return attribute(attributes, "boolean-value") === "true"
  if (type === "date") return parseDateText(attribute(attributes, "date-value") ?? text)
  return /^(#[A-Z/0!?]+|Err:\d+)$/.test(text) ? undefined : text.slice(0, maxCellLength)
}
