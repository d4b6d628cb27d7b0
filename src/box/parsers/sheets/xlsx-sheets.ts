import { CompoundArchive, isCompoundFile } from "../compound/compound-archive.ts"
import { createMemoryFile, type DocumentFile } from "../document/document-file.ts"
import type { ParseContext } from "../parser.ts"
import { type NumberFormats, openWorkbook } from "../xlsx/workbook.ts"
import { parseColumn, SheetReader, type CellReading, type ReadRow } from "../xlsx/sheet-reader.ts"
import {
  dayNumberToDate,
  parseDateText,
  maxCellLength,
  numberOrDigits,
  type CellValue,
  type MergedCells,
  type SheetsReader,
  type ValueRow,
} from "./sheet-rows.ts"

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
      const { xlsSheets } = await import("./xls-sheets.ts")
      yield* xlsSheets.read(input, context)
    }
  },
}

async function* readPackage(document: DocumentFile, context: Pick<ParseContext, "note">) {
  const { file, sheets, texts, formats } = await openWorkbook(document, context)
  for (const { name, part } of sheets) {
    const reader = new SheetReader(texts, createValueReading(formats))
    for await (const _ of file.steps(part, reader)) {
      const rows = reader.take()
      if (rows.length > 0) yield { sheet: name, rows: rows.map(toValueRow) }
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
})

function toValueRow({ row, cells }: ReadRow<CellValue>): ValueRow {
  const values: CellValue[] = []
  for (const { column, value } of cells) if (column >= 0) values[column] = value
  return { row, cells: values }
}

/** Converts a reference such as `A2:B5` to its first column, `A2:A5`, because the cells next to it have no value. */
function parseMergedCells(reference: string): MergedCells[] {
  const [, first = "", firstRow, lastRow] = /^([A-Z]{1,3})(\d+):[A-Z]{1,3}(\d+)$/.exec(reference) ?? []
  const merged = { column: parseColumn(first), firstRow: Number(firstRow), lastRow: Number(lastRow) }
  return merged.lastRow > merged.firstRow ? [merged] : []
}
