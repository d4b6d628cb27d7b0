import { findAmounts, findNumbers } from "../../../core/amounts/find-amounts.ts"
import { createDayOrder, findDates } from "../../../core/dates/find-dates.ts"

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

const hasDigit = /\d/
const isoLength = "2024-03-05".length

/**
 * Returns every date with a year, amount and number of a text. `getLanguage` is called if a date may have the day or the month first;
 * only a text in a language other than English decides that.
 */
export function findValues(text: string, getLanguage: () => string | undefined): TextValue[] {
  if (!hasDigit.test(text)) return []
  const found = findDates(text)
  const order = createDayOrder(getLanguage)
  for (const date of found) order.visit(date)
  const dates = found
    .filter(({ date }) => date.length === isoLength)
    .map((one): TextValue => {
      const { date, otherDate } = order.settle(one)
      const readings = otherDate === null ? [date] : [date, otherDate]
      return { ...getSpan(one), kind: "date", readings, currency: null, isFormatted: true }
    })
  const amounts = findAmounts(text).map((one): TextValue => {
    const { currency } = one
    return { ...getSpan(one), kind: "amount", readings: getReadings(one), currency, isFormatted: true }
  })
  const taken = [...found, ...amounts].sort((a, b) => a.start - b.start)
  let next = 0
  const numbers = findNumbers(text)
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
