import { csvMark, inertCell, quoteCell, type Cell } from "../../../shared/words/csv.ts"
import { formatField } from "./format.ts"

const plainNumber = /^[+-]?\d[\d.,\s]*%?$/

/** A plain number keeps its sign and stays a number. */
const harmless = (text: string): string => (plainNumber.test(text) ? text : inertCell(text))

/** Returns CSV (RFC 4180) whose text no spreadsheet runs as a formula. */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => row.map(field).join(",")).join("\r\n")

/** CSV for a file. Its byte order mark makes Excel read it as UTF-8. */
export const csvFile = (rows: readonly (readonly Cell[])[]): string => `${csvMark}${toCsv(rows)}\r\n`

function field(value: Cell): string {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const text = harmless(value)
  // The quotes keep a cell whole in programs that split at semicolons or tabs.
  return /[",;\t\r\n]/.test(text) ? quoteCell(text) : text
}

/** Tab-separated cells for the clipboard, in the number format that spreadsheets in the page's language paste. */
export function toTabs(rows: readonly (readonly Cell[])[]): string {
  const point = formatField(0.5).charAt(1)
  const written = (value: Cell) =>
    typeof value === "number"
      ? String(value).replace(".", point)
      : pasted(harmless((value ?? "").replaceAll(/\s+/g, " ").trim()))
  return rows.map((row) => row.map(written).join("\t")).join("\n")
}

/** When pasting, a leading quote is removed, with its closing one, before a formula is looked for. */
const pasted = (text: string): string => (text.startsWith('"') ? quoteCell(text) : text)
