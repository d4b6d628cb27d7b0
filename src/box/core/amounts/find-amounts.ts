import { findDigitRuns, isAsciiLetter, isDigit, type DigitRuns } from "../digit-runs.ts"

const byCode =
  "EUR USD GBP CHF JPY CAD AUD NZD CNY INR SEK NOK DKK PLN CZK HUF RON BGN TRY RUB BRL MXN ZAR KRW SGD HKD"
const bySign: Record<string, string> = {
  "€": "EUR",
  $: "USD",
  us$: "USD",
  a$: "AUD",
  c$: "CAD",
  "£": "GBP",
  "¥": "JPY",
  "₹": "INR",
  "₽": "RUB",
  zł: "PLN",
  "fr.": "CHF",
  "sfr.": "CHF",
  sfr: "CHF",
}
const byName: Record<string, string> = {
  euro: "EUR",
  euros: "EUR",
  dollar: "USD",
  dollars: "USD",
  dollari: "USD",
  dólares: "USD",
  sterling: "GBP",
  sterline: "GBP",
  franken: "CHF",
  franchi: "CHF",
  yen: "JPY",
}

const known = new Map([
  ...byCode.split(" ").map((code): [string, string] => [code.toLowerCase(), code]),
  ...Object.entries(bySign),
  ...Object.entries(byName),
])

const findCurrency = (written: string): string | undefined =>
  known.get(written.toLowerCase().replace(/^(?:pounds|pfund) /, ""))

const codes = byCode.split(" ").join("|")
/** Codes that people also type in lower case; others are also words. */
const typedCodes = "eur|usd|gbp|chf"
/** Currency signs before a number, and after one. */
const signBefore = String.raw`(?:US|[AC])?\$|€|£|¥|₹|₽|S?Fr\.|SFr|${codes}|${typedCodes}|[Ee]uro|EURO`
const signAfter = String.raw`(?:US|[AC])?\$|€|£|¥|₹|₽|zł|S?Fr\.|SFr|${codes}|${typedCodes}|[Ee]uros?|EURO|[Dd]ollars?|[Dd]ollari|dólares|Franken|franchi|[Yy]en|(?:pounds |Pfund )?[Ss]terling|sterline`

/**
 * Parses a number written with dots, commas, spaces or apostrophes. The last of two different separators precedes the decimals. A single
 * separator before three digits separates thousands, except a dot in texts that use decimal dots, as with dollars or pounds. Returns
 * undefined for any other format.
 */
