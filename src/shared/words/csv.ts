export type Cell = string | number | null

/** The byte order mark at the start of a file, which makes spreadsheets read it as UTF-8. */
export const csvMark = "\uFEFF"

/**
 * Positions where a spreadsheet may begin a cell: at the start of the text or of its lines, and after characters at which other programs or
 * locales split. Quotes don't help, because a program that splits at semicolons sees them within a cell. Full-width signs are those of East
 * Asian keyboards.
 */
const formulas = /(^|[;\t\r\n|])([\s"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g

/** Returns the text so that no spreadsheet runs it as a formula. An apostrophe marks it as text. */
export const inertCell = (text: string): string => text.replaceAll(formulas, "$1'$2")

/** Returns a CSV line (RFC 4180) without its line break. Every cell is quoted, and no spreadsheet runs any of them. */
export const csvLine = (cells: readonly Cell[]): string =>
  cells.map((cell) => quoteCell(inertCell(String(cell ?? "")))).join(",")

export const quoteCell = (text: string): string => `"${text.replaceAll('"', '""')}"`
