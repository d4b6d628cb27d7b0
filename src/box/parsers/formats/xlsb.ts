import { CFB, read, type WorkBook } from "@e965/xlsx"
import { CompoundArchive, isCompoundFile } from "../compound/compound-archive.ts"
import { createMemoryFile, type DocumentFile } from "../document/document-file.ts"
import { describePackage, getRelationships, mainPart, OfficePackage } from "../office/office-package.ts"
import { failure, ParseFailure, type Parser } from "../parser.ts"
import type { SheetsReader } from "../sheets/sheet-rows.ts"
import { HiddenColumns } from "../table/sheet-layout.ts"
import type { Shift } from "../text/linear-math.ts"
import { boundRows, workbookBlocks, workbookRows, type ReadWorkbook, type XlsSheet } from "../xls/read-xls.ts"
import { markShiftedTexts, readFontShifts } from "../xlsb/shifted-texts.ts"
import { readSheetRelationships } from "../xlsb/binary-records.ts"
import { drawingBlocks } from "../xlsx/sheet-drawing.ts"
import { ZipArchive } from "../zip/zip-archive.ts"

/** The parts that the library reads. The others are pictures, macros and settings. */
const readParts =
  /^(\[content_types\]\.xml|_rels\/\.rels|xl\/(workbook|styles|sharedstrings|metadata|comments\d*)\.bin|xl\/_rels\/workbook\.bin\.rels|xl\/worksheets\/([^/]+\.bin|_rels\/[^/]+\.rels))$/i

const styles = /^xl\/styles\.bin$/i
const texts = /^xl\/sharedstrings\.bin$/i

/** Maximum bytes of these parts, of which the library makes several copies. */
const maxBytes = 2 ** 27

/** Reads Excel's binary workbooks (MS-XLSB): rows as Excel displays them, then comments. */
export const xlsb: Parser = {
  async *parse(input, context) {
    const { file, scan } = input
    if (await isCompoundFile(file)) {
      const { compoundFile } = await import("./compound-file.ts")
      return yield* compoundFile.parse(input, context)
    }
    const parts = await OfficePackage.open(file, context)
    if (scan?.picture !== undefined) return yield* parts.pictureText(scan.picture, context)
    await describePackage(parts, context)
    const drawings = await findDrawings(parts)
    const { sheets, date1904 } = await openXlsb(file)
    const withDrawings = sheets.map((sheet): XlsSheet => ({
      ...sheet,
      async *getFurther(rows, further) {
        for (const part of drawings.get(sheet.name) ?? []) yield* drawingBlocks(parts, part, rows, further)
      },
    }))
    yield* workbookBlocks({ date1904, sheets: withDrawings }, context)
  },
}

const maxWorkbookBytes = 2 ** 24

/** Returns the parts with the drawings of each sheet, by its name. */
async function findDrawings(file: OfficePackage): Promise<Map<string, string[]>> {
  const main = await mainPart(file, "xl/workbook.bin")
  const workbook = (await file.bytes(main, maxWorkbookBytes)) ?? Buffer.alloc(0)
  const related = await getRelationships(file, main)
  const drawings = new Map<string, string[]>()
  for (const [name, id] of readSheetRelationships(workbook)) {
    const sheet = related.find((relationship) => relationship.id === id)
    const parts = sheet ? await getRelationships(file, sheet.target) : []
    drawings.set(
      name,
      parts.flatMap(({ type, target }) => (type === "drawing" ? [target] : [])),
    )
  }
  return drawings
}

/** Reads the values of these workbooks, also of those with a password. */
export const xlsbSheets: SheetsReader = {
  async *read({ file, password }) {
    if (!(await isCompoundFile(file))) return yield* workbookRows(await openXlsb(file))
    const { decryptPackage } = await import("../passwords/encrypted-package.ts")
    const bytes = await decryptPackage(new CompoundArchive(file), password)
    yield* workbookRows(await openXlsb(createMemoryFile(bytes)))
  },
}

async function openXlsb(file: DocumentFile): Promise<ReadWorkbook> {
  const { SheetNames: names, Sheets: sheets, Workbook: properties } = parse(await repack(file))
  if (names.length === 0) throw failure("not_workbook")
  return {
    date1904: properties?.WBProps?.date1904 === true,
    sheets: names.map((name, index): XlsSheet => {
      const sheet = sheets[name]
      const hiddenColumns = new HiddenColumns()
      for (const [column, info] of Object.entries(sheet?.["!cols"] ?? []))
        if (info?.hidden) hiddenColumns.hide(Number(column), Number(column))
      const filter = sheet?.["!autofilter"] as { ref?: string } | undefined
      const [firstRow = 0, lastRow = -1] = (filter?.ref?.match(/\d+/g) ?? []).map((row) => Number(row) - 1)
      return {
        name,
        isHidden: (properties?.Sheets?.[index]?.Hidden ?? 0) > 0,
        hiddenColumns,
        // People who set a filter still see that the other rows exist.
        isHiddenRow: (row) => (row < firstRow || row > lastRow) && sheet?.["!rows"]?.[row]?.hidden === true,
        rows: boundRows(sheet?.["!data"] ?? []),
        merged: sheet?.["!merges"] ?? [],
      }
    }),
  }
}

/** Returns the parts that are read as an archive without compression, because the library doesn't limit what it unpacks. */
async function repack(file: DocumentFile): Promise<Buffer> {
  const archive = await ZipArchive.open(file)
  const container: unknown = CFB.utils.cfb_new()
  let length = 0
  let fonts: Shift[] = []
  // The texts are marked by the fonts.
  const parts = archive.list.toSorted(
    (a, b) => Number(texts.test(a.fileName)) - Number(texts.test(b.fileName)),
  )
  for (const { fileName } of parts) {
    if (!readParts.test(fileName)) continue
    const chunks: Buffer[] = []
    for await (const chunk of archive.read(fileName)) {
      if ((length += chunk.length) > maxBytes) throw failure("workbook_too_much_text")
      chunks.push(chunk)
    }
    const part = Buffer.concat(chunks)
    if (styles.test(fileName)) fonts = readFontShifts(part)
    const content = texts.test(fileName) ? markShiftedTexts(part, fonts) : part
    CFB.utils.cfb_add(container, `/${fileName}`, content)
  }
  if (!archive.has("xl/workbook.bin")) throw failure("not_workbook")
  return Buffer.from(CFB.write(container, { fileType: "zip", type: "buffer" }) as Uint8Array)
}

function parse(bytes: Buffer): WorkBook {
  try {
    return read(bytes, {
      type: "buffer",
      dense: true,
      cellFormula: false,
      cellHTML: false,
      // Also reads which columns are hidden.
      cellStyles: true,
      cellText: true,
      cellNF: true,
      bookVBA: false,
    })
  } catch (error) {
    throw error instanceof ParseFailure ? error : failure("workbook_damaged")
  }
}
