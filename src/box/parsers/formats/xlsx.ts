import { isCompoundFile, CompoundArchive } from "../compound/compound-archive.ts"
import { createMemoryFile, type DocumentFile } from "../document/document-file.ts"
import {
  OfficePackage,
  describePackage,
  getRelationships,
  readRelationships,
} from "../office/office-package.ts"
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
import {
  getColumnLetters,
  LeftOut,
  type HiddenColumns,
  type MergedArea,
  type SheetCell,
} from "../table/sheet-layout.ts"
import { addLinkTarget } from "../text/link-target.ts"
import { splitText } from "../text/split-text.ts"
import {
  findFilteredRows,
  readSheetView,
  SheetReader,
  type CellReading,
  parseColumn,
  type ReadRow,
} from "../xlsx/sheet-reader.ts"
import type { ComputedTexts } from "../xlsx/compute-formulas.ts"
import { drawingBlocks } from "../xlsx/sheet-drawing.ts"
import { type NumberFormats, openWorkbook, type Workbook } from "../xlsx/workbook.ts"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

/** Reads both of Excel's kinds of comments on the cells of one sheet. */
class CellComments implements XmlHandler {
  readonly blocks: Block[] = []
  readonly #rows: Pick<SheetRows, "sheet" | "getMark">
  #cell = ""
  #text = ""
  #inText = false

  constructor(rows: Pick<SheetRows, "sheet" | "getMark">) {
    this.#rows = rows
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
    const mark = this.#rows.getMark(row, parseColumn(this.#cell))
    if (mark === undefined) return
    const location = { sheet: this.#rows.sheet, ...(row > 0 ? { row } : {}) }
    for (const part of splitText(`${mark}Comment on ${this.#cell}: ${text}`, maxBlockCharacters)) {
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
    if (input.scan?.picture !== undefined) {
      const file = await OfficePackage.open(input.file, context)
      return yield* file.pictureText(input.scan.picture, context)
    }
    const workbook = await openWorkbook(input.file, context)
    const { file, sheets, hiddenSheets, texts, formats } = workbook
    await describePackage(file, context)
    const leftOut = new LeftOut(context)
    leftOut.sheets = hiddenSheets
    let computed: Promise<ComputedTexts | undefined> | undefined
    for (const [index, { name, part, isHidden: isHiddenSheet }] of sheets.entries()) {
      if (isHiddenSheet && !leftOut.isMarked) continue
      const formulas = new Set<string>()
      const reader = new SheetReader(texts, createTextReading(formats, formulas))
      const { merged, isHidden, getTarget } = await readView(file, part)
      const rows = new SheetRows(name, { isHiddenSheet, hidden: reader.hiddenColumns, merged, leftOut })
      for await (const _ of file.steps(part, reader)) {
        const getText = formulas.size > 0 ? await (computed ??= compute(workbook)) : undefined
        for (const read of reader.take()) {
          const { row } = read
          const cells = read.cells.map((cell) => {
            if (formulas.size === 0 || !formulas.delete(`${row} ${cell.column}`))
              return getTarget ? addTarget(cell, getTarget(row, cell.column)) : cell
            const text = getText?.(index, row, cell.column)
            if (text === undefined) leftOut.addFormula(name, row, cell.column)
            else leftOut.computed++
            return text === undefined ? cell : { ...cell, value: text }
          })
          yield* isHidden(read) ? rows.hiddenBlocks(row, cells) : rows.blocks(row, cells)
        }
      }
      yield* attachments(file, part, rows, context)
    }
    leftOut.note(context)
  },
}

interface View {
  merged: readonly MergedArea[]
  /** Whether a row is hidden, unless a filter hides it. People who set a filter still see that the other rows exist. */
  isHidden(row: Pick<ReadRow<unknown>, "row" | "isHidden">): boolean
  /** Returns the target of a cell's link, by its row from 1 and its column from 0. Absent if there are none. */
  getTarget?: (row: number, column: number) => string | undefined
}

function addTarget(cell: SheetCell, target: string | undefined): SheetCell {
  return target === undefined ? cell : { ...cell, value: addLinkTarget(cell.value, target) }
}

/** Reads what the reader of a sheet needs before its rows. */
async function readView(file: OfficePackage, part: string): Promise<View> {
  const { merged, filtered, links } = await readSheetView(file.preview(part))
  const related = await readRelationships(file, part)
  for (const { type, target } of related.parts) {
    if (type !== "table") continue
    const head = await readHead(file.preview(target))
    filtered.push(...findFilteredRows(head))
  }
  return {
    merged,
    isHidden: ({ row, isHidden }) =>
      isHidden && !filtered.some(({ firstRow, lastRow }) => row >= firstRow && row <= lastRow),
    ...(links.size > 0 && {
      getTarget: (row, column) => related.links.get(links.get(`${getColumnLetters(column)}${row}`) ?? ""),
    }),
  }
}

/** A table lists its filter first. */
async function readHead(chunks: AsyncIterable<Buffer>): Promise<string> {
  for await (const chunk of chunks) return chunk.toString("latin1")
  return ""
}

/** The engine is loaded with the first formula whose value isn't stored. */
async function compute(workbook: Workbook): Promise<ComputedTexts | undefined> {
  const { computeFormulas } = await import("../xlsx/compute-formulas.ts")
  return computeFormulas(workbook)
}

/**
 * Reads cells as Excel displays them, except for long numbers and dates.
 *
 * @param formulas receives the cells whose value isn't stored: row and column
 */
const createTextReading = (formats: NumberFormats, formulas: Set<string>): CellReading<string> => ({
  text: (text) => text,
  number: (value, style) => formats.show(value, style),
  boolean: (value) => (value ? "TRUE" : "FALSE"),
  date: (value) => showDate(value),
  error: (value) => value,
  formula(formula, { row, column }) {
    formulas.add(`${row} ${column}`)
    return formula
  },
})

/** Yields the content of a sheet other than its cells. */
async function* attachments(
  file: OfficePackage,
  part: string,
  rows: SheetRows,
  context: ParseContext,
): AsyncGenerator<Block, void, undefined> {
  for (const { type, target } of await getRelationships(file, part)) {
    if (type === "comments" || type === "threadedComment") {
      const comments = new CellComments(rows)
      await file.read(target, comments)
      yield* comments.blocks
    } else if (type === "drawing") yield* drawingBlocks(file, target, rows, context)
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
  for (const { name, part, isHidden: isHiddenSheet } of sheets) {
    if (isHiddenSheet) continue
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
