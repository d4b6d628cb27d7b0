/** Pairs of words for yes and no. A column uses the words of one pair. */
const truths = new Map<string, boolean>(
  ["true", "yes", "ja", "sì", "si", "vero", "wahr", "y", "j"]
    .map((word): [string, boolean] => [word, true])
    .concat(["false", "no", "nein", "falso", "falsch", "n"].map((word): [string, boolean] => [word, false])),
)

export const parseBoolean = (text: string): boolean | undefined =>
  text.length <= 6 ? truths.get(text.toLowerCase()) : undefined

/** Whether the text is a placeholder that people write in empty cells. */
export const isPlaceholder = (text: string): boolean =>
  /^(?:[-–—/?]+|n\/?a|n\.a\.|k\.\s?a\.|n\/d|n\.d\.|null|nan|none|#(?:N\/A|NV|N\/D|REF!|WERT!|VALUE!|DIV\/0!|NAME\?))$/i.test(
    text,
  )

/** The decimal mark of a number: 1234.56 or 1234,56. */
export type DecimalMark = "dot" | "comma"

/** How a text can be read as a number. */
export interface NumberReading {
  dot: boolean
  comma: boolean
  /** Digits used as an identifier: with a leading zero, or more digits than a number can represent. */
  isName: boolean
}

const noNumber: NumberReading = { dot: false, comma: false, isName: false }
const whole: NumberReading = { dot: true, comma: true, isName: false }
const name: NumberReading = { dot: false, comma: false, isName: true }

const integer = /^-?\d{1,15}$/
/** Fast path for plain numbers, which are the most common. */
const plain = /^-?(\d+)([.,])(\d+)$/
/** Characters allowed around the digits: a sign, brackets for negative numbers, a currency, a percent sign. */
const decorated =
  /^(\()?\s*([-+−])?\s*(?:[€$£]|EUR|USD|GBP|CHF|Fr\.)?\s*([-+−])?\s*([\d.,'’\u00a0\u202f ]*\d(?:[.,]-)?(?:[eE][-+]?\d{1,3})?)\s*(-)?\s*(%|[€$£]|EUR|USD|GBP|CHF)?\s*(\))?$/
const dotNumber = /^(?:[1-9]\d{0,2}(?:[,'’\u00a0\u202f ]\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d{1,3})?$/
const commaNumber = /^(?:[1-9]\d{0,2}(?:[.'’\u00a0\u202f ]\d{3})+|\d+)?(?:,(?:\d+|-))?(?:[eE][-+]?\d{1,3})?$/

/** Whether a trimmed text starts like a number. Rules out most other texts quickly. */
const mayBeNumber = /^[\d\-+−(€$£.,EUGCF]/

export function numberReading(text: string): NumberReading {
  if (integer.test(text)) return /^-?0\d/.test(text) ? name : whole
  if (/^[-+]?\d{16,}$/.test(text)) return name
  const simple = plain.exec(text)
  if (simple) return plainReading(simple[1] ?? "", simple[2] ?? "", simple[3] ?? "")
  const body = parseDigits(text)?.digits
  if (body === undefined) return noNumber
  const dot = dotNumber.test(body)
  const comma = commaNumber.test(body)
  if (!dot && !comma) return noNumber
  return /^0\d/.test(body) || /^\d{16,}$/.test(body) ? name : { dot, comma, isName: false }
}

function plainReading(whole: string, mark: string, fraction: string): NumberReading {
  if (/^0\d/.test(whole)) return name
  const mayGroup = fraction.length === 3 && whole.length <= 3 && !whole.startsWith("0")
  return { dot: mark === "." || mayGroup, comma: mark === "," || mayGroup, isName: false }
}

/** Returns the number in a text, or null if the text isn't a number with this decimal mark or is an identifier. */
export function toNumber(text: string, mark: DecimalMark): number | null {
  if (integer.test(text)) return /^-?0\d/.test(text) ? null : Number(text)
  const simple = plain.exec(text)
  if (simple && simple[2] === (mark === "dot" ? "." : ",") && !/^0\d/.test(simple[1] ?? ""))
    return Number(mark === "dot" ? text : text.replace(",", "."))
  const body = parseDigits(text)
  if (
    !body ||
    /^0\d|^\d{16,}$/.test(body.digits) ||
    !(mark === "dot" ? dotNumber : commaNumber).test(body.digits)
  )
    return null
  const digits =
    mark === "dot"
      ? body.digits.replace(/[,'’\s]/g, "")
      : body.digits
          .replace(/[.'’\s]/g, "")
          .replace(",-", "")
          .replace(",", ".")
  const number = Number(digits)
  if (!Number.isFinite(number)) return null
  const value = body.isPercent ? Number((number / 100).toPrecision(15)) : number
  return body.isNegative ? -value : value
}

function parseDigits(text: string): { digits: string; isNegative: boolean; isPercent: boolean } | undefined {
  if (text.length > 40 || !mayBeNumber.test(text)) return undefined
  const found = decorated.exec(text)
  if (!found) return undefined
  const [, opening, before, behind, digits = "", after, unit, closing] = found
  const signs = [before, behind, after].filter((sign) => sign !== undefined)
  if (signs.length > 1 || (opening === undefined) !== (closing === undefined)) return undefined
  const isNegative = opening !== undefined || (signs.length > 0 && signs[0] !== "+")
  return { digits, isNegative, isPercent: unit === "%" }
}

/** Whether the first or the second number of 3/4/2025 is the day. */
export type DayOrder = "day-first" | "month-first"

/** How a text can be read as a date. `iso` means that the year comes first, which is unambiguous. */
export interface DateReading {
  iso: boolean
  dayFirst: boolean
  monthFirst: boolean
}

const noDate: DateReading = { iso: false, dayFirst: false, monthFirst: false }
const mayBeDate = /^\d{1,4}[./-]\d/
const yearFirst =
  /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ]+(\d{1,2}:\d\d(?::\d\d)?)(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?$/
const yearLast = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?:,?[T ]+(\d{1,2}:\d\d(?::\d\d)?))?$/

export function dateReading(text: string): DateReading {
  if (!mayBeDate.test(text)) return noDate
  if (parseDate(text, "day-first", yearFirst) !== null) return { ...noDate, iso: true }
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
