import type { Location } from "../../../shared/contract/location.ts"
import type { Block } from "../parser.ts"
import type { FlowOutline } from "../text/flow-outline.ts"
import { isBlank, type HiddenText } from "../text/hidden-text.ts"
import { getFieldEquation } from "../text/field-equation.ts"
import { joinMath, joinShifted, type Shift } from "../text/linear-math.ts"
import { bullet } from "../text/list-numbers.ts"
import { getFieldTarget, getLinkTarget } from "../text/link-target.ts"
import { attribute, type XmlAttributes, type XmlHandler } from "../xml/xml-events.ts"
import { WordMath } from "./word-math.ts"
import type { WordNumbering } from "./word-numbering.ts"
import { getLevel, isOn, numberingNames, type WordStyles } from "./word-styles.ts"

/** Deleted or moved text, previous properties, the fallback of a drawing, and phonetic guides. */
const unread = new Set(
  "del moveFrom pPrChange rPrChange sectPrChange tblPrChange trPrChange tcPrChange numberingChange Fallback rt binData".split(
    " ",
  ),
)
/** Elements that mean something where they start or end. Most elements only describe how text looks. */
const readAtStart = new Set(
  (
    "t r p tbl tr tc tblHeader gridBefore gridSpan vMerge vmerge pPr hyperlink hlink fldChar fldSimple instrText ffData " +
    "sdt sdtPr sdtEndPr oMath altChunk vanish vertAlign rStyle pStyle outlineLvl numId ilfo ilvl br cr noBreakHyphen ptab tab sym blip imagedata"
  ).split(" "),
)
const readAtEnd = new Set(
  (
    "t p pPr tbl tr tc hyperlink hlink fldSimple instrText ffData sdt sdtPr sdtEndPr txbxContent body hdr ftr footnote " +
    "endnote comment wordDocument"
  ).split(" "),
)
/** Elements at whose end a paragraph can't continue. */
const flows = new Set("tc txbxContent body hdr ftr footnote endnote comment wordDocument".split(" "))
const maxGridColumns = 1000
/** Maximum columns in which a cell is repeated. */
const maxSpan = 100
/** Maximum fields or controls inside each other. */
const maxOpen = 1000
const maxInstruction = 2000
const maxEntries = 1000

interface Link {
  paragraph: Paragraph | undefined
  /** Where the link's text starts in the paragraph. */
  start: number
  target: string | undefined
}

interface Field extends Link {
  instruction: string
  showsResult: boolean
  /** Whether its result repeats what was read already. */
  ignoresResult: boolean
}

/** A content control of a form. */
interface Control {
  inProperties: boolean
  isCheckBox: boolean
  /** The state of a check box, and the value of a control without text. */
  value: string
  hasText: boolean
}

const shifts: Readonly<Record<string, Shift>> = { superscript: "raised", subscript: "lowered" }

/** A check box or drop-down list of an older form. */
interface FormField {
  isCheckBox: boolean
  value: string | undefined
  preset: string | undefined
  entries: string[]
}

interface Table {
  column: number
  /** Texts of cells that reach down, by their first column. */
  covers: Map<number, string>
  columns: number
  merge: "start" | "continue" | undefined
}

interface Paragraph {
  text: string
  style: string
  level: number | undefined
  numbering: string | undefined
  numberingLevel: number | undefined
  inProperties: boolean
  /** Whether the end of the paragraph was deleted, so that the next one continues it. */
  endRemoved: boolean
  endHidden: boolean
  /** Style of the current run of text, and whether it is hidden itself. */
  runStyle: string
  runHidden: boolean | undefined
  runShift: Shift
  /** Length of the text after the last raised or lowered run. */
  shiftedEnd: number
}

const createParagraph = (text: string): Paragraph => ({
  text,
  style: "",
  level: undefined,
  numbering: undefined,
  numberingLevel: undefined,
  inProperties: false,
  endRemoved: false,
  endHidden: false,
  runStyle: "",
  runHidden: undefined,
  runShift: undefined,
  shiftedEnd: -1,
})

/** Another document to read at this place of the text, by its relationship. */
export interface WordChunk {
  chunk: string
  heading: string | undefined
}

/** A picture at this place of the text, by its relationship. */
export interface WordPicture {
  picture: string
  location: Location
  isHidden: boolean
}