function parseNumber(text: string, writesDots: boolean): string | undefined {
  const plain = text.replaceAll(/[\s'’]/g, "")
  const dot = plain.lastIndexOf(".")
  const comma = plain.lastIndexOf(",")
  if (dot < 0 && comma < 0) return plain
  const sign = dot > comma ? "." : ","
  const last = Math.max(dot, comma)
  const isRepeated = plain.indexOf(sign) < last
  const hasBoth = dot >= 0 && comma >= 0
  const isThree = plain.length - last - 1 === 3
  if (isRepeated && (hasBoth || !isThree)) return undefined
  const isThousands = isRepeated || (!hasBoth && isThree && !(sign === "." && writesDots))
  if (isThousands) return plain.replaceAll(/[.,]/g, "")
  return `${plain.slice(0, last).replaceAll(/[.,]/g, "")}.${plain.slice(last + 1)}`
}

/** Shifts a decimal number by a number of places without the rounding error of multiplication. */
const shifted = (decimal: string, shift: number): number => Number(`${decimal}e${shift}`)

/** An amount of money in a text. */
export interface FoundAmount {
  start: number
  end: number
  value: number
  /** The value if a single dot separates thousands, where it could also be the decimal point: `1.500 USD`. */
  otherValue: number | null
  currency: string
}

// Each pattern is tried at one position, and every repetition is bounded, so the time per number in a text is limited.
const number =
  /(?:\d{1,3}(?:[.,'’\u00A0\u202F\u2009 ]\d{3}(?!\d)){1,5}|\d{1,15}(?!\d))(?:[.,]\d{1,4}(?!\d))?(?:[.,][-–—]{1,2})?(?![.,]?\d)/y
const before = new RegExp(String.raw`(?<![\p{L}\d])(${signBefore})[^\S\n]{0,2}([-−–]?)$`, "u")
const minusBefore = /(?:^|[\s(|])[-−]$/
const behind = new RegExp(String.raw`[^\S\n]{0,2}(${signAfter})(?!\p{L})`, "uy")
const magnitudes: readonly [places: number, words: string][] = [
  [3, String.raw`k|T(?=€)|[Tt]sd\.?|[Tt]ausend|thousand|mila|mille|mil`],
  [6, String.raw`m|M|mn|mln\.?|[Mm]io\.?|[Mm]illion(?:en|s|i|e)?|milion[ei]|mill[oó]n(?:es)?`],
  [9, String.raw`bn|mld\.?|[Mm]rd\.?|billions?|Billions?|[Mm]illiarden?|milliards?|miliard[oi]`],
  [12, String.raw`tn|trillions?|Billionen`],
]
const magnitude = new RegExp(
  String.raw`[^\S\n]{0,2}(?:${magnitudes.map(([, words]) => `(${words})`).join("|")})(?!\p{L})(?:[^\S\n]{1,2}(?:of|di|de|d['’]))?`,
  "uy",
)
const maxBefore = 8

/** Words next to a number that can belong to an amount, in lower case. */
const amountWords = new Set([
  ...known.keys(),
  ..."pounds pfund fr us a c k t tsd tausend thousand mila mille mil m mn mln mio million millionen millions".split(
    " ",
  ),
  ..."millioni millione milione milioni millon millones bn mld mrd billion billions milliarde milliarden".split(
    " ",
  ),
  ..."milliard milliards miliardo miliardi tn trillion trillions billionen".split(" "),
])

/**
 * Returns every amount in a text that names its currency, in order.
 *
 * @param runs where the text has digits
 */
export function findAmounts(text: string, runs: DigitRuns = findDigitRuns(text)): FoundAmount[] {
  const found: FoundAmount[] = []
  let after = 0
  for (let run = 0; run < runs.length; run += 2) {
    const index = runs[run] ?? 0
    if (index < after || (runs[run + 1] ?? 0) - index > 15) continue
    if (!mayHaveSign(text, index) || isInside(text, index)) continue
    const amount = amountAt(text, index, found.at(-1)?.end ?? 0)
    if (!amount) continue
    found.push(amount)
    after = amount.end
  }
  return found
}

const maxSpaces = 3
const maxNumberLength = 40
const maxWord = 12

/** Returns false if there is no currency next to the number. Most numbers have none, and the patterns for currencies are slow. */
function mayHaveSign(text: string, index: number): boolean {
  let before = index - 1
  while (before >= index - maxSpaces && isBesideNumber(text.charCodeAt(before))) before--
  if (isSignOrWordEnd(text, before)) return true
  let end = index + 1
  while (end < index + maxNumberLength && isInsideNumber(text.charCodeAt(end))) end++
  return isSignOrWordStart(text, end)
}

/** Spaces and minus signs, with other punctuation from the same part of Unicode. */
const isBesideNumber = (code: number) =>
  code === 0x20 ||
  code === 0x2d ||
  (code >= 0x09 && code <= 0x0d && code !== 0x0a) ||
  code === 0xa0 ||
  (code >= 0x2000 && code <= 0x206f) ||
  code === 0x2212
const isInsideNumber = (code: number) =>
  isDigit(code) || code === 0x2e || code === 0x2c || code === 0x27 || isBesideNumber(code)

/** Signs of currencies, and letters beyond ASCII that a word can contain. */
const isSign = (code: number) =>
  code === 0x24 || (code >= 0x80 && code < 0x250) || (code >= 0x20a0 && code <= 0x20cf)

function isSignOrWordEnd(text: string, last: number): boolean {
  const code = text.charCodeAt(last)
  if (isSign(code)) return true
  const end = code === 0x2e ? last : last + 1
  let at = end - 1
  while (end - at <= maxWord && isAsciiLetter(text.charCodeAt(at))) at--
  return at < end - 1 && amountWords.has(text.slice(at + 1, end).toLowerCase())
}

function isSignOrWordStart(text: string, start: number): boolean {
  let at = start
  while (at - start <= maxWord && isAsciiLetter(text.charCodeAt(at))) at++
  return isSign(text.charCodeAt(at)) || (at > start && amountWords.has(text.slice(start, at).toLowerCase()))
}

/** Returns whether the position is inside a longer number or name. A currency right before it is allowed: `EUR5`. */
function isInside(text: string, index: number): boolean {
  const last = text.slice(Math.max(0, index - maxBefore), index)
  return /[\p{L}_]$|\d[.,'’]$/u.test(last) && !before.test(last)
}

function amountAt(text: string, index: number, from: number): FoundAmount | undefined {
  const written = match(number, text, index)?.[0]
  if (written === undefined) return undefined
  const digits = written.replace(/[.,][-–—]{1,2}$/, "")
  let end = index + written.length
  const size = match(magnitude, text, end)
  const sized = size ? end + size[0].length : end
  const [ahead = "", sign, minus = ""] =
    before.exec(text.slice(Math.max(from, index - maxBefore), index)) ?? []
  const next = match(behind, text, sized) ?? match(behind, text, end)
  const currency = findCurrency(sign ?? next?.[1] ?? "")
  if (currency === undefined) return undefined
  const isSized = size !== null && (sign !== undefined || match(behind, text, sized) !== null)
  if (isSized) end = sized
  if (sign === undefined && next) end = next.index + next[0].length
  const start = index - ahead.length
  const isMinus = minus !== "" || minusBefore.test(text.slice(Math.max(0, start - 2), start))
  const shift = isSized ? (magnitudes[size.slice(1).findIndex((one) => one !== undefined)]?.[0] ?? 0) : 0
  const writesDots = currency === "USD" || currency === "GBP"
  const decimal = parseNumber(digits, writesDots)
  if (decimal === undefined) return undefined
  const signed = (written: string) => (isMinus ? -1 : 1) * shifted(written, shift)
  const other = writesDots ? parseNumber(digits, false) : decimal
  const trailing = /\s(?:of|di|de|d['’])$/.exec(text.slice(start, end))?.[0].length ?? 0
  return {
    start,
    end: end - trailing,
    value: signed(decimal),
    otherValue: other === undefined || other === decimal ? null : signed(other),
    currency,
  }
}

const namedCurrency = new RegExp(String.raw`(?<![\p{L}\d])(${signAfter})(?![\p{L}\d])`, "u")

/** Returns the currency that the header of a table's column names: `Total EUR`, `Importo (€)`. */
export function findColumnCurrency(header: string): string | undefined {
  const found = namedCurrency.exec(header)?.[1]
  return found === undefined ? undefined : findCurrency(found)
}

/** Returns the value of a cell that has nothing but a number, in a column of this currency. */
export function parseCellAmount(cell: string, currency: string): number | undefined {
  const [found, ...others] = findNumbers(cell)
  if (!found || others.length > 0) return undefined
  const before = cell.slice(0, found.start).trim()
  if (cell.slice(found.end).trim() !== "" || !/^[-−]?$/.test(before)) return undefined
  const writesDots = currency === "USD" || currency === "GBP"
  const value = writesDots ? (found.otherValue ?? found.value) : found.value
  return before === "" ? value : -value
}

/** A number in a text. `isFormatted`: it has separators, so it isn't a plain row of digits. */
export interface FoundNumber {
  start: number
  end: number
  value: number
  /** The value if a single dot is the decimal point, where it could also separate thousands: `1.500`. */
  otherValue: number | null
  isFormatted: boolean
}

/** Without ordinary spaces, which also separate the cells of a table and numbers in a list. */
const bareNumber =
  /(?:\d{1,3}(?:[.,'’\u00A0\u202F\u2009]\d{3}(?!\d)){1,5}|\d{1,15}(?!\d))(?:[.,]\d{1,4}(?!\d))?(?:[.,][-–—]{1,2})?(?![\p{L}\d%_/:-]|[.,]\d)/uy

const isPart = /[\p{L}_#/]$|[^\s(|]-$|\d[.,'’:]$/u

/**
 * Returns every number in a text that isn't part of a name, a version, a time or a percentage, in order.
 *
 * @param runs where the text has digits
 */
export function findNumbers(text: string, runs: DigitRuns = findDigitRuns(text)): FoundNumber[] {
  const found: FoundNumber[] = []
  let after = 0
  for (let run = 0; run < runs.length; run += 2) {
    const index = runs[run] ?? 0
    const end = runs[run + 1] ?? 0
    if (index < after || end - index > 15) continue
    if (text.charCodeAt(index - 1) !== 0x20 && isPart.test(text.slice(Math.max(0, index - 2), index)))
      continue
    if (isPlainEnd(text.charCodeAt(end))) {
      const value = Number(text.slice(index, end))
      found.push({ start: index, end, value, otherValue: null, isFormatted: false })
      after = end
      continue
    }
    const written = match(bareNumber, text, index)?.[0]
    const plain = written?.replace(/[.,][-–—]{1,2}$/, "")
    const decimal = plain === undefined ? undefined : parseNumber(plain, false)
    if (written === undefined || plain === undefined || decimal === undefined) continue
    after = index + written.length
    const other = parseNumber(plain, true)
    found.push({
      start: index,
      end: after,
      value: Number(decimal),
      otherValue: other === undefined || other === decimal ? null : Number(other),
      isFormatted: plain.length !== end - index,
    })
  }
  return found
}

/** Whether a number ends before this character, whatever follows: the end of the text, a space, a line break, a bracket and the like. */
const isPlainEnd = (code: number) =>
  Number.isNaN(code) ||
  code === 0x20 ||
  code === 0x0a ||
  code === 0x29 ||
  code === 0x7c ||
  code === 0x3b ||
  code === 0x22

function match(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index
  return pattern.exec(text)
}
