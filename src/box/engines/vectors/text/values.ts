import { findAmounts, findNumbers } from "../../../core/amounts/find-amounts.ts"
import { createDayOrder, findDates } from "../../../core/dates/find-dates.ts"
import { findDigitRuns } from "../../../core/digit-runs.ts"

/** A date, an amount of money or another number in a text. */
export interface TextValue {
  start: number
  end: number
  kind: "date" | "amount" | "number"
  /** The value, or both readings if it is ambiguous: `2024-03-05`, `1500`, `1234.5`. Without the sign. */
  readings: string[]
  /** ISO 4217; null unless it is an amount. */
  currency: string | null
  /** Whether it is written with separators or words, and not as a plain row of digits. */
  isFormatted: boolean
}

const isoLength = "2024-03-05".length

/**
 * Returns every date with a year, amount and number of a text. `getLanguage` is called if a date may have the day or the month first;
 * only a text in a language other than English decides that.
 */
export function findValues(text: string, getLanguage: () => string | undefined): TextValue[] {
  const runs = findDigitRuns(text)
  if (runs.length === 0) return []
  const found = findDates(text, runs)
  const order = createDayOrder(getLanguage)
  for (const date of found) order.visit(date)
  const dates = found
    .filter(({ date }) => date.length === isoLength)
    .map((one): TextValue => {
      const { date, otherDate } = order.settle(one)
      const readings = otherDate === null ? [date] : [date, otherDate]
      return { ...getSpan(one), kind: "date", readings, currency: null, isFormatted: true }
    })
  const amounts = findAmounts(text, runs).map((one): TextValue => {
    const { currency } = one
    return { ...getSpan(one), kind: "amount", readings: getReadings(one), currency, isFormatted: true }
  })
  const taken = [...found, ...amounts].sort((a, b) => a.start - b.start)
  let next = 0
  const numbers = findNumbers(text, runs)
    .filter(({ start, end }) => {
      while ((taken[next]?.end ?? Infinity) <= start) next++
      return (taken[next]?.start ?? Infinity) >= end
    })
    .map((one): TextValue => {
      const { isFormatted } = one
      return { ...getSpan(one), kind: "number", readings: getReadings(one), currency: null, isFormatted }
    })
  return [...dates, ...amounts, ...numbers]
}

const getSpan = ({ start, end }: { start: number; end: number }) => ({ start, end })

const getReadings = ({ value, otherValue }: { value: number; otherValue: number | null }) =>
  (otherValue === null ? [value] : [value, otherValue]).map((one) => String(Math.abs(one)))

/**
 * Returns the terms by which a value is found in every spelling. A date has the term of the same date in ISO 8601 format, and an amount
 * that of its number followed by the currency: `=20240305`, `=1500eur`. An amount is also found by its number alone.
 */
export function getValueTerms({ kind, readings, currency, isFormatted }: TextValue): string[] {
  if (kind === "date") return readings.map((date) => `=${date.replaceAll("-", "")}`)
  if (currency !== null) return readings.flatMap((value) => [`=${value}${currency.toLowerCase()}`, value])
  return isFormatted ? readings : []
}

/** A month of a year, or a day of any year, in a question. */
export interface PartialDate {
  start: number
  end: number
  /** Whether an ISO 8601 date belongs to it. */
  includes: (date: string) => boolean
  /** The terms of all its dates. */
  terms: string[]
}

/** A day without a year is looked for in this many years, up to the one after next. */
const yearsOfDay = 40
const daysOfMonth = 31

/** Returns every date without a day or a year in a question: `March 2024`, `5 March`. */
export function findPartialDates(text: string): PartialDate[] {
  return findDates(text).flatMap((one): PartialDate[] => {
    const { date } = one
    if (date.length === isoLength) return []
    const span = getSpan(one)
    if (!date.startsWith("-")) {
      const days = Array.from({ length: daysOfMonth }, (_, day) => String(day + 1).padStart(2, "0"))
      const terms = days.map((day) => `=${date.replace("-", "")}${day}`)
      return [{ ...span, includes: (other) => other.startsWith(date), terms }]
    }
    const last = new Date().getFullYear() + 2
    const years = Array.from({ length: yearsOfDay }, (_, back) => last - back)
    const terms = years.map((year) => `=${year}${date.replaceAll("-", "")}`)
    return [{ ...span, includes: (other) => other.endsWith(date.slice(1)), terms }]
  })
}
