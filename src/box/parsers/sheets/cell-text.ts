import { SSF } from "@e965/xlsx"
import { dayNumberToDate, parseDateText, type CellValue } from "./sheet-rows.ts"

const formatter = SSF as {
  format(format: string | number, value: number, options: { date1904: boolean }): string
  get_table(): Record<number, string>
}
/** Maximum length of a format. SSF could be slow above it, and Excel never writes such a format. */
const maxFormatCharacters = 255

/** Whole numbers of up to 21 digits are shown in full if all digits are stored, because they are usually article numbers, account numbers and the like. */
const maxWholeNumber = 1e17
const wholeNumber = /^-?\d{1,21}$/
/** General and Text, which Excel shortens to `4.00638E+12`. */
const unformatted = /^(?:general|@)$/i
const scientific = /^0(?:\.0+)?e[+-]0+$/i

/** How the numbers of one format are shown. */
type NumberDisplay = (value: string) => string

/**
 * Creates a function that shows numbers as a sheet does, with two exceptions: whole numbers in full, and dates in ISO 8601 format, because
 * `3/5/24` is in March or in May. A display with the name of the month, or without a day, follows in brackets.
 *
 * @param format a format's code, or the number of one of Excel's own
 */
export function createNumberDisplay(format: string | number, date1904: boolean): NumberDisplay {
  const code = typeof format === "number" ? (formatter.get_table()[format] ?? "General") : format
  if (code.length > maxFormatCharacters) return (value) => value
  if (unformatted.test(code)) return (value) => showGeneral(value)
  const show = (value: string, number: number): string => {
    if (!Number.isFinite(number)) return value
    try {
      return formatter.format(format, number, { date1904 })
    } catch {
      return value // An invalid format: the number itself is more useful than a failure.
    }
  }
  if (!isDateFormat(code)) {
    const isScientific = scientific.test(code)
    return (value) => (isScientific && wholeNumber.test(value) ? value : show(value, Number(value)))
  }
  const letters = formatLetters(code)
  const hasTime = /[hs]/.test(letters)
  const isAmbiguous = /(?<!d)d{1,2}(?!d)/.test(letters) && !/m{3}/.test(letters)
  return (value) => {
    const number = Number(value)
    const found = number >= 1 ? dayNumberToDate(number, date1904) : undefined
    if (typeof found !== "object") return show(value, number) || value
    const iso = hasTime ? shortenTime(found.date) : found.date.slice(0, 10)
    return isAmbiguous ? iso : withDisplay(iso, show(value, number))
  }
}

function showGeneral(value: string): string {
  if (value.length < 12 || wholeNumber.test(value)) return value
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  if (Number.isInteger(number) && Math.abs(number) < maxWholeNumber) return String(number)
  return formatter.format("General", number, { date1904: false })
}

/**
 * Returns the text of an OpenDocument or ISO 8601 date.
 *
 * @param display how the sheet shows it
 */
export function showDate(written: string, display = ""): string {
  const value: CellValue = parseDateText(written)
  if (typeof value === "string") return display || value
  const iso = /\d:\d/.test(display) || display === "" ? shortenTime(value.date) : value.date.slice(0, 10)
  const isAmbiguous = !/\p{L}{3}/u.test(display) && /\d\D+\d+\D+\d/.test(display)
  return isAmbiguous || !/[\p{L}\d]/u.test(display) ? iso : withDisplay(iso, display)
}

/**
 * Returns the text of a number in an OpenDocument sheet.
 *
 * @param written the number itself
 * @param display how the sheet shows it
 */
export function showNumber(written: string, display: string): string {
  const isShortened = /^#+$/.test(display) || /\d[Ee][+-]?\d+$/.test(display)
  return isShortened && Math.abs(Number(written)) < maxWholeNumber ? showGeneral(written) : display
}

const withDisplay = (iso: string, display: string): string =>
  display === "" || display === iso ? iso : `${iso} (${display})`

/** Leaves out seconds that are zero. */
const shortenTime = (date: string): string => date.replace(/(\d\d:\d\d):00$/, "$1")

/** Whether a format shows a day or a year. A format that only shows a time is for durations. */
export function isDateFormat(format: string | number): boolean {
  const code = typeof format === "number" ? (formatter.get_table()[format] ?? "") : format
  const letters = formatLetters(code)
  return !letters.startsWith("general") && /[dy]/.test(letters)
}

/** Returns a format without its literal texts, in lower case. */
const formatLetters = (format: string): string =>
  format
    .slice(0, maxFormatCharacters)
    .replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, "")
    .toLowerCase()
