import { findDigitRuns, isAsciiLetter, isDigit, type DigitRuns } from "../digit-runs.ts"

/** Month names in English, Italian, German, French and Spanish, with their abbreviations. */
const names = [
  "january jan januar jänner gennaio gen janvier janv enero ene",
  "february feb februar febr febbraio février fevrier févr fevr fév febrero",
  "march mar märz maerz mrz mär marzo mars",
  "april apr aprile avril avr abril abr",
  "may mai maggio mag mayo",
  "june jun juni giugno giu juin junio",
  "july jul juli luglio lug juillet juil julio",
  "august aug agosto ago août aout",
  "september sep sept settembre set septembre septiembre",
  "october oct oktober okt ottobre ott octobre octubre",
  "november nov novembre noviembre",
  "december dec dezember dez dicembre dic décembre déc decembre diciembre",
]

const months = new Map(
  names.flatMap((list, index) => list.split(" ").map((name): [string, number] => [name, index + 1])),
)

/** Returns the month from 1, or undefined for any other word. */
const monthNamed = (word: string): number | undefined => months.get(word.toLowerCase())

/** A date in a text. */
interface FoundDate {
  start: number
  end: number
  /** `2026-05-01`, `2026-05` without a day, or `--05-01` without a year. If the date is ambiguous, the reading with the day first. */
  date: string
  /** The reading with the month first, if the date is ambiguous. */
  monthFirst: string | null
  /** The evidence that a date gives about the order in this document: a date with slashes or hyphens and one number above 12. */
  dateOrder: "day-first" | "month-first" | null
}

// Each pattern is tried at one position, and every repetition is bounded, so the time per number in a text is limited.
const yearFirst = /(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)(?![-/.]\d)/y
const numericDate = /(\d{1,2})([./-]) ?(\d{1,2})\2 ?(\d{4}|\d{2})(?![\p{L}\d])(?![./-]\d)/uy
const dayMonthYear =
  /(\d{1,2})(?:st|nd|rd|th|er|º|°|ª)?[\s./-]{0,3}(?:(?:of|de|di)\s{1,3})?(\p{L}{3,12})[\s.,/-]{0,3}(?:(?:de|del|of)\s{1,3})?(\d{4})(?!\d)/uy
const dayYear = /(\d{1,2})(?:st|nd|rd|th)?,?\s{1,3}(\d{4})(?!\d)/y
const monthBefore = /(?<!\p{L})(\p{L}{3,12})\.?\s{1,3}$/u
const monthOfYearBefore = /(?<!\p{L})(\p{L}{3,12})(?:,?\s{1,3}|\s{1,3}(?:de|del|of)\s{1,3})$/u
const dayMonth =
  /(\d{1,2})(?:st|nd|rd|th|er|º|°|ª)?[\s./-]{0,3}(?:(?:of|de|di)\s{1,3})?(\p{L}{3,12})(?![\p{L}\d]|[\s.,/-]{1,3}(?:(?:de|del|of)\s{1,3})?\d{4})/uy
const day = /(\d{1,2})(?:st|nd|rd|th)?(?![\p{L}\d:%€$£]|[.,]\d|,?\s{1,3}\d{4}(?!\d))/uy
/** "In March 15 people came" */
const monthPhrase = /(?<!\p{L})(?:in|during|since|of)\s{1,3}\p{L}{3,12}\.?\s{1,3}$/iu
const year = /\d{4}(?!\d)(?![./-]\d)/y
const maxBefore = 24

/**
 * Returns every date in a text, in order. A date without a year must name its month in full.
 *
 * @param runs where the text has digits
 */
export function findDates(text: string, runs: DigitRuns = findDigitRuns(text)): FoundDate[] {
  const found: FoundDate[] = []
  let after = 0
  for (let run = 0; run < runs.length; run += 2) {
    const index = runs[run] ?? 0
    const end = runs[run + 1] ?? 0
    const length = end - index
    if (index < after || length > 4 || length === 3 || isInside(text, index)) continue
    if (!mayBeDate(text, index, end)) continue
    const date = length === 4 ? parseYearFirst(text, index) : parseDayFirst(text, index)
    if (!date) continue
    found.push(date)
    after = date.end
  }
  return found
}

/** Returns whether the position is inside a longer number, name or version. */
function isInside(text: string, index: number): boolean {
  const last = text.charCodeAt(index - 1)
  if (last < 0x80)
    return isAsciiLetter(last) || last === 0x5f || (isJoint(last) && isDigit(text.charCodeAt(index - 2)))
  return index > 0 && /\p{L}$/u.test(text.slice(Math.max(0, index - 2), index))
}

