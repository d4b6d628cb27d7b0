import { read, set_cptable, type CellObject, type Range } from "@e965/xlsx"
import { CompoundArchive, isCompoundFile } from "../compound/compound-archive.ts"
import { readWhole, type DocumentFile } from "../document/document-file.ts"
import { findPictureShapes, StoredPictures } from "../office-art/art-pictures.ts"
import { ArtRecords } from "../office-art/art-records.ts"
import {
  failure,
  maxBlockCharacters,
  maxPictureBytes,
  type Block,
  type OpenedInput,
  type ParseContext,
  type ParseFailure,
} from "../parser.ts"
import {
  BlockCipher,
  unlockBlocks,
  encryptedUnknown,
  excelOwnPassword,
  passwordNeeded,
} from "../passwords/block-keys.ts"
import { readPicture } from "../pictures/read-picture.ts"
import { createNumberDisplay, isDateFormat } from "../sheets/cell-text.ts"
import {
  dayNumberToDate,
  maxCellLength,
  numberOrDigits,
  type CellValue,
  type SheetRowBatch,
  type SheetsReader,
} from "../sheets/sheet-rows.ts"
import { SheetRows } from "../table/row-blocks.ts"
import { HiddenColumns, LeftOut, type MergedArea, type SheetCell } from "../table/sheet-layout.ts"
import { addLinkTarget } from "../text/link-target.ts"
import { splitText } from "../text/split-text.ts"
import { ShiftedTexts } from "./shifted-texts.ts"

const headBytes = 4
const blockBytes = 1024
const filePass = 0x2f
const endOfGlobals = 0x0a
const boundSheet = 0x85
/** A record type that readers skip. It replaces the FilePass record. */
const ignored = 0x99
/** BOF, FilePass and others are never encrypted (MS-XLS 2.2.10). */
const plain = new Set([0x809, filePass, 0xe1, 0x138, 0x194, 0x195, 0x196])
const rc4 = 1

/** Decrypts an Excel 97 to 2003 workbook in place, if it is encrypted. */
export function decryptWorkbook(workbook: Buffer, password: string | undefined): void {
  const found = findFilePass(workbook)
  if (!found) return
  if (found.length < 2 || found.readUInt16LE(0) !== rc4) throw encryptedUnknown()
  const getKey = unlockBlocks(found.subarray(2), password ?? excelOwnPassword)
  if (!getKey) throw passwordNeeded(password, "encrypted_workbook")
  const cipher = new BlockCipher(getKey, blockBytes)
  for (const { at, type, start, end } of records(workbook)) {
    if (type === filePass) workbook.writeUInt16LE(ignored, at)
    // The position of a sheet isn't encrypted.
    else if (!plain.has(type)) cipher.decrypt(workbook, type === boundSheet ? start + 4 : start, end)
  }
}

function findFilePass(workbook: Buffer): Buffer | undefined {
  for (const { type, start, end } of records(workbook)) {
    if (type === filePass) return workbook.subarray(start, end)
    if (type === endOfGlobals) return undefined
  }
  return undefined
}

function* records(
  workbook: Buffer,
): Generator<{ at: number; type: number; start: number; end: number }, void, undefined> {
  for (let at = 0; at + headBytes <= workbook.length;) {
    const start = at + headBytes
    const end = Math.min(workbook.length, start + workbook.readUInt16LE(at + 2))
    yield { at, type: workbook.readUInt16LE(at), start, end }
    at = end
  }
}

const firstRecord = 0x09
const versions = new Set<number | undefined>([0x00, 0x02, 0x04, 0x08])

/** A workbook that the library has read. */
export interface ReadWorkbook {
  sheets: XlsSheet[]
  date1904: boolean
}

/** A sheet of an Excel workbook: its rows of cells, if any, and its merged cells. */
export interface XlsSheet {
  name: string
  rows: readonly (readonly (CellObject | undefined)[] | undefined)[]
  merged: readonly Range[]
  isHidden: boolean
  hiddenColumns: HiddenColumns
  isHiddenRow(index: number): boolean
  /** Yields its content other than cells and comments. */
  getFurther?(rows: SheetRows, context: Pick<ParseContext, "pictures">): AsyncIterable<Block>
}

