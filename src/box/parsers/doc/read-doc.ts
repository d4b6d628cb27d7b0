import { reason } from "../../../shared/contract/file-reasons.ts"
import type { Location } from "../../../shared/contract/location.ts"
import type { CompoundArchive } from "../compound/compound-archive.ts"
import { findFile } from "../office-art/art-pictures.ts"
import { ArtRecords } from "../office-art/art-records.ts"
import { maxPictureBytes, type Block, type OpenedInput, type ParseContext } from "../parser.ts"
import { readPicture } from "../pictures/read-picture.ts"
import { PositionedTable } from "../table/positioned-table.ts"
import { FlowOutline } from "../text/flow-outline.ts"
import { getFieldEquation } from "../text/field-equation.ts"
import { HiddenText, isBlank } from "../text/hidden-text.ts"
import { joinShifted, type Shift } from "../text/linear-math.ts"
import { getFieldTarget, getLinkTarget } from "../text/link-target.ts"
import { bullet } from "../text/list-numbers.ts"
import { modifier, readCellDefinitions, readModifiers } from "./property-modifiers.ts"
import { readWordFile, type Drawings, type WordFile } from "./word-file.ts"
import { getHeadingLevel } from "./word-style-sheet.ts"

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
/** Codes of property modifiers (MS-DOC 2.6). */
const property = {
  inTable: 0x2416,
  endsRow: 0x2417,
  tableDepth: 0x6649,
  endsInnerCell: 0x244b,
  endsInnerRow: 0x244c,
  outlineLevel: 0x2640,
  list: 0x460b,
  listLevel: 0x260a,
  deleted: 0x0800,
  hidden: 0x083c,
  characterStyle: 0x4a30,
  verticalPosition: 0x2a48,
  /** Also the position of a picture. */
  formData: 0x6a03,
}
/** Values of the vertical position. */
const shifts: readonly Shift[] = [undefined, "raised", "lowered"]
/** Stand for a picture in the line, and for a shape at a place of its own. */
const inlinePicture = 0x01
const shape = 0x08
const headers = 2
/** Uses of lists have a number from 1; others mean that the paragraph isn't in a list. */
const maxListUse = 0x7fe
const formData = 0x01
const cellMark = 0x07
const paragraphMark = 0x0d
const pageBreak = 0x0c
const fieldStart = 0x13
const fieldResult = 0x14
const fieldEnd = 0x15
const replacements: Record<number, string> = { 0x09: " ", 0x0b: "\n", 0x0e: "\n", 0x1e: "-", 0xa0: " " }

const maxInstruction = 2000
/** Text without any paragraph end is split at this length. */
const maxTextCharacters = 65_536

interface Field {
  showsResult: boolean
  instruction: string
  /** Where its result starts in the paragraph. */
  start: number
}

interface Paragraph {
  style: number
  modifiers: Buffer
}

/** A picture in the text, by its key. */
interface DocPicture {
  key: string
  location: Location
  isHidden: boolean
}

const maxPictures = 10_000

/** Creates headings, paragraphs and tables from the characters of a Word document (MS-DOC 2.4). */
class DocOutline {
  /** Pictures since the last step. */
  readonly pictures: DocPicture[] = []
  /** Equations in objects of another program, which aren't read. */
  unreadEquations = 0
  readonly #outline: FlowOutline
  readonly #hidden: HiddenText
  readonly #file: WordFile
  #text = ""
  readonly #table: PositionedTable
  /** Tables of Word 6 and 95, whose properties aren't read. */
  #oldRow: "none" | "open" | "in-cell" = "none"
  readonly #fields: Field[] = []
  /** How the characters up to an offset are shown. */
  #appearance: Appearance = "shown"
  #shift: Shift
  #appearanceEnd = 0
  #section = 0
  /** Number of characters before the current one. */
  #position = 0
  readonly #drawings: Drawings | undefined

  /** @param drawings the pictures of shapes, if pictures are wanted */
  constructor(outline: FlowOutline, hidden: HiddenText, file: WordFile, drawings?: Drawings) {
    this.#outline = outline
    this.#hidden = hidden
    this.#table = new PositionedTable(outline)
    this.#file = file
    this.#drawings = drawings
  }

