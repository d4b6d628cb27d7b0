import type { CellObject } from "@e965/xlsx"
import { CompoundArchive, isCompoundFile } from "../compound/compound-archive.ts"
import { readWhole, type DocumentFile } from "../document/document-file.ts"
import { failure } from "../parser.ts"
import { isDateFormat } from "../xlsx/workbook.ts"
import { openXls } from "../xls/read-xls.ts"
import {
  dayNumberToDate,
  maxCellLength,
  numberOrDigits,
  type CellValue,
  type SheetsReader,
} from "./sheet-rows.ts"

/** Reads Excel 2 to 2003. */
export const xlsSheets: SheetsReader = {
  async *read({ file, password }) {
    const { sheets, date1904 } = await openXls(await getWorkbook(file), password)
    for (const { name, rows, merged } of sheets) {
      yield {
        sheet: name,
        rows: rows.flatMap((cells, index) =>
          cells ? [{ row: index + 1, cells: cells.map((cell) => getValue(cell, date1904)) }] : [],
        ),
        merged: merged.flatMap(({ s: start, e: end }) =>
          end.r > start.r ? [{ column: start.c, firstRow: start.r + 1, lastRow: end.r + 1 }] : [],
        ),
      }
    }
  },
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
  if (isDateFormat(String(cell.z ?? ""))) return dayNumberToDate(value, date1904)
  return numberOrDigits(String(value))
}