const columnInfo = 0x7d
const hiddenFlag = 1
const filterMode = 0x9b
const drawingGroup = 0xeb
const drawing = 0xec
const continuation = 0x3c
const font = 0x31
const sharedTexts = 0xfc
const sharedText = 0xfd

interface XlsView {
  hiddenColumns: HiddenColumns
  /** Whether a filter hides rows. */
  isFiltered: boolean
  /** The parts of its drawing. */
  drawing: Buffer[]
  /** Texts with raised or lowered characters. */
  shifted: { row: number; column: number; text: string }[]
}

const maxShifted = 1_000_000

interface XlsViews {
  sheets: XlsView[]
  /** The parts of the list of pictures. */
  pictures: Buffer[]
}

/**
 * Finds the hidden columns, filter, drawing and shifted texts of each sheet, in the order of their positions, like the library (MS-XLS 2.4.28, 2.4.53,
 * 2.4.118, 2.4.170 and 2.4.171).
 */
function findViews(workbook: Buffer): XlsViews {
  const sheets = new Map<number, XlsView>()
  const pictures: Buffer[] = []
  let current: XlsView | undefined
  let continued: Buffer[] | undefined
  const texts = new ShiftedTexts()
  for (const { at, type, start, end } of records(workbook)) {
    current = sheets.get(at) ?? current
    if (type === drawingGroup) continued = pictures
    else if (type === drawing) continued = current?.drawing
    else if (type === sharedTexts) continued = texts.table
    else if (type !== continuation) continued = undefined
    if (continued) continued.push(workbook.subarray(start, end))
    else if (type === boundSheet && end - start >= 4)
      sheets.set(workbook.readUInt32LE(start), {
        hiddenColumns: new HiddenColumns(),
        isFiltered: false,
        drawing: [],
        shifted: [],
      })
    else if (type === font) texts.addFont(workbook.subarray(start, end))
    else if (type === sharedText && current && end - start >= 10) {
      const text = texts.get(workbook.readUInt32LE(start + 6))
      const [row, column] = [workbook.readUInt16LE(start), workbook.readUInt16LE(start + 2)]
      if (text !== undefined && current.shifted.length < maxShifted)
        current.shifted.push({ row, column, text })
    } else if (type === filterMode && current) current.isFiltered = true
    else if (
      type === columnInfo &&
      end - start >= 10 &&
      (workbook.readUInt16LE(start + 8) & hiddenFlag) !== 0
    )
      current?.hiddenColumns.hide(workbook.readUInt16LE(start), workbook.readUInt16LE(start + 2))
  }
  return { sheets: [...sheets].toSorted(([a], [b]) => a - b).map(([, view]) => view), pictures }
}

/** Returns the pictures that the sheets of a workbook share. */
function openPictures(parts: readonly Buffer[]): StoredPictures {
  const records = new ArtRecords(Buffer.concat(parts))
  return new StoredPictures(records, { start: 0, end: records.bytes.length })
}

/** Yields blocks for the pictures of a sheet. */
async function* pictureBlocks(
  parts: readonly Buffer[],
  pictures: StoredPictures,
  rows: SheetRows,
  context: Pick<ParseContext, "pictures">,
): AsyncGenerator<Block, void, undefined> {
  const records = new ArtRecords(Buffer.concat(parts))
  for (const { picture, row, column } of findPictureShapes(records, {
    start: 0,
    end: records.bytes.length,
  })) {
    const mark = rows.getMark(row + 1, column)
    if (mark === undefined) continue
    const location = { sheet: rows.sheet, row: row + 1, column: column + 1 }
    yield* pictures.see(picture, { location, isHidden: mark !== "" }, context)
  }
}

