import { t } from "i18next"
import type { Fact, FactKind } from "../../../../shared/contract/facts.ts"
import { hasYear } from "../../../lib/words/format-fact.ts"
import { formatLocation } from "../../../lib/words/format.ts"

export interface FactOrder {
  by: "value" | "file"
  descending: boolean
}

/**
 * Returns the facts whose sentence, text or file contains all words of the filter, in this order. Equal facts keep their original order.
 */
export function arrangeFacts(facts: readonly Fact[], filter: string, { by, descending }: FactOrder): Fact[] {
  const words = filter.toLowerCase().split(/\s+/)
  const sign = descending ? -1 : 1
  return facts
    .filter((fact) => {
      const told = `${fact.sentence} ${fact.text} ${fact.fileName}`.toLowerCase()
      return words.every((word) => told.includes(word))
    })
    .toSorted(
      (a, b) =>
        yearsFirst(a, b, by) || sign * (by === "file" ? byText(a.fileName, b.fileName) : byValue(a, b)),
    )
}

const byText = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)

/** Dates without a year come last in both directions, because their position is unknown. */
const yearsFirst = (a: Fact, b: Fact, by: FactOrder["by"]): number =>
  by === "value" ? Number(isYearless(a)) - Number(isYearless(b)) : 0
const isYearless = (fact: Fact) => fact.kind === "date" && !hasYear(fact.date)

function byValue(a: Fact, b: Fact): number {
  if (a.kind === "date" && b.kind === "date") return byText(a.date, b.date)
  if (a.kind === "amount" && b.kind === "amount") return byText(a.currency, b.currency) || a.value - b.value
  return 0
}

/** The first press on a column sorts in ascending order, the next one in descending order. */
export const nextOrder = (order: FactOrder, by: FactOrder["by"]): FactOrder => ({
  by,
  descending: order.by === by && !order.descending,
})

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