  /** Reads everything, yielding after each section and each piece of text. */
  *steps(): Generator<undefined, void, undefined> {
    let left = this.#file.lengths[0] ?? 0
    for (const { text, offset, bytesPerCharacter } of this.#file.pieces) {
      this.#appearanceEnd = 0
      for (let index = 0; index < text.length; index++) {
        while (left <= 0 && this.#section < sections.length - 1) {
          this.#endSection()
          left = this.#file.lengths[++this.#section] ?? 0
          if (left > 0) this.#outline.section(sections[this.#section] ?? "")
        }
        left--
        if (sections[this.#section] !== undefined) this.#read(text, index, offset + index * bytesPerCharacter)
        this.#position++
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
    else if (code === paragraphMark) this.#endParagraph(offset)
    else if (code === pageBreak) this.#breakPage(offset)
    else if (code === cellMark) this.#endCell(offset)
    else if (field && !field.showsResult) this.#readInstruction(field, code, offset)
    else if (this.#fields.every(({ showsResult }) => showsResult)) {
      if (code === inlinePicture || code === shape) return this.#addPicture(code, offset)
      const isCharacter = code >= 0x20 && code !== 0xa0
      this.#addCharacter((isCharacter ? text[index] : replacements[code]) ?? "", offset)
    }
  }

  #addCharacter(character: string, offset: number): void {
    const before = this.#shift
    const appearance = this.#getAppearance(offset)
    if (appearance === "shown") {
      this.#text = joinShifted(this.#text, character, this.#shift === before ? undefined : this.#shift)
    } else if (appearance === "hidden") this.#text += this.#hidden.enclose(character)
  }

  #addPicture(code: number, offset: number): void {
    const appearance = this.#getAppearance(offset)
    if (this.#section === headers || appearance === "deleted" || this.pictures.length >= maxPictures) return
    const isHidden = appearance === "hidden"
    const key = code === shape ? this.#getShapeKey() : this.#getInlineKey(offset)
    if (key === undefined || (isHidden && !this.#hidden.isMarked)) return
    this.pictures.push({ key, location: this.#outline.location, isHidden })
  }

  #getShapeKey(): string | undefined {
    const picture = this.#drawings?.pictures.get(this.#position)
    return picture === undefined ? undefined : `${shapeKey}${picture}`
  }

  #getInlineKey(offset: number): string | undefined {
    const run = this.#file.characters?.at(offset)
    const at = run && modifier(run.properties, property.formData)
    return at === undefined ? undefined : `${inlineKey}${at}`
  }

  #readInstruction(field: Field, code: number, offset: number): void {
    if (code === formData) {
      // Links have other data at this character.
      if (!formField.test(field.instruction)) return
      const at = modifier(this.#file.characters?.at(offset)?.properties ?? Buffer.alloc(0), property.formData)
      if (at !== undefined) this.#text += readFormValue(this.#file.getData(), at)
    } else if (field.instruction.length < maxInstruction) field.instruction += String.fromCharCode(code)
  }

  /** Adds a link's target after its text, and an equation, whose text isn't stored. */
  #endField(): void {
    const field = this.#fields.pop()
    if (!field) return
    const shown = field.showsResult ? this.#text.slice(field.start) : ""
    if (embeddedEquation.test(field.instruction)) this.unreadEquations++
    if (isBlank(shown)) {
      this.#text += getFieldEquation(field.instruction) ?? ""
      return
    }
    const target = getFieldTarget(field.instruction)
    const added = target === undefined ? undefined : getLinkTarget(target, shown)
    if (added !== undefined) this.#text += ` (${added})`
  }

  /** A page break inside a paragraph doesn't end it, but the same character at its end does. */
  #breakPage(offset: number): void {
    const run = this.#file.paragraphs?.at(offset)
    if (run && offset + 2 < run.end && this.#text.length < maxTextCharacters) this.#text += "\n"
    else this.#endParagraph(offset)
  }

  #endParagraph(offset: number): void {
    if (this.#fields.length > 20) this.#fields.length = 0 // The fields were never closed.
    if (!this.#file.paragraphs) return this.#endOldParagraph()
    const paragraph = this.#getParagraph(offset)
    const depth = getDepth(paragraph)
    if (depth > 0) {
      if (modifier(paragraph.modifiers, property.endsInnerRow) === 1) {
        this.#text = ""
        return this.#table.endRow(depth, readCellDefinitions(paragraph.modifiers))
      }
      this.#addToCell(paragraph, depth)
      if (modifier(paragraph.modifiers, property.endsInnerCell) === 1) this.#table.endCell(depth)
      return
    }
    // If the end of a paragraph was deleted, the next one continues it.
    if (this.#isDeleted(offset) && this.#text.length < maxTextCharacters) return
    this.#table.leave()
    const text = this.#takeText()
    const isEmpty = isBlank(text)
    const label = isEmpty && this.#getAppearance(offset) !== "shown" ? "" : this.#getLabel(paragraph)
    if (isEmpty) return this.#outline.paragraph(text)
    const level =
      getHeadingLevel(modifier(paragraph.modifiers, property.outlineLevel)) ??
      this.#file.styles.headingLevel(paragraph.style)
    if (level === undefined) this.#outline.paragraph(label + text)
    else this.#outline.heading(level, label === bullet ? text : label + text)
  }

  #endCell(offset: number): void {
    if (!this.#file.paragraphs) return this.#endOldCell()
    const paragraph = this.#getParagraph(offset)
    if (modifier(paragraph.modifiers, property.endsRow) === 1) {
      this.#text = ""
      return this.#table.endRow(1, readCellDefinitions(paragraph.modifiers))
    }
    this.#addToCell(paragraph, 1)
    this.#table.endCell(1)
  }

  #addToCell(paragraph: Paragraph, depth: number): void {
    const text = this.#takeText()
    const label = this.#getLabel(paragraph)
    // In a column of numbers, the cells have no other text.
    this.#table.paragraph(depth, isBlank(text) ? label.replace(bullet, "") + text : label + text)
  }

  #endOldParagraph(): void {
    const text = this.#takeText()
    if (this.#oldRow === "none") {
      this.#table.leave()
      return this.#outline.paragraph(text)
    }
    this.#oldRow = "in-cell"
    this.#table.paragraph(1, text)
  }

  /** Without properties, a cell mark that directly follows another one ends the row. */
  #endOldCell(): void {
    if (this.#oldRow === "open" && this.#text === "") {
      this.#oldRow = "none"
      return this.#table.endRow(1, [])
    }
    this.#oldRow = "open"
    this.#table.paragraph(1, this.#takeText())
    this.#table.endCell(1)
  }

  #takeText(): string {
    const text = this.#text
    this.#text = ""
    return text
  }

  #getParagraph(offset: number): Paragraph {
    const properties = this.#file.paragraphs?.at(offset)?.properties
    if (!properties || properties.length < 2) return { style: 0, modifiers: Buffer.alloc(0) }
    return {
      style: properties.readUInt16LE(0),
      modifiers: readModifiers(properties.subarray(2), this.#file.getData),
    }
  }

  /** Counts a paragraph of a list and returns what precedes its text. */
  #getLabel({ style, modifiers }: Paragraph): string {
    const { lists, styles } = this.#file
    const inherited = styles.getList(style, lists.getLevel)
    const use = modifier(modifiers, property.list) ?? inherited?.use ?? 0
    if (use < 1 || use > maxListUse) return ""
    return lists.count(use, modifier(modifiers, property.listLevel) ?? inherited?.level ?? 0)
  }

  #endSection(): void {
    this.#table.leave()
    this.#outline.paragraph(this.#takeText())
    this.#oldRow = "none"
    this.#fields.length = 0
  }

