type Cell = string | number | null

/** As CSV (RFC 4180). Text that a spreadsheet would take for a formula begins with an apostrophe. */
export const toCsv = ({ head, rows }: { head: Cell[]; rows: Cell[][] }): string =>
  [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")

function cell(value: Cell): string {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
