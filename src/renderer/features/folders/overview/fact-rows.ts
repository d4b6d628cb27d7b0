import { t } from "i18next"
import type { Fact, FactKind } from "../../../../shared/contract/facts.ts"
import { hasYear } from "../../../lib/words/format-fact.ts"
import { formatLocation } from "../../../lib/words/format.ts"

type Cell = string | number | null

/** Facts as rows of a file that a spreadsheet opens, their heading first: exact values, and where each stands. */
export function factRows(facts: readonly Fact[], kind: FactKind): Cell[][] {
  const values =
    kind === "amounts"
      ? [t("overview:column.amount"), t("overview:column.currency")]
      : [t("overview:column.date"), t("overview:column.otherDate"), t("overview:column.deadline")]
  const places = ["written", "sentence", "document", "place"] as const
  return [
    [...values, ...places.map((name) => t(`overview:column.${name}`))],
    ...facts.map((fact) => [
      ...valuesOf(fact),
      fact.text,
      fact.sentence,
      fact.fileName,
      formatLocation(fact.location),
    ]),
  ]
}

const valuesOf = (fact: Fact): Cell[] =>
  fact.kind === "amount"
    ? [fact.value, fact.currency]
    : // A spreadsheet would take a day without its year for one of this year.
      [hasYear(fact.date) ? fact.date : null, fact.otherDate, fact.isDeadline ? t("overview:yes") : ""]
