/** The decimal mark of a number: 1234.56 or 1234,56. */
export type DecimalMark = "dot" | "comma"

/** How a text can be read as a number. */
export interface NumberReading {
  dot: boolean
  comma: boolean
  /** Digits used as an identifier: with a leading zero, or more digits than a number can represent. */
  isName: boolean
}

const none: NumberReading = { dot: false, comma: false, isName: false }
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
  if (body === undefined) return none
  const dot = dotNumber.test(body)
  const comma = commaNumber.test(body)
  if (!dot && !comma) return none
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
