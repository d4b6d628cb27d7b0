import type { FoundDate } from "./find-dates.ts"

/** The order of day and month in a document's numeric dates, if it can be determined. */
export interface DayOrder {
  visit(date: FoundDate): void
  /** Returns the date and, if it is ambiguous, its other reading. */
  settle(date: Pick<FoundDate, "date" | "monthFirst">): { date: string; otherDate: string | null }
}

/**
 * Determines the order from the document's other dates, or else from its language, which is detected once. Only English uses both orders.
 */
export function createDayOrder(getLanguage: () => string | undefined): DayOrder {
  const seen = { "day-first": 0, "month-first": 0 }
  let language: { spoken: string | undefined } | undefined
  return {
    visit({ dateOrder }) {
      if (dateOrder !== null) seen[dateOrder]++
    },
    settle({ date, monthFirst }) {
      if (monthFirst === null) return { date, otherDate: null }
      if (seen["day-first"] > 0 && seen["month-first"] === 0) return { date, otherDate: null }
      if (seen["month-first"] > 0 && seen["day-first"] === 0) return { date: monthFirst, otherDate: null }
      const { spoken } = (language ??= { spoken: getLanguage() })
      if (spoken !== undefined && spoken !== "en") return { date, otherDate: null }
      return { date, otherDate: monthFirst }
    },
  }
}