  #isDeleted(offset: number): boolean {
    const run = this.#file.characters?.at(offset)
    return run !== undefined && isOn(modifier(run.properties, property.deleted), false)
  }

  #getAppearance(offset: number): Appearance {
    if (offset < this.#appearanceEnd) return this.#appearance
    const { characters, paragraphs, styles } = this.#file
    const run = characters?.at(offset)
    const paragraph = paragraphs?.at(offset)
    const properties = run?.properties ?? Buffer.alloc(0)
    const style = paragraph && paragraph.properties.length >= 2 ? paragraph.properties.readUInt16LE(0) : 0
    const isStyleHidden = styles.isHidden(style, modifier(properties, property.characterStyle))
    if (isOn(modifier(properties, property.deleted), false)) this.#appearance = "deleted"
    else this.#appearance = isOn(modifier(properties, property.hidden), isStyleHidden) ? "hidden" : "shown"
    this.#shift = shifts[modifier(properties, property.verticalPosition) ?? 0]
    this.#appearanceEnd = Math.min(run?.end ?? offset + 1, paragraph?.end ?? Infinity)
    return this.#appearance
  }
}

type Appearance = "shown" | "hidden" | "deleted"

/** Converts a value that can be on, off, that of the style or its opposite. */
function isOn(value: number | undefined, inStyle: boolean): boolean {
  if (value === undefined || value === 0x80) return inStyle
  return value === 0x81 ? !inStyle : value !== 0
}

