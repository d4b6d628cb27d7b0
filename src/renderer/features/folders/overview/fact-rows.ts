import { t } from "i18next"
import type { Fact, FactKind } from "../../../../shared/contract/facts.ts"
import { hasYear } from "../../../lib/words/format-fact.ts"
import { formatLocation } from "../../../lib/words/format.ts"

type Cell = string | number | null

/** Facts as spreadsheet rows, starting with a header row, with exact values and the location of each fact. */
export function factRows(facts: readonly Fact[], kind: FactKind): Cell[][] {
  const values =
    kind === "amounts"
      ? [t("overview:column.amount"), t("overview:column.currency")]
      : [t("overview:column.date"), t("overview:column.otherDate"), t("overview:column.deadline")]
  const places = ["written", "sentence", "document", "place"] as const
  return [
    [...values, ...places.map((name) => t(`overview:column.${name}`))],
    ...facts.map((fact) => [
      ...getValues(fact),
      fact.text,
      fact.sentence,
      fact.fileName,
      formatLocation(fact.location),
    ]),
  ]
}

const getValues = (fact: Fact): Cell[] =>
  fact.kind === "amount"
    ? [fact.value, fact.currency]
    : // A spreadsheet would read a date without a year as a date in the current year.
      [hasYear(fact.date) ? fact.date : null, fact.otherDate, fact.isDeadline ? t("overview:yes") : ""]
