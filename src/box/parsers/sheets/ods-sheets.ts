import { SheetOutline, type OpenRow } from "../open-document/open-outline.ts"
import { openDocumentPackage } from "../office/office-package.ts"
import { attribute, type XmlAttributes } from "../xml/xml-events.ts"
import {
  parseDateText,
  maxCellLength,
  numberOrDigits,
  type CellValue,
  type SheetRowBatch,
  type SheetsReader,
  type ValueRow,
} from "./sheet-rows.ts"

/** Maximum count of a repeated row. A larger count means that the rows are only a background. */
const maxRepeated = 100_000

/** Reads OpenDocument spreadsheets. */
export const odsSheets: SheetsReader = {
  async *read({ file: bytes }, context) {
    const file = await openDocumentPackage(bytes, context)
    const outline = new SheetOutline(getValue)
    const sheets = new Set<string>()
    for await (const _ of file.steps("content.xml", outline)) {
      for (const row of outline.take()) {
        sheets.add(row.sheet)
        yield* repeated(row)
      }
    }
    for (const sheet of sheets) {
      const merged = outline.merged.filter((each) => each.sheet === sheet)
      const cells = merged.map(({ column, row, rows }) => ({
        column,
        firstRow: row,
        lastRow: row + rows - 1,
      }))
      yield { sheet, rows: [], merged: cells }
    }
  },
}

function* repeated({ sheet, row, repeated, cells }: OpenRow<CellValue>): Generator<SheetRowBatch> {
  const values: CellValue[] = []
  for (const { column, value } of cells) values[column] = value
  const rows: ValueRow[] = []
  for (let index = 0; index < Math.min(repeated, maxRepeated); index++)
    rows.push({ row: row + index, cells: values })
  yield { sheet, rows }
}

function getValue(text: string, attributes: XmlAttributes): CellValue {
  const type = attribute(attributes, "value-type")
  const value = attribute(attributes, "value") ?? ""
  if (type === "float" || type === "currency" || type === "percentage") return numberOrDigits(value)
  if (type === "boolean") return attribute(attributes, "boolean-value") === "true"
  if (type === "date") return parseDateText(attribute(attributes, "date-value") ?? text)
  return /^(#[A-Z/0!?]+|Err:\d+)$/.test(text) ? undefined : text.slice(0, maxCellLength)
}