export interface WordDefinitions {
  styles: WordStyles
  numbering: WordNumbering
  hidden: HiddenText
}

/**
 * Reads WordprocessingML (ECMA-376 part 1, 17): paragraphs with their numbers, including those of text boxes inside others, tables, forms and
 * equations.
 */
export class WordOutline implements XmlHandler {
  readonly #outline: FlowOutline
  readonly #styles: WordStyles
  readonly #numbering: WordNumbering
  readonly #hidden: HiddenText
  readonly #targets: ReadonlyMap<string, string>
  #ready: (Block | WordChunk | WordPicture)[] = []
  readonly #open: Paragraph[] = []
  readonly #tables: Table[] = []
  readonly #links: Link[] = []
  readonly #fields: Field[] = []
  readonly #controls: Control[] = []
  #formField: FormField | undefined
  #math: WordMath | undefined
  /** A paragraph without an end, and the number of paragraphs around it. */
  #unended: { paragraph: Paragraph; depth: number } | undefined
  #unread = 0
  #inText = 0
  #inInstruction = 0
  #headerRow = false

  /** @param targets of links, by their relationship */
  constructor(outline: FlowOutline, definitions: WordDefinitions, targets = new Map<string, string>()) {
    this.#outline = outline
    this.#styles = definitions.styles
    this.#numbering = definitions.numbering
    this.#hidden = definitions.hidden
    this.#targets = targets
  }

