import type { CompoundArchive } from "../compound/compound-archive.ts"
import type { Block } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { getFieldTarget, getLinkTarget } from "../text/link-target.ts"
import { modifier, type WordFile, readWordFile } from "./word-file.ts"

/** The parts that follow the body, with the title under which they are cited; macros have none. */
const sections = [
  "",
  "Footnotes",
  "Page header and footer",
  undefined,
  "Comments",
  "Endnotes",
  "Text boxes",
  "Text boxes",
]
const inTable = 0x2416
const endsRow = 0x2417
const deleted = 0x0800
const hidden = 0x083c
/** Values for "on": 1, and 0x81, which is the opposite of the style's value. */
const isOn = new Set<number | undefined>([1, 0x81])
const cellMark = 0x07
const paragraphMark = 0x0d
const pageBreak = 0x0c
const fieldStart = 0x13
const fieldResult = 0x14
const fieldEnd = 0x15
const replacements: Record<number, string> = { 0x09: " ", 0x0b: "\n", 0x0e: "\n", 0x1e: "-", 0xa0: " " }

const maxInstruction = 2000

interface Field {
  showsResult: boolean
  instruction: string
  /** Where its result starts in the paragraph. */
  start: number
}

/** Creates headings, paragraphs and tables from the characters of a Word document (MS-DOC 2.4). */
class DocOutline {
  readonly #outline: FlowOutline
  readonly #file: WordFile
  #text = ""
  #inTable = false
  #rowOpen = false
  #cellOpen = false
  readonly #fields: Field[] = []
  #deletedUntil = 0
  #keptUntil = 0

  constructor(outline: FlowOutline, file: WordFile) {
    this.#outline = outline
    this.#file = file
  }

  /** Reads everything, yielding after each section and each piece of text. */
  *steps(): Generator<undefined, void, undefined> {
    let section = 0
    let left = this.#file.lengths[0] ?? 0
    for (const { text, offset, bytesPerCharacter } of this.#file.pieces) {
      this.#deletedUntil = 0
      this.#keptUntil = 0
      for (let index = 0; index < text.length; index++) {
        while (left <= 0 && section < sections.length - 1) {
          this.#endSection()
          left = this.#file.lengths[++section] ?? 0
          if (left > 0) this.#outline.section(sections[section] ?? "")
        }
        left--
        if (sections[section] !== undefined) this.#read(text, index, offset + index * bytesPerCharacter)
      }
      yield
    }
    this.#endSection()
  }

  #read(text: string, index: number, offset: number): void {
    const code = text.charCodeAt(index)
    const field = this.#fields.at(-1)
    if (code === fieldStart) this.#fields.push({ showsResult: false, instruction: "", start: 0 })
    else if (code === fieldResult && field)
      Object.assign(field, { showsResult: true, start: this.#text.length })
    else if (code === fieldEnd) this.#endField()
    else if (code === paragraphMark || code === pageBreak) this.#endParagraph(offset)
    else if (code === cellMark) this.#endCell(offset)
    else if (field && !field.showsResult) {
      if (field.instruction.length < maxInstruction) field.instruction += text[index] ?? ""
    } else if (!this.#fields.every(({ showsResult }) => showsResult) || this.#isDeleted(offset)) return
    else if (code >= 0x20 && code !== 0xa0) this.#text += text[index] ?? ""
    else this.#text += replacements[code] ?? ""
  }

  /** Adds a link's target after its text. */
  #endField(): void {
    const field = this.#fields.pop()
    const target = field?.showsResult ? getFieldTarget(field.instruction) : undefined
    if (!field || target === undefined) return
    const shown = this.#text.slice(field.start)
    const added = shown.trim() === "" ? undefined : getLinkTarget(target, shown)
    if (added !== undefined) this.#text += ` (${added})`
  }

  #endParagraph(offset: number): void {
    const properties = this.#file.paragraphs?.at(offset)?.properties
    const isCell = properties ? modifier(properties.subarray(2), inTable) === 1 : this.#rowOpen
    // In every language, styles 1 to 9 are headings.
    const style = properties && properties.length >= 2 ? properties.readUInt16LE(0) : 0
    if (isCell) this.#addToCell()
    else {
      this.#leaveTable()
      if (style >= 1 && style <= 9) this.#outline.heading(style, this.#text)
      else this.#outline.paragraph(this.#text)
    }
    this.#text = ""
    if (this.#fields.length > 20) this.#fields.length = 0 // The fields were never closed.
  }

  #endCell(offset: number): void {
    const properties = this.#file.paragraphs?.at(offset)?.properties
    const isRowEnd = properties
      ? modifier(properties.subarray(2), endsRow) === 1
      : this.#rowOpen && !this.#cellOpen && this.#text === ""
    if (isRowEnd) {
      this.#outline.endRow()
      this.#rowOpen = false
    } else this.#addToCell()
    this.#cellOpen = false
    this.#text = ""
  }

  #addToCell(): void {
    if (!this.#inTable) this.#outline.startTable()
    if (!this.#rowOpen) this.#outline.startRow()
    if (!this.#cellOpen) this.#outline.startCell()
    this.#inTable = true
    this.#rowOpen = true
    this.#cellOpen = true
    this.#outline.paragraph(this.#text)
  }

  #leaveTable(): void {
    if (this.#inTable) this.#outline.endTable()
    this.#inTable = false
    this.#rowOpen = false
    this.#cellOpen = false
  }

  #endSection(): void {
    this.#leaveTable()
    this.#outline.paragraph(this.#text)
    this.#text = ""
    this.#fields.length = 0
  }

  #isDeleted(offset: number): boolean {
    if (offset < this.#deletedUntil) return true
    if (offset < this.#keptUntil) return false
    const run = this.#file.characters?.at(offset)
    if (!run) return false
    const isLeftOut = [deleted, hidden].some((kind) => isOn.has(modifier(run.properties, kind)))
    if (isLeftOut) this.#deletedUntil = run.end
    else this.#keptUntil = run.end
    return offset < this.#deletedUntil
  }
}

/**
 * Reads Word 6 to 2003: headings, paragraphs and tables, then notes, headers, comments and text boxes.
 *
 * Written here because word-extractor 1.0.4 (MIT) refuses Word 6 and 95 and returns plain text without headings and table rows; mammoth
 * 1.13.0 and officeparser 8.1.1 don't read .doc.
 */
export function* readDoc(archive: CompoundArchive, password?: string): Generator<Block, void, undefined> {
  const outline = new FlowOutline()
  for (const _ of new DocOutline(outline, readWordFile(archive, password)).steps()) yield* outline.take()
  yield* outline.take()
}
