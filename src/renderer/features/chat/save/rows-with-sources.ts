import { t } from "i18next"
import { harmless, inQuotes } from "../../../lib/words/csv.ts"
import type { AnswerTable } from "./answer-table.ts"
import { originOf } from "./sources.ts"

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

/** In the clipboard a quote at the beginning is taken off, with the one at the end, before a formula is looked for. */
const pasted = (text: string): string => (text.startsWith('"') ? inQuotes(text) : text)

/** For the clipboard, as spreadsheets paste it. */
export const toTabs = (table: AnswerTable): string =>
  rowsWithSources(table)
    .map((row) => row.map((cell) => pasted(harmless(cell.replaceAll(/\s+/g, " ").trim()))).join("\t"))
    .join("\n")
