import type { FoundDate } from "./find-dates.ts"

/** How a document writes dates in numbers, as far as anything tells. */
export interface DayOrder {
  see(date: FoundDate): void
  /** Which date it is, and which it may be as well. */
  settle(date: Pick<FoundDate, "date" | "monthFirst">): { date: string; otherDate: string | null }
}

/**
 * Tells the order by the document's other dates, or else by its language, which is asked for once: English alone is written
 * both ways.
 */
export function createDayOrder(languageOf: () => string | undefined): DayOrder {
  const seen = { "day-first": 0, "month-first": 0 }
  let language: { spoken: string | undefined } | undefined
  return {
    see({ tells }) {
      if (tells !== null) seen[tells]++
    },
    settle({ date, monthFirst }) {
      if (monthFirst === null) return { date, otherDate: null }
      if (seen["day-first"] > 0 && seen["month-first"] === 0) return { date, otherDate: null }
      if (seen["month-first"] > 0 && seen["day-first"] === 0) return { date: monthFirst, otherDate: null }
      const { spoken } = (language ??= { spoken: languageOf() })
      if (spoken !== undefined && spoken !== "en") return { date, otherDate: null }
      return { date, otherDate: monthFirst }
    },
  }
}
