import type { Location } from "../../../shared/contract/location.ts"
import { failure } from "../parser.ts"
import { WordMath } from "../docx/word-math.ts"
import { PositionedTable, type CellDefinition } from "../table/positioned-table.ts"
import type { FlowOutline } from "../text/flow-outline.ts"
import { isBlank, type HiddenText } from "../text/hidden-text.ts"
import { getFieldTarget, getLinkTarget } from "../text/link-target.ts"
import { getFieldEquation } from "../text/field-equation.ts"
import { joinMath, joinShifted, type Shift } from "../text/linear-math.ts"
import { bullet } from "../text/list-numbers.ts"
import { RtfFonts } from "./rtf-fonts.ts"
import { RtfPicture } from "./rtf-picture.ts"
import type { RtfHandler } from "./rtf-scanner.ts"

/** Control words that represent a character. */
const wordCharacters: Record<string, string> = {
  line: "\n",
  softline: "\n",
  column: "\n",
  tab: " ",
  emspace: " ",
  enspace: " ",
  qmspace: " ",
  emdash: "—",
  endash: "–",
  bullet: "•",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
}

/** Groups without document text, by their first word. */
const unread = new Set(
  (
    "colortbl info object objdata themedata colorschememapping datastore latentstyles listtable " +
    "listoverridetable rsidtbl generator xmlnstbl filetbl revtbl mmathPr pgdsctbl bkmkstart bkmkend fldinst ftnsep " +
    "ftnsepc ftncn aftnsep aftnsepc aftncn template nonshppict panose falt wgrffmtfilter datafield pnseclvl blipuid " +
    "picprop sp sn sv passwordhash protusertbl mailmerge nonesttables pn xe tc atnid atnauthor atnref atndate"
  ).split(" "),
)
/** Groups marked as optional that do contain text. */
const optionalText = new Set(
  "footnote annotation shptxt shpinst shppict shprslt result nesttableprops mmath listtext pntext".split(" "),
)
/** Groups that interrupt a paragraph with their own paragraphs. */
const aside = new Set(
  "footnote annotation shptxt header headerl headerr headerf footer footerl footerr footerf".split(" "),
)
/** Groups whose pictures aren't read, because they repeat on each page, or repeat a shape for older programs. */
const repeated = /^((header|footer)[lrf]?|shprslt)$/
const shapePicture = "pib"
const shifts: Readonly<Record<string, Shift>> = { super: "raised", sub: "lowered" }
const maxDepth = 5000
/** Text without any paragraph end is split at this length. */
const maxTextCharacters = 65_536

const maxInstruction = 2000
const maxEntries = 1000
const maxCells = 1000
const maxInheritance = 10
const maxStyles = 10_000
/** In a form, stands for the preset value. */
const usePreset = 25
/** Properties of equations, which have a value. */
const mathProperties = new Set(["chr", "begChr", "sepChr", "endChr", "degHide", "type"])
/** Words that describe a paragraph, and are repeated with its number. */
const paragraphWords = new Set(["pard", "intbl", "s", "outlinelevel", "itap"])

/** A link, or a check box or list of a form. */
interface Field {
  instruction: string
  kind: number | undefined
  value: number
  preset: number
  entries: string[]
}

interface Group {
  /** Whether the group, or one around it, is a number or bullet. */
  inLabel: boolean
  /** Where the group's text starts if it is itself a number or bullet, or the result of a field. */
  labelStart: number | undefined
  resultStart: number | undefined
  field: Field | undefined
  /** Whether its text is the instruction of the field, or an entry of its list. */
  collects: "instruction" | "entry" | undefined
  isInstruction: boolean
  unread: boolean
  deleted: boolean
  hidden: boolean
  shift: Shift
  font: number | undefined
  /** Number of bytes that repeat a `\u` for programs that don't support it. */
  fallbackBytes: number
  table: "fonts" | "styles" | undefined
  /** Text of the paragraph that this group interrupts. */
  interrupted: string | undefined
  /** The part of an equation that the group is, and its text. */
  math: { name: string; text: string } | undefined
  /** The picture that the group is. */
  picture: RtfPicture | undefined
  /** Whether the pictures of the group aren't read. */
  skipsPictures: boolean
  /** The property of a shape that the group, or one around it, is. */
  property: { name: string; isRead: boolean } | undefined
  isPropertyName: boolean
}

/** A picture in the text, with its number from 1. */
interface ShownPicture {
  number: number
  picture: RtfPicture
  location: Location
  isHidden: boolean
}

