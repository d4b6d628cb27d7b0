import type { DocumentFile } from "../document/document-file.ts"
import { OfficePackage, mainPart, getRelationships } from "../office/office-package.ts"
import { failure, type ParseContext } from "../parser.ts"
import { createNumberDisplay, isDateFormat } from "../sheets/cell-text.ts"
import { joinShifted, type Shift } from "../text/linear-math.ts"
import { type XmlAttributes, type XmlHandler, attribute } from "../xml/xml-events.ts"

/** Reads a workbook's styles, and formats numbers by them: dates, percentages, currencies. */
export class NumberFormats implements XmlHandler {
  /** Whether days count from 1904, as on old Macintoshes. */
  date1904 = false
  readonly #codes = new Map<number, string>()
  readonly #ofStyle: number[] = []
  readonly #dateStyles = new Map<number, boolean>()
  readonly #displays = new Map<number, (value: string) => string>()
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
    let display = this.#displays.get(style)
    if (display === undefined) {
      display = createNumberDisplay(this.#getFormat(style), this.date1904)
      this.#displays.set(style, display)
    }
    return display(value)
  }

  /** Whether numbers with this style are dates. */
  isDate(style: number): boolean {
    let isDate = this.#dateStyles.get(style)
    if (isDate === undefined) {
      isDate = isDateFormat(this.#getFormat(style))
      this.#dateStyles.set(style, isDate)
    }
    return isDate
  }

  #getFormat(style: number): string | number {
    const id = this.#ofStyle[style] ?? 0
    return this.#codes.get(id) ?? id
  }
}

const maxCharacters = 128 * 1024 * 1024

/** Kinds of vertical alignment. */
const shifts: Readonly<Record<string, Shift>> = { superscript: "raised", subscript: "lowered" }

/** Reads the texts to which a workbook's cells refer by number (ECMA-376 part 1, 18.4), without phonetic guides. */
class SharedStrings implements XmlHandler {
  readonly texts: string[] = []
  #text = ""
  #total = 0
  #inText = false
  #pronunciation = 0
  /** How the next text is shifted. */
  #nextShift: Shift

  open(name: string, attributes: XmlAttributes): void {
    if (name === "si") this.#text = ""
    else if (name === "r") this.#nextShift = undefined
    else if (name === "vertAlign") this.#nextShift = shifts[attribute(attributes, "val") ?? ""]
    else if (name === "t") this.#inText = true
    else if (name === "rPh") this.#pronunciation++
  }

  text(text: string): void {
    if (!this.#inText || this.#pronunciation > 0) return
    this.#text = joinShifted(this.#text, text, this.#nextShift)
    this.#nextShift = undefined
  }

  close(name: string): void {
    if (name === "t") this.#inText = false
    else if (name === "rPh") this.#pronunciation--
    else if (name === "si") {
      this.#total += this.#text.length
      if (this.#total > maxCharacters) {
        throw failure("workbook_too_much_text")
      }
      this.texts.push(this.#text)
    }
  }
}

/** An Excel workbook that has been read except for its sheets. */
export interface Workbook {
  file: OfficePackage
  /** The package part that contains each sheet. */
  sheets: { name: string; part: string; isHidden: boolean }[]
  hiddenSheets: number
  texts: readonly string[]
  formats: NumberFormats
}

export async function openWorkbook(
  bytes: DocumentFile,
  context: Pick<ParseContext, "note">,
): Promise<Workbook> {
  const file = await OfficePackage.open(bytes, context)
  const main = await mainPart(file, "xl/workbook.xml")
  if (!file.has(main)) throw failure("not_workbook")
  const formats = new NumberFormats()
  const strings = new SharedStrings()
  const named = await readSheetNames(file, main, formats)
  const related = await getRelationships(file, main)
  for (const { type, target } of related) {
    if (type === "styles") await file.read(target, formats)
    else if (type === "sharedStrings") await file.read(target, strings)
  }
  const sheets = named.flatMap(({ name, id, isHidden }) => {
    const part = related.find((relationship) => relationship.id === id)?.target
    return part === undefined ? [] : [{ name, part, isHidden }]
  })
  const hiddenSheets = named.filter(({ isHidden }) => isHidden).length
  return { file, sheets, hiddenSheets, texts: strings.texts, formats }
}

interface NamedSheet {
  name: string
  id: string | undefined
  isHidden: boolean
}

async function readSheetNames(
  file: OfficePackage,
  main: string,
  formats: NumberFormats,
): Promise<NamedSheet[]> {
  const sheets: NamedSheet[] = []
  await file.read(main, {
    open(name, attributes) {
      if (name === "sheet") {
        const isHidden = /^(?:hidden|veryHidden)$/.test(attributes["state"] ?? "")
        sheets.push({ name: attributes["name"] ?? "", id: attribute(attributes, "id"), isHidden })
      } else if (name === "workbookPr") formats.date1904 = /^(1|true)$/.test(attributes["date1904"] ?? "")
    },
  })
  return sheets
}