/** Opens a workbook of Excel 2 to 2003. */
export async function openXls(workbook: Buffer, password?: string): Promise<ReadWorkbook> {
  // Excel's records start like this in every version. The library would otherwise try other formats.
  if (workbook[0] !== firstRecord || !versions.has(workbook[1])) throw damaged()
  decryptWorkbook(workbook, password)
  if (!isUnicode(workbook)) set_cptable(await import("@e965/xlsx/dist/cpexcel.full.mjs"))
  const { SheetNames: names, Sheets: sheets, Workbook: properties } = parse(workbook)
  if (names.length === 0) throw damaged()
  const views = findViews(workbook)
  let pictures: StoredPictures | undefined
  return {
    date1904: properties?.WBProps?.date1904 === true,
    sheets: names.map((name, index) => {
      const view = views.sheets[index]
      const rows = boundRows(sheets[name]?.["!data"] ?? [])
      for (const { row, column, text } of view?.shifted ?? []) {
        const cell = rows[row]?.[column]
        if (cell?.t === "s") Object.assign(cell, { v: text, w: text })
      }
      return {
        name,
        isHidden: (properties?.Sheets?.find((sheet) => sheet.name === name)?.Hidden ?? 0) > 0,
        hiddenColumns: view?.hiddenColumns ?? new HiddenColumns(),
        // People who set a filter still see that the other rows exist.
        isHiddenRow: (row) => view?.isFiltered !== true && sheets[name]?.["!rows"]?.[row]?.hidden === true,
        rows,
        merged: sheets[name]?.["!merges"] ?? [],
        async *getFurther(rows, context) {
          if (!context.pictures || !view || view.drawing.length === 0) return
          pictures ??= openPictures(views.pictures)
          yield* pictureBlocks(view.drawing, pictures, rows, context)
        },
      }
    }),
  }
}

type Row = (CellObject | undefined)[] | undefined

/** The largest sheet of Excel. */
const maxRows = 2 ** 20
const maxColumns = 2 ** 14

/** Cuts rows to what a sheet can have, because a damaged position makes an array of billions of cells, most of them holes. */
export function boundRows(rows: Row[]): Row[] {
  if (rows.length > maxRows) rows.length = maxRows
  // Holes are skipped.
  rows.forEach((cells) => {
    if (cells && cells.length > maxColumns) cells.length = maxColumns
  })
  return rows
}

/** Yields the blocks of each sheet: rows as Excel displays them, then comments. */
export async function* readXls(
  workbook: Buffer,
  context: Pick<ParseContext, "note" | "marksHidden" | "ocr" | "pictures">,
  { password, scan }: Pick<OpenedInput, "password" | "scan"> = {},
): AsyncGenerator<Block, void, undefined> {
  if (scan?.picture === undefined) return yield* workbookBlocks(await openXls(workbook, password), context)
  decryptWorkbook(workbook, password)
  const pictures = openPictures(findViews(workbook).pictures)
  yield* readPicture(pictures.load(Number(scan.picture), maxPictureBytes), context)
}

/** Yields the blocks of each sheet, with hidden parts left out or marked. */
export async function* workbookBlocks(
  { sheets, date1904 }: ReadWorkbook,
  context: Pick<ParseContext, "note" | "marksHidden" | "pictures">,
): AsyncGenerator<Block, void, undefined> {
  const getText = createTextReading(date1904)
  const leftOut = new LeftOut(context)
  leftOut.sheets = sheets.filter((sheet) => sheet.isHidden).length
  for (const sheet of sheets) {
    const { name, rows: data, merged, isHidden: isHiddenSheet, hiddenColumns, isHiddenRow } = sheet
    if (isHiddenSheet && !leftOut.isMarked) continue
    const layout = { isHiddenSheet, hidden: hiddenColumns, merged: merged.map(toMergedArea), leftOut }
    const rows = new SheetRows(name, layout)
    const comments: { row: number; column: number; text: string }[] = []
    for (const [index, row] of data.entries()) {
      if (!row) continue
      const cells: SheetCell[] = []
      for (const [column, cell] of row.entries()) {
        if (!cell) continue
        const text = addLinkTarget(getText(cell), cell.l?.Target)
        if (cell.t !== "z" && text !== "") cells.push({ column, value: text })
        for (const { t: comment } of cell.c ?? [])
          comments.push({ row: index + 1, column, text: comment.trim() })
      }
      yield* isHiddenRow(index) ? rows.hiddenBlocks(index + 1, cells) : rows.blocks(index + 1, cells)
    }
    for (const { row, column, text } of comments) {
      const mark = rows.getMark(row, column)
      if (mark === undefined) continue
      for (const part of splitText(`${mark}Comment: ${text}`, maxBlockCharacters))
        yield { kind: "paragraph", text: part, location: { sheet: name, row } }
    }
    if (sheet.getFurther) yield* sheet.getFurther(rows, context)
  }
  leftOut.note(context)
}

