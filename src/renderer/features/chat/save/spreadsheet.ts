import { t } from "i18next"
import writeExcelFile, { type Cell, type SheetData } from "write-excel-file/browser"
import { type AnswerTable, getOrigin, rowsWithSources } from "./read-answer.ts"

/** Excel's own limit. */
const maxCellLength = 32_767
const widest = 60

/** A number whose value matches the written text. Others, such as dates and codes, stay text. */
const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/

/** Every other cell is text, whatever it begins with, so no formula runs. */
const toCell = (text: string, bold: boolean): Cell => ({
  ...(number.test(text)
    ? { type: Number, value: Number(text) }
    : { type: String, value: text.slice(0, maxCellLength) }),
  wrap: true,
  alignVertical: "top",
  ...(bold && { fontWeight: "bold" }),
})

const getData = (rows: readonly string[][]): SheetData =>
  rows.map((row, index) => row.map((cell) => toCell(cell, index === 0)))

const measureColumns = (rows: readonly string[][]) =>
  (rows[0] ?? []).map((_, column) => ({
    width: Math.min(widest, Math.max(...rows.map((row) => (row[column] ?? "").length + 2))),
  }))

const getSheet = (sheet: string, rows: readonly string[][]) => ({
  sheet,
  data: getData(rows),
  columns: measureColumns(rows),
  stickyRowsCount: 1,
})

/** Returns a workbook with the table, and a second sheet with its sources and their text. */
export function toSpreadsheet(table: AnswerTable): Promise<Blob> {
  const sheets = [getSheet(t("saving:table.sheet"), rowsWithSources(table))]
  if (table.sources.length > 0) {
    const heading = [t("saving:table.number"), t("saving:table.origin"), t("saving:table.text")]
    const sources = table.sources.map((source) => [`${source.citation}`, getOrigin(source), source.text])
    sheets.push(getSheet(t("saving:sources"), [heading, ...sources]))
  }
  return writeExcelFile(sheets).toBlob()
}
