export type Cell = string | number | null

/** The beginning of a file: spreadsheets read it as UTF-8. */
export const csvMark = "\uFEFF"

/**
 * Where a spreadsheet may begin a cell: at the beginning of the text, of its lines, and after what other programs or languages cut at.
 * Quotes don't help, because a program that cuts at semicolons sees them in the middle of a cell. Full-width signs are those of East
 * Asian keyboards.
 */
const formulas = /(^|[;\t\r\n|])([\s"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g

/** A text that no spreadsheet runs as a formula: an apostrophe makes it text. */
export const inertCell = (text: string): string => text.replaceAll(formulas, "$1'$2")

/** A line as CSV (RFC 4180) without its end: every cell in quotes, and none that a spreadsheet runs. */
export const csvLine = (cells: readonly Cell[]): string =>
  cells.map((cell) => inQuotes(inertCell(String(cell ?? "")))).join(",")

export const inQuotes = (text: string): string => `"${text.replaceAll('"', '""')}"`
