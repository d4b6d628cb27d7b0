import { isCompoundFile, CompoundArchive } from "../compound/compound-archive.ts"
import { createMemoryFile, type DocumentFile } from "../document/document-file.ts"
import { type OfficePackage, describePackage, getRelationships } from "../office/office-package.ts"
import { ChartOutline, DrawingOutline } from "../ooxml/drawing-outline.ts"
import { type Block, maxBlockCharacters, type Parser, type ParseContext } from "../parser.ts"
import { showDate } from "../sheets/cell-text.ts"
import {
  dayNumberToDate,
  parseDateText,
  maxCellLength,
  numberOrDigits,
  type CellValue,
  type MergedCells,
  type SheetsReader,
  type ValueRow,
} from "../sheets/sheet-rows.ts"
import { SheetRows } from "../table/row-blocks.ts"
import { LeftOut, type HiddenColumns, type MergedArea } from "../table/sheet-layout.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { splitText } from "../text/split-text.ts"
import {
  findFilteredRows,
  readSheetView,
  SheetReader,
  type CellReading,
  parseColumn,
  type ReadRow,
} from "../xlsx/sheet-reader.ts"
import { type NumberFormats, openWorkbook } from "../xlsx/workbook.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

/** Reads both of Excel's kinds of comments on the cells of one sheet. */
class CellComments implements XmlHandler {
  readonly blocks: Block[] = []
  readonly #sheet: string
  readonly #isShown: (row: number, column: number) => boolean
  #cell = ""
  #text = ""
  #inText = false