/** Whether the character can be between the parts of a number or version: `.,:/-`. */
const isJoint = (code: number) =>
  code === 0x2e || code === 0x2c || code === 0x3a || code === 0x2f || code === 0x2d

/**
 * Returns false if there is neither a separator nor a month next to the number, which is so for most numbers. The patterns for dates are
 * slow.
 */
function mayBeDate(text: string, index: number, end: number): boolean {
  const next = text.charCodeAt(end)
  if ((next === 0x2e || next === 0x2f || next === 0x2d) && hasDigitSoon(text, end + 1)) return true
  if (end - index === 4) return isMonthBefore(text, index)
  return isMonthBefore(text, index) || isMonthAfter(text, end)
}

const hasDigitSoon = (text: string, at: number) =>
  isDigit(text.charCodeAt(at)) || (text.charCodeAt(at) === 0x20 && isDigit(text.charCodeAt(at + 1)))

/** White space, and all other characters beyond ASCII up to the ideographs, which aren't looked at closely. */
const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d) || isRare(code)
const isRare = (code: number) =>
  (code >= 0x80 && code < 0x250) || (code >= 0x1680 && code <= 0x3000) || code === 0xfeff

const maxSpaces = 3
const maxMonthName = 12

function isMonthBefore(text: string, index: number): boolean {
  let at = index - 1
  while (at >= 0 && at >= index - maxSpaces && isSpace(text.charCodeAt(at))) at--
  if (at === index - 1) return false
  if (text.charCodeAt(at) === 0x2e || text.charCodeAt(at) === 0x2c) at--
  const end = at + 1
  while (at >= 0 && end - at <= maxMonthName && isAsciiLetter(text.charCodeAt(at))) at--
  const word = text.slice(at + 1, end)
  return isRare(text.charCodeAt(at)) || monthNamed(word) !== undefined || /^(?:de|del|of)$/.test(word)
}

const suffixes = new Set(["st", "nd", "rd", "th", "er", "of", "de", "di"])
const maxWords = 3

/** Looks at the next words, because an ordinal suffix and a preposition can precede the month. */
function isMonthAfter(text: string, end: number): boolean {
  let at = end
  for (let word = 0; word < maxWords; word++) {
    for (let space = 0; space < maxSpaces && isSeparator(text.charCodeAt(at)); space++) at++
    const start = at
    while (at - start <= maxMonthName && isAsciiLetter(text.charCodeAt(at))) at++
    if (isRare(text.charCodeAt(at)) || isRare(text.charCodeAt(start - 1))) return true
    const name = text.slice(start, at)
    if (monthNamed(name) !== undefined) return true
    const prefix = name.slice(0, 2)
    if (!suffixes.has(prefix)) return false
    if (name.length > 2 && monthNamed(name.slice(2)) !== undefined) return true
    if (name.length > 2) return false
  }
  return false
}

const isSeparator = (code: number) => isSpace(code) || code === 0x2e || code === 0x2f || code === 0x2d

function match(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index
  return pattern.exec(text)
}

function parseYearFirst(text: string, index: number): FoundDate | undefined {
  const numbers = match(yearFirst, text, index)
  if (numbers) {
    const [whole, y, , m, d] = numbers
    return toFoundDate(index, index + whole.length, isoDate(Number(y), Number(m), Number(d)))
  }
  if (!match(year, text, index)) return undefined
  const [before, name = ""] = monthOfYearBefore.exec(textBefore(text, index)) ?? []
  const month = monthNamed(name)
  const number = Number(text.slice(index, index + 4))
  // shorter names are also other words
  if (before === undefined || month === undefined || (name.length < 4 && name.toLowerCase() !== "may"))
    return undefined
  if (number < 1800 || number > 2200) return undefined
  return toFoundDate(index - before.length, index + 4, `${number}-${twoDigits(month)}`)
}

function parseDayFirst(text: string, index: number): FoundDate | undefined {
  const numbers = match(numericDate, text, index)
  if (numbers) return fromNumbers(numbers, index)
  const named = match(dayMonthYear, text, index)
  if (named) {
    const [whole, day, name = "", y] = named
    const month = monthNamed(name)
    const date = month === undefined ? undefined : isoDate(Number(y), month, Number(day))
    if (date !== undefined) return toFoundDate(index, index + whole.length, date)
  }
  const rest = match(dayYear, text, index)
  const [before, name = ""] = (rest && monthBefore.exec(textBefore(text, index))) ?? []
  const month = monthNamed(name)
  if (!rest || before === undefined || month === undefined) return parseDateWithoutYear(text, index)
  const [whole, day, y] = rest
  return toFoundDate(index - before.length, index + whole.length, isoDate(Number(y), month, Number(day)))
}

