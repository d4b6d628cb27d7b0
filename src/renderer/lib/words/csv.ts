import { csvMark, inertCell, inQuotes, type Cell } from "../../../shared/words/csv.ts"
import { formatField } from "./format.ts"

const plainNumber = /^[+-]?\d[\d.,\s]*%?$/

/** A plain number with its sign stays one. */
const harmless = (text: string): string => (plainNumber.test(text) ? text : inertCell(text))

/** As CSV (RFC 4180), with texts that no spreadsheet carries out. */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => row.map(field).join(",")).join("\r\n")

/** CSV to be saved: Excel takes it for UTF-8 by the mark at its beginning. */
export const csvFile = (rows: readonly (readonly Cell[])[]): string => `${csvMark}${toCsv(rows)}\r\n`

function field(value: Cell): string {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const text = harmless(value)
  // Also where a program cuts at semicolons or tabs, a cell stays one.
  return /[",;\t\r\n]/.test(text) ? inQuotes(text) : text
}

/** For the clipboard, as spreadsheets of the page's language paste it. */
export function toTabs(rows: readonly (readonly Cell[])[]): string {
  const point = formatField(0.5).charAt(1)
  const written = (value: Cell) =>
    typeof value === "number"
      ? String(value).replace(".", point)
      : pasted(harmless((value ?? "").replaceAll(/\s+/g, " ").trim()))
  return rows.map((row) => row.map(written).join("\t")).join("\n")
}

/** In the clipboard a quote at the beginning is taken off, with the one at the end, before a formula is looked for. */
const pasted = (text: string): string => (text.startsWith('"') ? inQuotes(text) : text)