const toMergedArea = ({ s: start, e: end }: Range): MergedArea => ({
  firstColumn: start.c,
  lastColumn: end.c,
  firstRow: start.r + 1,
  lastRow: end.r + 1,
})

/** Returns a function that shows cells as Excel does, except for long numbers and dates. */
function createTextReading(date1904: boolean): (cell: CellObject) => string {
  const displays = new Map<string | number, (value: string) => string>()
  return ({ t: type, v: value, w: text, z: format = "General" }) => {
    if (type !== "n" || typeof value !== "number") return text ?? (value === undefined ? "" : String(value))
    let display = displays.get(format)
    if (!display) displays.set(format, (display = createNumberDisplay(format, date1904)))
    return display(String(value))
  }
}

/** Excel 97 and later need no code page tables, which take longer to load than most workbooks take to read. */
const isUnicode = (workbook: Buffer): boolean =>
  workbook[1] === 0x08 && workbook.length > 6 && workbook.readUInt16LE(4) === 0x0600

function parse(workbook: Buffer): ReturnType<typeof read> {
  try {
    return read(workbook, {
      type: "buffer",
      dense: true,
      cellFormula: false,
      cellHTML: false,
      cellStyles: false,
      cellText: true,
      cellNF: true,
      bookVBA: false,
    })
  } catch {
    throw damaged()
  }
}

function damaged(): ParseFailure {
  return failure("workbook_damaged")
}

/** Reads Excel 2 to 2003. */
export const xlsSheets: SheetsReader = {
  async *read({ file, password }) {
    yield* workbookRows(await openXls(await getWorkbook(file), password))
  },
}

/** Yields the values of each sheet that isn't hidden. */
export function* workbookRows({ sheets, date1904 }: ReadWorkbook): Generator<SheetRowBatch, void, undefined> {
  for (const { name, rows, merged, isHidden, hiddenColumns, isHiddenRow } of sheets) {
    if (isHidden) continue
    const toValue = (cell: CellObject | undefined, column: number) =>
      hiddenColumns.has(column) ? undefined : getValue(cell, date1904)
    yield {
      sheet: name,
      rows: rows.flatMap((cells, index) =>
        cells && !isHiddenRow(index) ? [{ row: index + 1, cells: cells.map(toValue) }] : [],
      ),
      merged: merged.flatMap(({ s: start, e: end }) =>
        end.r > start.r ? [{ column: start.c, firstRow: start.r + 1, lastRow: end.r + 1 }] : [],
      ),
    }
  }
}

async function getWorkbook(file: DocumentFile): Promise<Buffer> {
  if (!(await isCompoundFile(file))) return readWhole(file)
  const archive = new CompoundArchive(file)
  const workbook = archive.read("Workbook") ?? archive.read("Book")
  if (!workbook) throw failure("not_workbook")
  return workbook
}

function getValue(cell: CellObject | undefined, date1904: boolean): CellValue {
  const value = cell?.v
  if (typeof value === "string" && cell?.t === "s") return value.slice(0, maxCellLength)
  if (typeof value === "boolean") return value
  if (typeof value !== "number" || cell?.t !== "n") return undefined
  if (isDateFormat(cell.z ?? "")) return dayNumberToDate(value, date1904)
  return numberOrDigits(String(value))
}
