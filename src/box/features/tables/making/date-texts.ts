/** Whether the first or the second number of 3/4/2025 is the day. */
export type DayOrder = "day-first" | "month-first"

/** How a text can be read as a date. `iso` means that the year comes first, which is unambiguous. */
export interface DateReading {
  iso: boolean
  dayFirst: boolean
  monthFirst: boolean
}

const none: DateReading = { iso: false, dayFirst: false, monthFirst: false }
const mayBeDate = /^\d{1,4}[./-]\d/
const yearFirst =
  /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ]+(\d{1,2}:\d\d(?::\d\d)?)(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?$/
const yearLast = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?:,?[T ]+(\d{1,2}:\d\d(?::\d\d)?))?$/

export function dateReading(text: string): DateReading {
  if (!mayBeDate.test(text)) return none
  if (parseDate(text, "day-first", yearFirst) !== null) return { ...none, iso: true }
  const dayFirst = parseDate(text, "day-first") !== null
  return { iso: false, dayFirst, monthFirst: !text.includes(".") && parseDate(text, "month-first") !== null }
}

/** Returns the text's date in ISO 8601 format, or null if the text isn't a date. */
export function parseDate(text: string, order: DayOrder, only?: RegExp): string | null {
  const first = yearFirst.exec(text)
  if (first) {
    const [, year = "", , month = "", day = "", time] = first
    return isoDate(Number(year), Number(month), Number(day), time)
  }
  const last = only ? null : yearLast.exec(text)
  if (!last) return null
  const [, one = "", mark, two = "", year = "", time] = last
  if (year.length === 2 && mark === "-") return null
  const isDayFirst = order === "day-first" || mark === "."
  return isoDate(fullYear(year), Number(isDayFirst ? two : one), Number(isDayFirst ? one : two), time)
}

/** Expands two-digit years: 00 to 69 become 2000 to 2069, and 70 to 99 become 1970 to 1999. */
const fullYear = (year: string): number =>
  year.length === 4 ? Number(year) : Number(year) + (Number(year) < 70 ? 2000 : 1900)

const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

function isoDate(year: number, month: number, day: number, time = ""): string | null {
  if (day < 1 || !(day <= (daysOfMonth[month - 1] ?? 0)) || (day === 29 && month === 2 && !isLeap(year)))
    return null
  const two = (part: number) => String(part).padStart(2, "0")
  const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`
  if (/^[0:]*$/.test(time)) return date
  const [hours = "", minutes = "", seconds = "00"] = time.split(":")
  return Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60
    ? `${date} ${hours.padStart(2, "0")}:${minutes}:${seconds}`
    : null
}
