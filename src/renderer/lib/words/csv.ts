import { formatField } from "./format.ts"

type Cell = string | number | null

/** As CSV (RFC 4180). Text that a spreadsheet would take for a formula begins with an apostrophe. */
export const toCsv = ({ head, rows }: { head: Cell[]; rows: Cell[][] }): string =>
  [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")

function cell(value: Cell): string {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const text = harmless(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const harmless = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

/** For the clipboard, as spreadsheets of the page's language paste it. */
export function toTabs(rows: Cell[][]): string {
  const point = formatField(0.5).charAt(1)
  const written = (value: Cell) =>
    typeof value === "number"
      ? String(value).replace(".", point)
      : harmless(value ?? "").replaceAll(/\s+/g, " ")
  return rows.map((row) => row.map(written).join("\t")).join("\n")
}