  constructor(sheet: string, isShown: (row: number, column: number) => boolean) {
    this.#sheet = sheet
    this.#isShown = isShown
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "comment" || name === "threadedComment") {
      this.#cell = attributes["ref"] ?? ""
      this.#text = ""
    } else if (name === "t" || name === "text") this.#inText = true
  }

  text(text: string): void {
    if (this.#inText) this.#text += text
  }

  close(name: string): void {
    if (name === "t" || name === "text") this.#inText = false
    else if (name === "comment" || name === "threadedComment") this.#endComment()
  }

  #endComment(): void {
    const text = this.#text.replace(/\s+/g, " ").trim()
    if (text === "") return
    const row = Number(/\d+$/.exec(this.#cell)?.[0] ?? 0)
    if (!this.#isShown(row, parseColumn(this.#cell))) return
    const location = { sheet: this.#sheet, ...(row > 0 ? { row } : {}) }
    for (const part of splitText(`Comment on ${this.#cell}: ${text}`, maxBlockCharacters)) {
      this.blocks.push({ kind: "paragraph", text: part, location })
    }
  }
}

/** Reads Excel workbooks sheet by sheet: rows as Excel displays them, then comments, text boxes and charts. */
export const xlsx: Parser = {
  async *parse(input, context) {
    if (await isCompoundFile(input.file)) {
      const { compoundFile } = await import("./compound-file.ts")
      return yield* compoundFile.parse(input, context)
    }
    const { file, sheets, hiddenSheets, texts, formats } = await openWorkbook(input.file, context)
    await describePackage(file, context)
    const leftOut = new LeftOut()
    leftOut.sheets = hiddenSheets
    for (const { name, part } of sheets) {
      const reader = new SheetReader(texts, createTextReading(formats, leftOut))
      const { merged, isHidden } = await readView(file, part)
      const rows = new SheetRows(name, { hidden: reader.hiddenColumns, merged, leftOut })
      for await (const _ of file.steps(part, reader)) {
        for (const read of reader.take()) {
          if (isHidden(read)) rows.hideRow(read.row, read.cells)
          else yield* rows.blocks(read.row, read.cells)
        }
      }
      const isShown = (row: number, column: number) =>
        !rows.hiddenRows.has(row) && !reader.hiddenColumns.has(column)
      yield* attachments(file, part, name, isShown)
    }
    leftOut.note(context)
  },
}

interface View {
  merged: readonly MergedArea[]
  /** Whether a row is hidden, unless a filter hides it. People who set a filter still see that the other rows exist. */
  isHidden(row: Pick<ReadRow<unknown>, "row" | "isHidden">): boolean
}

/** Reads what the reader of a sheet needs before its rows. */
async function readView(file: OfficePackage, part: string): Promise<View> {
  const { merged, filtered } = await readSheetView(file.preview(part))
  for (const { type, target } of await getRelationships(file, part)) {
    if (type !== "table") continue
    const head = await readHead(file.preview(target))
    filtered.push(...findFilteredRows(head))
  }
  return {
    merged,
    isHidden: ({ row, isHidden }) =>
      isHidden && !filtered.some(({ firstRow, lastRow }) => row >= firstRow && row <= lastRow),
  }
}

/** A table lists its filter first. */
async function readHead(chunks: AsyncIterable<Buffer>): Promise<string> {
  for await (const chunk of chunks) return chunk.toString("latin1")
  return ""
}

/** Reads cells as Excel displays them, except for long numbers and dates. */
const createTextReading = (formats: NumberFormats, leftOut: LeftOut): CellReading<string> => ({
  text: (text) => text,
  number: (value, style) => formats.show(value, style),
  boolean: (value) => (value ? "TRUE" : "FALSE"),
  date: (value) => showDate(value),
  error: (value) => value,
  formula(formula) {
    leftOut.formulas++
    return formula
  },
})

/** Yields the content of a sheet other than its cells. */
async function* attachments(
  file: OfficePackage,
  part: string,
  sheet: string,
  isShown: (row: number, column: number) => boolean,
): AsyncGenerator<Block, void, undefined> {
  for (const { type, target } of await getRelationships(file, part)) {
    if (type === "comments" || type === "threadedComment") {
      const comments = new CellComments(sheet, isShown)
      await file.read(target, comments)
      yield* comments.blocks
    } else if (type === "drawing") {
      const outline = new FlowOutline({ sheet })
      await file.read(target, new DrawingOutline(outline))
      for (const chart of await getRelationships(file, target)) {
        if (chart.type === "chart") await file.read(chart.target, new ChartOutline(outline))
        else if (chart.type === "diagramData") await file.read(chart.target, new DrawingOutline(outline))
      }
      yield* outline.take()
    }
  }
}

/** Reads Excel workbooks. */
export const xlsxSheets: SheetsReader = {
  async *read(input, context) {
    if (await isCompoundFile(input.file)) yield* compoundSheets.read(input, context)
    else yield* readPackage(input.file, context)
  },
}

/** Reads Excel workbooks up to 2003, and later ones with a password, which use the same container. */
export const compoundSheets: SheetsReader = {
  async *read(input, context) {
    const archive = (await isCompoundFile(input.file)) ? new CompoundArchive(input.file) : null
    if (archive?.has("EncryptedPackage")) {
      const { decryptPackage } = await import("../passwords/encrypted-package.ts")
      yield* readPackage(createMemoryFile(await decryptPackage(archive, input.password)), context)
    } else {
      const { xlsSheets } = await import("../xls/read-xls.ts")
      yield* xlsSheets.read(input, context)
    }
  },
}

async function* readPackage(document: DocumentFile, context: Pick<ParseContext, "note">) {
  const { file, sheets, texts, formats } = await openWorkbook(document, context)
  for (const { name, part } of sheets) {
    const reader = new SheetReader(texts, createValueReading(formats))
    const { isHidden } = await readView(file, part)
    for await (const _ of file.steps(part, reader)) {
      const rows = reader.take().filter((row) => !isHidden(row))
      if (rows.length > 0)
        yield { sheet: name, rows: rows.map((row) => toValueRow(row, reader.hiddenColumns)) }
    }
    yield { sheet: name, rows: [], merged: reader.merged.flatMap(parseMergedCells) }
  }
}

const createValueReading = (formats: NumberFormats): CellReading<CellValue> => ({
  text: (text) => text.slice(0, maxCellLength),
  number(written, style) {
    const value = numberOrDigits(written)
    return typeof value === "number" && formats.isDate(style)
      ? dayNumberToDate(value, formats.date1904)
      : value
  },
  boolean: (value) => value,
  date: parseDateText,
  error: () => undefined,
  formula: () => undefined,
})

function toValueRow({ row, cells }: ReadRow<CellValue>, hidden: HiddenColumns): ValueRow {
  const values: CellValue[] = []
  for (const { column, value } of cells) if (column >= 0 && !hidden.has(column)) values[column] = value
  return { row, cells: values }
}

/** Converts a reference such as `A2:B5` to its first column, `A2:A5`, because the cells next to it have no value. */
function parseMergedCells(reference: string): MergedCells[] {
  const [, first = "", firstRow, lastRow] = /^([A-Z]{1,3})(\d+):[A-Z]{1,3}(\d+)$/.exec(reference) ?? []
  const merged = { column: parseColumn(first), firstRow: Number(firstRow), lastRow: Number(lastRow) }
  return merged.lastRow > merged.firstRow ? [merged] : []
}
