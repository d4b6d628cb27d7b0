import { t } from "i18next"
import type { AnswerTable } from "./answer-table.ts"
import { getOrigin } from "./read-answer.ts"

/** Rows with an extra last column for their sources, if there are any. */
export function rowsWithSources({ rows, sources }: AnswerTable): string[][] {
  if (sources.length === 0) return rows.map(({ cells }) => cells)
  const origins = new Map(sources.map((source) => [source.citation, getOrigin(source)]))
  return rows.map(({ cells, numbers }, index) => [
    ...cells,
    index === 0
      ? t("saving:sources")
      : [...new Set(numbers.flatMap((each) => origins.get(each) ?? []))].join("; "),
  ])
}