/** Creates headings, paragraphs and tables from RTF tokens. */
export class RtfOutline implements RtfHandler {
  /** Complete pictures since they were last taken. */
  readonly pictures: ShownPicture[] = []
  readonly #outline: FlowOutline
  readonly #hidden: HiddenText
  readonly #fonts = new RtfFonts()
  readonly #headingStyles = new Map<number, number>()
  readonly #groups: Group[] = []
  #group: Group = {
    inLabel: false,
    labelStart: undefined,
    resultStart: undefined,
    field: undefined,
    collects: undefined,
    isInstruction: false,
    unread: false,
    deleted: false,
    hidden: false,
    shift: undefined,
    font: undefined,
    fallbackBytes: 1,
    table: undefined,
    interrupted: undefined,
    math: undefined,
    picture: undefined,
    skipsPictures: false,
    property: undefined,
    isPropertyName: false,
  }
  #bytes: Buffer[] = []
  #text = ""
  #skipped = 0
  #isFirst = false
  #isOptional = false
  #definedFont = 0
  #style = 0
  #outlineLevel: number | undefined
  #inTable = false
  readonly #table: PositionedTable
  /** Cells of the open row, and of one in a table inside a cell, whose definitions follow the row. */
  #cellDefinitions: CellDefinition[] = []
  #nestedDefinitions: CellDefinition[] = []
  #nextCell: Pick<CellDefinition, "isFirst" | "coveredBy"> = { isFirst: false, coveredBy: undefined }
  #rowLeft = 0
  #nesting = 1
  #definesNested = false
  #math: WordMath | undefined
  /** Styles by number, with those on which they are based. */
  readonly #bases = new Map<number, number>()
  #basedOn: number | undefined
  /** Length of the text after the last raised or lowered text. */
  #shiftedEnd = -1
  readonly #wantsPicture: ((number: number) => boolean) | undefined
  #pictureCount = 0

  /** @param wantsPicture whether the picture with this number, from 1, is read */
  constructor(outline: FlowOutline, hidden: HiddenText, wantsPicture?: (number: number) => boolean) {
    this.#wantsPicture = wantsPicture
    this.#outline = outline
    this.#hidden = hidden
    this.#table = new PositionedTable(outline)
  }

  begin(): void {
    this.#flush()
    if (this.#groups.length >= maxDepth) throw failure("rtf_too_deep")
    this.#groups.push(this.#group)
    const fresh = {
      interrupted: undefined,
      labelStart: undefined,
      resultStart: undefined,
      isInstruction: false,
      math: undefined,
      picture: undefined,
      isPropertyName: false,
    }
    this.#group = { ...this.#group, ...fresh }
    this.#isFirst = true
    this.#isOptional = false
    this.#skipped = 0
  }

  end(): void {
    this.#flush()
    const { interrupted, math, table, labelStart, resultStart, field, isInstruction, picture } = this.#group
    if (picture) this.#endPicture(picture)
    if (math) this.#endMath(math)
    if (labelStart !== undefined) this.#endLabel(labelStart)
    if (resultStart !== undefined) this.#addTarget(resultStart, field)
    if (table === "styles") this.#endStyle()
    if (interrupted !== undefined) {
      this.#endParagraph()
      this.#text = interrupted
    }
    this.#group = this.#groups.pop() ?? this.#group
    if (isInstruction && field) {
      this.#addFormValue(field)
      this.#add(getFieldEquation(field.instruction) ?? "")
    }
    this.#skipped = 0
  }

  /** Call at the end of the file. Text that no `\par` ended is still a paragraph. */
  finish(): void {
    while (this.#groups.length > 0) this.end()
    this.#flush()
    this.#endParagraph()
    this.#table.leave()
  }

  text(bytes: Buffer): void {
    this.#isFirst = false
    const skipped = Math.min(this.#skipped, bytes.length)
    this.#skipped -= skipped
    const { collects, field, picture, property, isPropertyName } = this.#group
    if (picture) picture.addDigits(bytes)
    else if (isPropertyName && property) property.name = bytes.toString("latin1").trim()
    else if (collects && field) collect(field, collects, bytes.toString("latin1", skipped))
    else if (this.#isRead && bytes.length > skipped) this.#bytes.push(bytes.subarray(skipped))
  }

  binary(bytes: Buffer): void {
    this.#group.picture?.addBytes(bytes)
  }

  symbol(code: number): void {
    if (code === 0x2a) {
      this.#isOptional = this.#isFirst
      return
    }
    this.#isFirst = false
    if (this.#skipped > 0) this.#skipped--
    else if (code === 0x0a || code === 0x0d) this.word("par", undefined)
    else if (code === 0x7e) this.#add(" ")
    else if (code === 0x5f) this.#add("-")
    else if (code === 0x5c || code === 0x7b || code === 0x7d) this.text(Buffer.of(code))
  }

  word(name: string, parameter: number | undefined): void {
    const isGroupStart = this.#isFirst
    const optional = this.#isOptional
    this.#isFirst = false
    this.#isOptional = false
    if (name === "u") return this.#unicode(parameter ?? 0)
    if (this.#skipped > 0) this.#skipped--
    if (isGroupStart && this.#destination(name, optional)) return
    const character = wordCharacters[name]
    if (character !== undefined) this.#add(character)
    else if (!this.#structure(name)) this.#format(name, parameter)
  }

  get #isRead(): boolean {
    return !this.#group.unread && !this.#group.deleted
  }

  /** Whether the word starts a group of a special kind. */
  #destination(name: string, optional: boolean): boolean {
    if (this.#math || name === "moMath") return this.#startMath(name)
    if (name === "pict") return this.#startPicture()
    if (repeated.test(name)) this.#group.skipsPictures = true
    if (name === "sp") this.#group.property = { name: "", isRead: this.#isRead }
    if (name === "sn") this.#group.isPropertyName = true
    if (name === "fonttbl" || name === "stylesheet") {
      this.#group.table = name === "fonttbl" ? "fonts" : "styles"
      this.#group.unread = name === "fonttbl"
      return true
    }
    if (name === "field") {
      this.#group.field = { instruction: "", kind: undefined, value: usePreset, preset: 0, entries: [] }
      return true
    }
    if (name === "fldinst" && this.#group.field) {
      this.#group.unread = true
      this.#group.isInstruction = true
      this.#group.collects = "instruction"
      return true
    }
    if (name === "ffl" && this.#group.field) {
      if (this.#group.field.entries.length < maxEntries) this.#group.field.entries.push("")
      this.#group.collects = "entry"
      return true
    }
    if (name === "formfield") this.#group.collects = undefined
    if (name === "fldrslt") {
      // The result of a list repeats its entry.
      if (this.#group.field?.kind === 2) this.#group.unread = true
      this.#group.resultStart = this.#text.length
      return true
    }
    if (name === "nesttableprops") this.#definesNested = true
    if (name === "listtext" || name === "pntext") {
      this.#group.inLabel = true
      this.#group.labelStart = this.#text.length
      return true
    }
    if (unread.has(name) || (optional && !optionalText.has(name) && this.#group.table === undefined)) {
      this.#group.unread = true
      return true
    }
    if (!aside.has(name)) return false
    this.#group.interrupted = this.#text
    this.#text = ""
    return true
  }

  #structure(name: string): boolean {
    if (this.#group.inLabel && paragraphWords.has(name)) return true
    if (name === "par" || name === "sect" || name === "page") {
      if (this.#isRead) this.#flush()
      if (this.#isRead && (!this.#group.hidden || this.#hidden.isMarked)) this.#endParagraph()
    } else if (name === "nestcell") this.#endCell(Math.max(2, this.#nesting))
    else if (name === "nestrow") this.#endNestedRow()
    else if (name === "cell") this.#endCell(1)
    else if (name === "row") this.#endRow()
    else if (name === "intbl") this.#inTable = true
    else if (name === "trowd") {
      this.#rowLeft = 0
      if (this.#definesNested) this.#nestedDefinitions = []
      else this.#cellDefinitions = []
    } else if (name === "pard") {
      this.#inTable = false
      this.#nesting = 1
      this.#style = 0
      this.#outlineLevel = undefined
    } else return false
    return true
  }

  #format(name: string, parameter: number | undefined): void {
    const group = this.#group
    group.picture?.describe(name)
    if (name === "f") {
      this.#flush()
      if (group.table === "fonts") this.#definedFont = parameter ?? 0
      else group.font = parameter
    } else if (this.#describeField(name, parameter ?? 0) || this.#defineCell(name, parameter ?? 0)) return
    else if (name === "itap") this.#nesting = parameter ?? 1
    else if (name === "s") this.#style = parameter ?? 0
    else if (name === "outlinelevel") this.#outlineLevel = parameter
    else if (name === "sbasedon") this.#basedOn = parameter
    else if (name === "plain") {
      this.#flush()
      group.font = undefined
      group.deleted = false
      group.hidden = false
      group.shift = undefined
    } else if (name === "super" || name === "nosupersub" || name === "sub") {
      this.#flush()
      group.shift = name === "nosupersub" || parameter === 0 ? undefined : shifts[name]
    } else if (name === "v" || name === "deleted") {
      this.#flush()
      group[name === "v" ? "hidden" : "deleted"] = parameter !== 0
    } else if (name === "uc") group.fallbackBytes = Math.max(0, parameter ?? 1)
    else if (name === "fcharset" && group.table === "fonts") {
      this.#fonts.setCharacterSet(this.#definedFont, parameter ?? 0)
    } else if (name === "cpg" && group.table === "fonts") {
      this.#fonts.setCodePage(this.#definedFont, parameter ?? 1252)
    } else if (name === "ansicpg") this.#fonts.setCodePage(undefined, parameter ?? 1252)
    else if (name === "mac") this.#fonts.setCodePage(undefined, 10_000)
    else if (name === "pc") this.#fonts.setCodePage(undefined, 437)
    else if (name === "deff") this.#fonts.defaultFont = parameter ?? 0
  }

  #startPicture(): boolean {
    const { hidden, skipsPictures, property } = this.#group
    const isShown = this.#isRead || (property?.isRead === true && property.name === shapePicture)
    if (isShown && !skipsPictures && this.#wantsPicture?.(++this.#pictureCount))
      if (!hidden || this.#hidden.isMarked) this.#group.picture = new RtfPicture()
    this.#group.unread = true
    return true
  }

  #endPicture(picture: RtfPicture): void {
    const number = this.#pictureCount
    const { hidden: isHidden } = this.#group
    if (picture.isPicture) this.pictures.push({ number, picture, location: this.#outline.location, isHidden })
  }

  #describeField(name: string, parameter: number): boolean {
    const { field } = this.#group
    if (!field || !name.startsWith("ff")) return false
    if (name === "fftype") field.kind = parameter
    else if (name === "ffres") field.value = parameter
    else if (name === "ffdefres") field.preset = parameter
    return true
  }

  /** Reads the definition of a cell, which ends with its right edge. */
  #defineCell(name: string, parameter: number): boolean {
    if (name === "trleft") this.#rowLeft = parameter
    else if (name === "clvmgf") this.#nextCell.isFirst = true
    else if (name === "clvmrg") this.#nextCell.coveredBy = "above"
    else if (name === "clmrg") this.#nextCell.coveredBy = "left"
    else if (name === "cellx") {
      const cells = this.#definesNested ? this.#nestedDefinitions : this.#cellDefinitions
      const left = cells.at(-1)?.right ?? this.#rowLeft
      if (cells.length < maxCells) cells.push({ ...this.#nextCell, left, right: parameter })
      this.#nextCell = { isFirst: false, coveredBy: undefined }
    } else return false
    return true
  }

  #endLabel(start: number): void {
    const written = this.#text.slice(start).trim()
    const label = isBlank(written) ? "" : written
    const before = this.#text.slice(0, start)
    // Symbols, also those that a symbol font shows for a letter.
    const isBullet = label !== "" && (!/[\p{L}\p{N}]/u.test(label) || /^[oüØ]$/.test(label))
    this.#text = before + (isBullet ? bullet : label === "" ? "" : `${label} `)
  }

  /** Adds a link's target after its text, unless the text is a heading or shows the target. */
  #addTarget(start: number, field: Field | undefined): void {
    const target = field && getFieldTarget(field.instruction)
    const shown = this.#text.slice(start)
    if (target === undefined || isBlank(shown) || this.#headingLevel !== undefined) return
    const added = getLinkTarget(target, shown)
    if (added !== undefined) this.#text += ` (${added})`
  }

  #addFormValue(field: Field): void {
    const value = field.value === usePreset ? field.preset : field.value
    if (field.kind === 1) this.#add(value === 1 ? "[x] " : "[ ] ")
    else if (field.kind === 2) this.#add(field.entries[value] ?? "")
  }

  /** Starts an equation or a part of it, whose names are those of WordprocessingML after an `m`. */
  #startMath(name: string): boolean {
    if (!this.#isRead || this.#group.hidden || !/^m[a-zA-Z]+$/.test(name)) return false
    const part = name.slice(1)
    if (!this.#math) this.#math = new WordMath()
    else if (!mathProperties.has(part)) this.#math.open(part, {})
    this.#group.math = { name: part, text: "" }
    return true
  }

  #endMath({ name, text }: { name: string; text: string }): void {
    const math = this.#math
    if (!math) return
    if (mathProperties.has(name)) math.open(name, { val: text.trim() })
    else if (name === "r") {
      math.open("t", {})
      math.text(text)
      math.close()
    }
    const equation = math.close()
    if (equation === undefined) return
    this.#math = undefined
    this.#text = joinMath(this.#text, equation)
  }

  /** @param depth of the table, from 1 */
  #endCell(depth: number): void {
    if (!this.#isRead) return
    this.#flush()
    this.#table.paragraph(depth, this.#text)
    this.#text = ""
    this.#table.endCell(depth)
  }

  #endRow(): void {
    this.#table.endRow(1, this.#cellDefinitions)
  }

  #endNestedRow(): void {
    this.#table.endRow(Math.max(2, this.#nesting), this.#nestedDefinitions)
    this.#nestedDefinitions = []
    this.#definesNested = false
  }

  #unicode(parameter: number): void {
    this.#flush()
    const code = parameter < 0 ? parameter + 65_536 : parameter
    const { collects, field } = this.#group
    if (code > 0 && code <= 0x10ffff) {
      if (collects && field) collect(field, collects, String.fromCodePoint(code))
      else this.#add(String.fromCodePoint(code))
    }
    this.#skipped = this.#group.fallbackBytes
  }

  #add(text: string): void {
    this.#flush()
    if (this.#isRead) this.#append(text)
  }

  #flush(): void {
    if (this.#bytes.length === 0) return
    const [first = Buffer.alloc(0)] = this.#bytes
    const bytes = this.#bytes.length === 1 ? first : Buffer.concat(this.#bytes)
    this.#bytes = []
    this.#append(this.#fonts.decode(bytes, this.#group.font))
    if (this.#text.length > maxTextCharacters && this.#group.table === undefined) this.#endParagraph()
  }

  #append(text: string): void {
    const { hidden, shift } = this.#group
    if (!this.#math) {
      if (hidden) this.#text += this.#hidden.enclose(text)
      else {
        const continues = this.#shiftedEnd === this.#text.length
        this.#text = joinShifted(this.#text, text, continues ? undefined : shift)
      }
      if (shift) this.#shiftedEnd = this.#text.length
    } else if (this.#group.math) this.#group.math.text += text
  }

  /** A style's name, such as `heading 1;`, is the text of its group. */
  #endStyle(): void {
    if (this.#basedOn !== undefined && this.#style !== 0 && this.#bases.size < maxStyles)
      this.#bases.set(this.#style, this.#basedOn)
    if (this.#outlineLevel !== undefined && this.#outlineLevel < 9)
      this.#headingStyles.set(this.#style, this.#outlineLevel + 1)
    this.#basedOn = undefined
    this.#outlineLevel = undefined
    const level = /^heading ([1-9]);?$/i.exec(this.#text.trim())?.[1]
    if (level) this.#headingStyles.set(this.#style, Number(level))
    this.#text = ""
    this.#style = 0
  }

  #endParagraph(): void {
    const content = this.#text.startsWith(bullet) ? this.#text.slice(bullet.length) : this.#text
    const text = isBlank(content) ? content : this.#text
    this.#text = ""
    if (this.#inTable) return this.#table.paragraph(this.#nesting, text)
    this.#table.leave()
    const level = this.#headingLevel
    if (level === undefined) this.#outline.paragraph(text)
    else this.#outline.heading(level, text)
  }

  get #headingLevel(): number | undefined {
    if (this.#outlineLevel !== undefined && this.#outlineLevel < 9) return this.#outlineLevel + 1
    let style: number | undefined = this.#style
    for (let step = 0; style !== undefined && step < maxInheritance; step++) {
      const level = this.#headingStyles.get(style)
      if (level !== undefined) return level
      style = this.#bases.get(style)
    }
    return undefined
  }
}

function collect(field: Field, what: "instruction" | "entry", text: string): void {
  if (what === "instruction") {
    if (field.instruction.length < maxInstruction) field.instruction += text
  } else if ((field.entries.at(-1)?.length ?? 0) < maxInstruction) {
    field.entries.push((field.entries.pop() ?? "") + text)
  }
}