/** "15 March", "March 15th": the year can't be determined. */
function parseDateWithoutYear(text: string, index: number): FoundDate | undefined {
  const after = match(dayMonth, text, index)
  if (after && isInFull(after[2] ?? "")) {
    const [whole, number, name = ""] = after
    return toFoundDate(index, index + whole.length, yearlessDate(monthNamed(name), Number(number)))
  }
  const alone = match(day, text, index)
  const textBeforeDate = textBefore(text, index)
  const [before, name = ""] = (alone && monthBefore.exec(textBeforeDate)) ?? []
  // Only English puts the month first, with a capital letter.
  if (
    !alone ||
    before === undefined ||
    !/^\p{Lu}/u.test(name) ||
    !isInFull(name) ||
    monthPhrase.test(textBeforeDate)
  )
    return undefined
  const [whole, number] = alone
  return toFoundDate(
    index - before.length,
    index + whole.length,
    yearlessDate(monthNamed(name), Number(number)),
  )
}

/** Shorter names, and "may", are also other words. */
const isInFull = (name: string): boolean => name.length >= 4 || /^(?:May|[Mm]ai)$/.test(name)

/** Uses the ISO 8601 form without a year. 29 February is always allowed. */
function yearlessDate(month: number | undefined, day: number): string | undefined {
  const date = month === undefined ? undefined : isoDate(2000, month, day)
  return date && `-${date.slice(4)}`
}

const textBefore = (text: string, index: number) => text.slice(Math.max(0, index - maxBefore), index)

/** `1.5.2026`, `5/13/26`: with dots, the day always comes first. */
function fromNumbers(numbers: RegExpExecArray, start: number): FoundDate | undefined {
  const [whole, a = "", sign, b = "", y = ""] = numbers
  const end = start + whole.length
  // With a two-digit year it is probably something else, such as a section, a version or a phone number.
  if (y.length === 2 && (sign === "-" || (sign === "." && (a.length < 2 || b.length < 2)))) return undefined
  const yearInFull = y.length === 4 ? Number(y) : Number(y) + (Number(y) < 70 ? 2000 : 1900)
  const dayFirst = isoDate(yearInFull, Number(b), Number(a))
  if (sign === ".") return toFoundDate(start, end, dayFirst)
  const monthFirst = isoDate(yearInFull, Number(a), Number(b))
  if (dayFirst !== undefined && monthFirst !== undefined && dayFirst !== monthFirst)
    return { start, end, date: dayFirst, monthFirst, dateOrder: null }
  const found = toFoundDate(start, end, dayFirst ?? monthFirst)
  if (!found || dayFirst === monthFirst) return found
  return { ...found, dateOrder: dayFirst === undefined ? "month-first" : "day-first" }
}

const toFoundDate = (start: number, end: number, date: string | undefined): FoundDate | undefined =>
  date === undefined ? undefined : { start, end, date, monthFirst: null, dateOrder: null }

/** Returns undefined for an impossible date. */
function isoDate(fullYear: number, month: number, day: number): string | undefined {
  if (fullYear < 1000 || fullYear > 2999 || month < 1 || month > 12 || day < 1) return undefined
  const last = new Date(Date.UTC(fullYear, month, 0)).getUTCDate()
  return day > last ? undefined : `${fullYear}-${twoDigits(month)}-${twoDigits(day)}`
}

const twoDigits = (number: number) => String(number).padStart(2, "0")

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
  let language: { textLanguage: string | undefined } | undefined
  return {
    visit({ dateOrder }) {
      if (dateOrder !== null) seen[dateOrder]++
    },
    settle({ date, monthFirst }) {
      if (monthFirst === null) return { date, otherDate: null }
      if (seen["day-first"] > 0 && seen["month-first"] === 0) return { date, otherDate: null }
      if (seen["month-first"] > 0 && seen["day-first"] === 0) return { date: monthFirst, otherDate: null }
      const { textLanguage } = (language ??= { textLanguage: getLanguage() })
      if (textLanguage !== undefined && textLanguage !== "en") return { date, otherDate: null }
      return { date, otherDate: monthFirst }
    },
  }
}
