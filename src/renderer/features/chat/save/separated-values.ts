import { t } from "i18next"
import type { AnswerTable } from "./answer-table.ts"
import { originOf } from "./sources.ts"

/** What a spreadsheet may take for a formula, wide signs of East Asian keyboards included; a plain number with its sign is none. */
const formula = /^[\s]*[=+\-@＝＋－＠\t\r]/
const number = /^[+-]?\d[\d.,\s]*%?$/

/** A text that no spreadsheet carries out: an apostrophe before it has it taken for text. */
const harmless = (text: string): string => (formula.test(text) && !number.test(text) ? `'${text}` : text)

/** Rows with a last column that tells their sources, where there are any. */
export function rowsWithSources({ rows, sources }: AnswerTable): string[][] {
  if (sources.length === 0) return rows.map(({ cells }) => cells)
  const origins = new Map(sources.map((source) => [source.citation, originOf(source)]))
  return rows.map(({ cells, numbers }, index) => [
    ...cells,
    index === 0
      ? t("saving:sources")
      : [...new Set(numbers.flatMap((each) => origins.get(each) ?? []))].join("; "),
  ])
}

const inQuotes = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** Also where a program cuts at semicolons or tabs, a cell stays one. */
const quoted = (text: string): string => (/[",;\t\r\n]/.test(text) ? inQuotes(text) : text)

/** As RFC 4180 has it; the mark at the beginning tells Excel that it is UTF-8. */
export const toCsv = (table: AnswerTable): string =>
  `\uFEFF${rowsWithSources(table)
    .map((row) => row.map((cell) => quoted(harmless(cell))).join(","))
    .join("\r\n")}\r\n`

/** In the clipboard a quote at the beginning is taken off, with the one at the end, before a formula is looked for. */
const pasted = (text: string): string => (text.startsWith('"') ? inQuotes(text) : text)

/** For the clipboard, as spreadsheets paste it. */
export const toTabs = (table: AnswerTable): string =>
  rowsWithSources(table)
    .map((row) => row.map((cell) => pasted(harmless(cell.replaceAll(/\s+/g, " ").trim()))).join("\t"))
    .join("\n")