/** Returns the number of tables around a paragraph. */
function getDepth({ modifiers }: Paragraph): number {
  if (modifier(modifiers, property.inTable) !== 1) return 0
  return Math.max(1, modifier(modifiers, property.tableDepth) ?? 1)
}

/** Equation Editor and MathType. */
const embeddedEquation = /^\s*EMBED\s+Equation\b/i
const formField = /^\s*FORM(CHECKBOX|DROPDOWN)/i
const formHeaderBytes = 68
const usePreset = 25
const maxEntry = 2000

/** Returns the value of a check box or list (MS-DOC 2.9.78), or nothing for a text field, whose value is in the text. */
function readFormValue(data: Buffer, at: number): string {
  const form = data.subarray(at + formHeaderBytes, at + Math.min(data.length, 100_000))
  if (form.length < 12) return ""
  const bits = form.readUInt16LE(4)
  const kind = bits & 3
  if (kind === 0 || kind === 3) return ""
  let next = 10
  const skipText = () => (next += next + 2 <= form.length ? 4 + form.readUInt16LE(next) * 2 : form.length)
  skipText()
  if (next + 2 > form.length) return ""
  const result = (bits >>> 2) & 0x1f
  const value = result === usePreset ? form.readUInt16LE(next) : result
  if (kind === 1) return value === 1 ? "[x] " : "[ ] "
  next += 2
  for (let text = 0; text < 5; text++) skipText()
  // The list of entries starts with a mark for UTF-16, their number and the size of additional data.
  next += 6
  for (let entry = 0; entry < value; entry++)
    next += next + 2 <= form.length ? 2 + form.readUInt16LE(next) * 2 : 2
  if (next + 2 > form.length) return ""
  const length = Math.min(form.readUInt16LE(next), maxEntry)
  return form.subarray(next + 2, next + 2 + length * 2).toString("utf16le")
}

const shapeKey = "shape-"
const inlineKey = "data-"
const linkedPicture = 0x66

/** Returns the file of a picture; undefined for a drawing. Throws `ParseFailure` if it exceeds `maxBytes` or is damaged. */
function loadPicture(
  { getData }: WordFile,
  drawings: Drawings | undefined,
  key: string,
  maxBytes: number,
): Buffer | undefined {
  if (key.startsWith(shapeKey)) return drawings?.stored.load(Number(key.slice(shapeKey.length)), maxBytes)
  const data = new ArtRecords(getData())
  const at = Number(key.slice(inlineKey.length))
  const end = data.bytes.length
  // A length, that of the header, a kind, and in the end the name of a linked file (MS-DOC 2.9.192).
  const header = { start: at, end }
  const start = at + data.short(header, 4)
  const nameBytes = data.short(header, 6) === linkedPicture ? 1 + (data.bytes[start] ?? 0) : 0
  const picture = { start: start + nameBytes, end: Math.min(end, at + data.number(header, 0)) }
  return findFile(data, picture, maxBytes)
}

/**
 * Reads Word 6 to 2003: headings, paragraphs and tables, then notes, headers, comments and text boxes.
 *
 * Written here because word-extractor 1.0.4 (MIT) refuses Word 6 and 95 and returns plain text without headings and table rows; mammoth
 * 1.13.0 and officeparser 8.1.1 don't read .doc.
 */
export async function* readDoc(
  archive: CompoundArchive,
  context: Pick<ParseContext, "note" | "marksHidden" | "ocr" | "pictures">,
  { password, scan }: Pick<OpenedInput, "password" | "scan">,
): AsyncGenerator<Block, void, undefined> {
  const file = readWordFile(archive, password)
  const drawings = context.pictures || scan?.picture !== undefined ? file.getDrawings() : undefined
  if (scan?.picture !== undefined) {
    const picture = loadPicture(file, drawings, scan.picture, maxPictureBytes)
    return yield* readPicture(picture, context)
  }
  const hidden = new HiddenText(context)
  const outline = new FlowOutline({}, hidden)
  const reader = new DocOutline(outline, hidden, file, drawings)
  for (const _ of reader.steps()) {
    yield* outline.take()
    for (const picture of reader.pictures.splice(0)) {
      const load = (maxBytes: number) =>
        Promise.resolve().then(() => loadPicture(file, drawings, picture.key, maxBytes))
      if (context.pictures) yield* context.pictures.see({ ...picture, load })
    }
  }
  yield* outline.take()
  hidden.note(context)
  const count = reader.unreadEquations
  if (count > 0) context.note(reason("equations_left_out", { count }))
}