  /** Returns what was read since the last call. */
  take(): (Block | WordChunk | WordPicture)[] {
    if (this.#ready.length === 0) return this.#outline.take()
    return [...this.#ready.splice(0), ...this.#outline.take()]
  }

  open(name: string, attributes: XmlAttributes): void {
    const paragraph = this.#open.at(-1)
    if (paragraph?.inProperties && (name === "del" || name === "moveFrom")) paragraph.endRemoved = true
    if (unread.has(name)) this.#unread++
    if (this.#unread > 0) return
    if (this.#math) return this.#math.open(name, attributes)
    const control = this.#controls.at(-1)
    if (control?.inProperties) return describeControl(control, name, attributes)
    if (this.#formField) return describeFormField(this.#formField, name, attributes)
    if (!readAtStart.has(name)) return
    if (name === "t") this.#inText++
    else if (name === "r") this.#startRun(paragraph)
    else if (name === "p") this.#startParagraph()
    else if (!this.#openTable(name, attributes) && !this.#openSpecial(name, attributes) && paragraph)
      this.#describe(paragraph, name, attributes)
  }

  text(text: string): void {
    if (this.#unread > 0) return
    if (this.#math) return this.#math.text(text)
    if (this.#inText > 0) this.#add(text)
    else if (this.#inInstruction > 0) {
      const field = this.#fields.at(-1)
      if (field && !field.showsResult && field.instruction.length < maxInstruction) field.instruction += text
    }
  }

  close(name: string): void {
    const wasUnread = this.#unread > 0
    if (unread.has(name)) this.#unread--
    if (wasUnread) return
    if (this.#math) return this.#closeMath(this.#math)
    if (!readAtEnd.has(name)) return
    if (name === "t") {
      if (this.#inText > 0) this.#inText--
    } else if (name === "p") this.#endParagraph()
    else if (name === "pPr") this.#setInProperties(false)
    else if (!this.#closeTable(name)) this.#closeSpecial(name)
    if (flows.has(name)) this.end()
  }

  /** Call at the end of the part. */
  end(): void {
    const unended = this.#unended
    if (!unended || unended.depth !== this.#open.length) return
    this.#unended = undefined
    this.#write(unended.paragraph)
  }

  #startRun(paragraph: Paragraph | undefined): void {
    if (!paragraph) return
    paragraph.runStyle = ""
    paragraph.runHidden = undefined
    paragraph.runShift = undefined
  }

  #startParagraph(): void {
    const unended = this.#unended
    const continues = unended?.depth === this.#open.length
    if (continues) this.#unended = undefined
    this.#open.push(createParagraph(continues ? (unended?.paragraph.text ?? "") : ""))
  }

  #setInProperties(inProperties: boolean): void {
    const paragraph = this.#open.at(-1)
    if (paragraph) paragraph.inProperties = inProperties
  }

  #openTable(name: string, attributes: XmlAttributes): boolean {
    const table = this.#tables.at(-1)
    const getValue = () => attribute(attributes, "val")
    if (name === "tbl") {
      this.end()
      this.#outline.startTable()
      this.#tables.push({ column: 0, covers: new Map(), columns: 1, merge: undefined })
    } else if (name === "tr") {
      this.#outline.startRow()
      this.#headerRow = false
      if (table) table.column = 0
    } else if (name === "tc") {
      this.#outline.startCell()
      if (table) Object.assign(table, { columns: 1, merge: undefined })
    } else if (name === "tblHeader") this.#headerRow = isOn(getValue())
    else if (table && name === "gridBefore") table.column += getSpan(getValue())
    else if (table && name === "gridSpan") table.columns = getSpan(getValue())
    else if (table && (name === "vMerge" || name === "vmerge"))
      table.merge = getValue() === "restart" ? "start" : "continue"
    else return false
    return true
  }

  #closeTable(name: string): boolean {
    if (name === "tc") this.#endCell()
    else if (name === "tr") this.#outline.endRow(this.#headerRow)
    else if (name === "tbl") {
      this.#outline.endTable()
      this.#tables.pop()
    } else return false
    return true
  }

  #endCell(): void {
    this.end()
    const table = this.#tables.at(-1)
    if (!table) return
    const { column, covers, columns, merge } = table
    if (merge === "continue") this.#outline.coverCell(covers.get(column) ?? "")
    else if (merge === "start" && covers.size < maxGridColumns) covers.set(column, this.#outline.cellText)
    else covers.delete(column)
    if (columns > 1) this.#outline.repeatCell(columns - 1)
    table.column += columns
  }

  /** Starts links, fields, controls, equations and other documents. */
  #openSpecial(name: string, attributes: XmlAttributes): boolean {
    const paragraph = this.#open.at(-1)
    const start = paragraph?.text.length ?? 0
    if (name === "pPr") this.#setInProperties(true)
    else if (name === "hyperlink" || name === "hlink") {
      const id = attribute(attributes, "id") ?? ""
      this.#links.push({ paragraph, start, target: attribute(attributes, "dest") ?? this.#targets.get(id) })
    } else if (name === "fldChar") this.#readFieldCharacter(attribute(attributes, "fldCharType"))
    else if (name === "fldSimple") {
      this.#startField(attribute(attributes, "instr") ?? "")
      this.#showResult()
    } else if (name === "instrText") this.#inInstruction++
    else if (name === "ffData") {
      this.#formField = { isCheckBox: false, value: undefined, preset: undefined, entries: [] }
    } else if (name === "sdt") {
      if (this.#controls.length >= maxOpen) return true
      this.#controls.push({ inProperties: false, isCheckBox: false, value: "", hasText: false })
    } else if (name === "sdtPr" || name === "sdtEndPr") {
      const control = this.#controls.at(-1)
      if (control) control.inProperties = true
    } else if (name === "oMath") this.#math = new WordMath()
    else if (name === "altChunk") {
      const { heading } = this.#outline.location
      this.#ready.push(...this.#outline.take(), { chunk: attribute(attributes, "id") ?? "", heading })
    } else if (name === "blip" || name === "imagedata") {
      this.#addPicture(attribute(attributes, name === "blip" ? "embed" : "id"), paragraph)
    } else return false
    return true
  }

  #addPicture(picture: string | undefined, paragraph: Paragraph | undefined): void {
    const isHidden = paragraph !== undefined && this.#isHidden(paragraph)
    if (picture === undefined || (isHidden && !this.#hidden.isMarked)) return
    const { location } = this.#outline
    this.#ready.push(...this.#outline.take(), { picture, location, isHidden })
  }

  #closeSpecial(name: string): void {
    if (name === "hyperlink" || name === "hlink") this.#addTarget(this.#links.pop())
    else if (name === "fldSimple") this.#endField()
    else if (name === "instrText") this.#inInstruction = Math.max(0, this.#inInstruction - 1)
    else if (name === "ffData") this.#endFormField()
    else if (name === "sdtPr" || name === "sdtEndPr") {
      const control = this.#controls.at(-1)
      if (control) control.inProperties = false
    } else if (name === "sdt") this.#endControl()
  }

  #readFieldCharacter(type: string | undefined): void {
    if (type === "begin") this.#startField("")
    else if (type === "separate") this.#showResult()
    else if (type === "end") this.#endField()
  }

  #startField(instruction: string): void {
    if (this.#fields.length >= maxOpen) this.#fields.length = 0 // The fields were never closed.
    const field = { instruction, showsResult: false, ignoresResult: false }
    this.#fields.push({ ...field, paragraph: undefined, start: 0, target: undefined })
  }

  #showResult(): void {
    const field = this.#fields.at(-1)
    if (!field) return
    field.showsResult = true
    field.paragraph = this.#open.at(-1)
    field.start = field.paragraph?.text.length ?? 0
  }

  #endField(): void {
    const field = this.#fields.pop()
    if (!field) return
    if (field.showsResult) this.#addTarget({ ...field, target: getFieldTarget(field.instruction) })
    const shown = field.showsResult ? (this.#open.at(-1)?.text.slice(field.start) ?? "") : ""
    const equation = isBlank(shown) ? getFieldEquation(field.instruction) : undefined
    if (equation !== undefined) this.#add(equation)
  }

  /** Adds a link's target after its text, unless the text is a heading or shows the target. */
  #addTarget(link: Link | undefined): void {
    const paragraph = this.#open.at(-1)
    if (!link || link.target === undefined || !paragraph || link.paragraph !== paragraph) return
    const shown = paragraph.text.slice(link.start)
    if (isBlank(shown) || this.#getHeadingLevel(paragraph) !== undefined) return
    const target = getLinkTarget(link.target, shown)
    if (target !== undefined) paragraph.text += ` (${target})`
  }

  #endFormField(): void {
    const form = this.#formField
    this.#formField = undefined
    const value = form?.value ?? form?.preset
    if (form?.isCheckBox) this.#add(value === "on" ? "[x] " : "[ ] ")
    else if (form && form.entries.length > 0) {
      this.#add(form.entries[Number(value ?? 0)] ?? "")
      const field = this.#fields.at(-1)
      if (field) field.ignoresResult = true
    }
  }

  #endControl(): void {
    const control = this.#controls.pop()
    const around = this.#controls.at(-1)
    if (control && !control.hasText && control.value !== "") {
      if (this.#open.length > 0) this.#add(control.value)
      else this.#outline.paragraph(control.value)
    }
    if (around && control?.hasText) around.hasText = true
  }

  #closeMath(math: WordMath): void {
    const equation = math.close()
    if (equation === undefined) return
    this.#math = undefined
    const paragraph = this.#open.at(-1)
    if (paragraph) paragraph.text = joinMath(paragraph.text, equation)
  }

  #add(text: string): void {
    const paragraph = this.#open.at(-1)
    if (!paragraph || paragraph.inProperties) return
    const field = this.#fields.at(-1)
    if (field?.ignoresResult && field.showsResult) return
    if (this.#isHidden(paragraph)) {
      paragraph.text += this.#hidden.enclose(text)
      return
    }
    const control = this.#controls.at(-1)
    if (control?.isCheckBox) {
      if (!control.hasText) paragraph.text += `${control.value} `
      control.hasText = true
      return
    }
    if (control) control.hasText ||= text.trim() !== ""
    if (!paragraph.runShift) paragraph.text += text
    else {
      const continues = paragraph.shiftedEnd === paragraph.text.length
      paragraph.text = joinShifted(paragraph.text, text, continues ? undefined : paragraph.runShift)
      paragraph.shiftedEnd = paragraph.text.length
    }
  }

  #isHidden({ style, runStyle, runHidden }: Paragraph): boolean {
    return runHidden ?? this.#styles.isHidden(style, runStyle)
  }

  #describe(paragraph: Paragraph, name: string, attributes: XmlAttributes): void {
    const value = attribute(attributes, "val")
    if (name === "vanish") {
      if (paragraph.inProperties) paragraph.endHidden = isOn(value)
      else paragraph.runHidden = isOn(value)
    } else if (name === "vertAlign") {
      if (!paragraph.inProperties) paragraph.runShift = shifts[value ?? ""]
    } else if (name === "rStyle") {
      if (!paragraph.inProperties) paragraph.runStyle = value ?? ""
    } else if (name === "pStyle") paragraph.style = value ?? ""
    else if (name === "outlineLvl") paragraph.level = getLevel(Number(value))
    else if (numberingNames.has(name)) paragraph.numbering = value
    else if (name === "ilvl") paragraph.numberingLevel = Number(value)
    else if (name === "br" || name === "cr") this.#add("\n")
    else if (name === "noBreakHyphen") this.#add("-")
    else if (name === "ptab" || (name === "tab" && attribute(attributes, "pos") === undefined)) this.#add(" ")
    else if (name === "sym") this.#add(symbol(attribute(attributes, "char") ?? ""))
  }

  #endParagraph(): void {
    const paragraph = this.#open.pop()
    if (!paragraph) return
    if (paragraph.endRemoved) this.#unended = { paragraph, depth: this.#open.length }
    else this.#write(paragraph)
  }

