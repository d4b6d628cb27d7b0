import { SSF } from "@e965/xlsx"
import type { XmlAttributes, XmlHandler } from "../xml/xml-events.ts"

const formatter = SSF as {
  format(format: string | number, value: number, options: { date1904: boolean }): string
  get_table(): Record<number, string>
}
/** Maximum length of a format. SSF could be slow above it, and Excel never writes such a format. */
const maxFormatCharacters = 255

/** Reads a workbook's styles, and formats numbers as Excel displays them: dates, percentages, currencies. */
export class NumberFormats implements XmlHandler {
  /** Whether days count from 1904, as on old Macintoshes. */
  date1904 = false
  readonly #codes = new Map<number, string>()
  readonly #ofStyle: number[] = []
  readonly #dateStyles = new Map<number, boolean>()
  #inCellFormats = false

  open(name: string, attributes: XmlAttributes): void {
    if (name === "numFmt") this.#codes.set(Number(attributes["numFmtId"]), attributes["formatCode"] ?? "")
    else if (name === "cellXfs") this.#inCellFormats = true
    else if (name === "xf" && this.#inCellFormats) this.#ofStyle.push(Number(attributes["numFmtId"] ?? 0))
  }

  close(name: string): void {
    if (name === "cellXfs") this.#inCellFormats = false
  }

  /** @param style number of the cell's style */
  show(value: string, style: number): string {
    const id = this.#ofStyle[style] ?? 0
    if (id === 0 && value.length < 12) return value
    const number = Number(value)
    const format = this.#codes.get(id) ?? id
    if (!Number.isFinite(number) || (typeof format === "string" && format.length > maxFormatCharacters))
      return value
    try {
      return formatter.format(format, number, { date1904: this.date1904 })
    } catch {
      return value // An invalid format: the number itself is more useful than a failure.
    }
  }

  /** Whether numbers with this style are dates. */
  isDate(style: number): boolean {
    let isDate = this.#dateStyles.get(style)
    if (isDate === undefined) {
      const id = this.#ofStyle[style] ?? 0
      isDate = isDateFormat(this.#codes.get(id) ?? formatter.get_table()[id] ?? "")
      this.#dateStyles.set(style, isDate)
    }
    return isDate
  }
}

/** Whether a format shows a day or a year. A format that only shows a time is for durations. */
export function isDateFormat(format: string): boolean {
  const letters = format
    .slice(0, maxFormatCharacters)
    .replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, "")
    .toLowerCase()
  return !letters.startsWith("general") && /[dy]/.test(letters)
}