  #write(paragraph: Paragraph): void {
    const { text } = paragraph
    const isEmpty = isBlank(text)
    const isHidden = isEmpty && (paragraph.endHidden || this.#styles.isHidden(paragraph.style, ""))
    const label = isHidden ? "" : this.#getLabel(paragraph)
    const level = this.#getHeadingLevel(paragraph)
    if (isEmpty) {
      // In a column of numbers, the cells have no other text.
      const number = label !== bullet && this.#tables.length > 0 ? label : ""
      if (number !== "" || text.trim() !== "") this.#outline.paragraph(number + text)
    } else if (level === undefined) this.#outline.paragraph(label + text)
    else this.#outline.heading(level, label === bullet ? text : label + text)
  }

  #getHeadingLevel({ level, style }: Paragraph): number | undefined {
    return level ?? this.#styles.headingLevel(style)
  }

  /** Counts a paragraph of a list and returns what precedes its text. */
  #getLabel({ numbering: own, numberingLevel: ownLevel, style }: Paragraph): string {
    const inherited = this.#styles.getNumbering(style, this.#numbering)
    const id = own ?? inherited?.id
    if (id === undefined || id === "0") return ""
    return this.#numbering.count(id, ownLevel ?? inherited?.level ?? 0)
  }
}

function describeControl(control: Control, name: string, attributes: XmlAttributes): void {
  const value = attribute(attributes, "val")
  if (name === "checkbox") {
    control.isCheckBox = true
    control.value = "[ ]"
  } else if (name === "checked" && control.isCheckBox) control.value = isOn(value) ? "[x]" : "[ ]"
  else if (name === "dropDownList" || name === "comboBox")
    control.value = attribute(attributes, "lastValue") ?? ""
  else if (name === "listItem") {
    const shown = attribute(attributes, "displayText")
    if (control.value !== "" && attribute(attributes, "value") === control.value)
      control.value = shown ?? control.value
  } else if (name === "date") control.value = (attribute(attributes, "fullDate") ?? "").slice(0, 10)
}

function describeFormField(form: FormField, name: string, attributes: XmlAttributes): void {
  const value = attribute(attributes, "val")
  const getState = () => (form.isCheckBox ? (isOn(value) ? "on" : "off") : (value ?? "0"))
  if (name === "checkBox") form.isCheckBox = true
  else if (name === "checked" || name === "result") form.value = getState()
  else if (name === "default") form.preset = getState()
  else if (name === "listEntry" && form.entries.length < maxEntries) form.entries.push(value ?? "")
}

function getSpan(value: string | undefined): number {
  const span = Number(value)
  return span >= 1 ? Math.min(Math.floor(span), maxSpan) : 1
}

/** Check boxes in the fonts Wingdings and Wingdings 2, which store them in the private use area. */
const checkBoxes: Record<number, string> = {
  0xf0fe: "[x]",
  0xf0fd: "[x]",
  0xf078: "[x]",
  0xf0a8: "[ ]",
  0xf06f: "[ ]",
}

/** Symbol fonts store their characters in the private use area, where they are meaningless without the font. */
function symbol(hexadecimal: string): string {
  const code = Number.parseInt(hexadecimal, 16)
  return checkBoxes[code] ?? (code > 0x20 && code < 0xd800 ? String.fromCharCode(code) : " ")
}
