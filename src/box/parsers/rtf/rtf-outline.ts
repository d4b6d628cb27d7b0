import iconv from "iconv-lite"
import { failure } from "../parser.ts"
import type { FlowOutline } from "../text/flow-outline.ts"
import type { RtfHandler } from "./rtf-scanner.ts"

const codePageOfCharacterSet: Record<number, string> = {
  77: "macintosh",
  128: "cp932",
  129: "cp949",
  130: "cp949",
  134: "cp936",
  136: "cp950",
  161: "cp1253",
  162: "cp1254",
  163: "cp1258",
  177: "cp1255",
  178: "cp1256",
  186: "cp1257",
  204: "cp1251",
  222: "cp874",
  238: "cp1250",
  254: "cp437",
  255: "cp850",
}

/** The code page of each font in an RTF file. */
class RtfFonts {
  /** For text whose font doesn't specify one. */
  defaultCodePage = "cp1252"
  defaultFont = 0
  readonly #codePages = new Map<number, string>()

  /** A `\fcharset` in the font table. */
  setCharacterSet(font: number, characterSet: number): void {
    const codePage = codePageOfCharacterSet[characterSet]
    if (codePage) this.#codePages.set(font, codePage)
  }

  /** A `\cpg` in the font table, or `\ansicpg` for the whole document. */
  setCodePage(font: number | undefined, number: number): void {
    const name = number === 10_000 ? "macintosh" : number === 65_001 ? "utf8" : `cp${number}`
    if (!iconv.encodingExists(name)) return
    if (font === undefined) this.defaultCodePage = name
    else this.#codePages.set(font, name)
  }

  decode(bytes: Buffer, font: number | undefined): string {
    return iconv.decode(bytes, this.#codePages.get(font ?? this.defaultFont) ?? this.defaultCodePage)
  }
}

/** Control words that represent a character. */
const wordCharacters: Record<string, string> = {
  line: "\n",
  softline: "\n",
  column: "\n",
  tab: " ",
  nestcell: " ",
  nestrow: "\n",
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
    "colortbl info pict object objdata themedata colorschememapping datastore latentstyles listtable " +
    "listoverridetable rsidtbl generator xmlnstbl filetbl revtbl mmathPr pgdsctbl bkmkstart bkmkend fldinst ftnsep " +
    "ftnsepc ftncn aftnsep aftnsepc aftncn template nonshppict panose falt wgrffmtfilter datafield pnseclvl blipuid " +
    "picprop sp sn sv passwordhash protusertbl mailmerge pntext pn xe tc atnid atnauthor atnref atndate"
  ).split(" "),
)
/** Groups marked as optional that do contain text. */
const optionalText = new Set(
  "footnote annotation shptxt shpinst shppict shprslt result nesttableprops mmath listtext".split(" "),
)
/** Groups that interrupt a paragraph with their own paragraphs. */
const aside = new Set(
  "footnote annotation shptxt header headerl headerr headerf footer footerl footerr footerf".split(" "),
)
const maxDepth = 5000
/** Text without any paragraph end is split at this length. */
const maxTextCharacters = 65_536

interface Group {
  unread: boolean
  hidden: boolean
  font: number | undefined
  /** Number of bytes that repeat a `\u` for programs that don't support it. */
  fallbackBytes: number
  table: "fonts" | "styles" | undefined
  /** Text of the paragraph that this group interrupts. */
  interrupted: string | undefined
}

/** Creates headings, paragraphs and tables from RTF tokens. */
export class RtfOutline implements RtfHandler {
  readonly #outline: FlowOutline
  readonly #fonts = new RtfFonts()
  readonly #headingStyles = new Map<number, number>()
  readonly #groups: Group[] = []
  #group: Group = {
    unread: false,
    hidden: false,
    font: undefined,
    fallbackBytes: 1,
    table: undefined,
    interrupted: undefined,
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
  #tableOpen = false
  #cellOpen = false
  #rowOpen = false

  constructor(outline: FlowOutline) {
    this.#outline = outline
  }

  begin(): void {
    this.#flush()
    if (this.#groups.length >= maxDepth) throw failure("rtf_too_deep")
    this.#groups.push(this.#group)
    this.#group = { ...this.#group, interrupted: undefined }
    this.#isFirst = true
    this.#isOptional = false
    this.#skipped = 0
  }

  end(): void {
    this.#flush()
    const { interrupted, table } = this.#group
    if (table === "styles") this.#endStyle()
    if (interrupted !== undefined) {
      this.#endParagraph()
      this.#text = interrupted
    }
    this.#group = this.#groups.pop() ?? this.#group
    this.#skipped = 0
  }

  /** Call at the end of the file. Text that no `\par` ended is still a paragraph. */
  finish(): void {
    while (this.#groups.length > 0) this.end()
    this.#flush()
    this.#endParagraph()
    this.#outline.endTable()
  }

  text(bytes: Buffer): void {
    this.#isFirst = false
    const skipped = Math.min(this.#skipped, bytes.length)
    this.#skipped -= skipped
    if (this.#isRead && bytes.length > skipped) this.#bytes.push(bytes.subarray(skipped))
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
    return !this.#group.unread && !this.#group.hidden
  }

  /** Whether the word starts a group of a special kind. */
  #destination(name: string, optional: boolean): boolean {
    if (name === "fonttbl" || name === "stylesheet") {
      this.#group.table = name === "fonttbl" ? "fonts" : "styles"
      this.#group.unread = name === "fonttbl"
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
    if (name === "par" || name === "sect" || name === "page") {
      if (this.#isRead) this.#flush()
      if (this.#isRead) this.#endParagraph()
    } else if (name === "cell") this.#endCell()
    else if (name === "row") this.#endRow()
    else if (name === "intbl") this.#inTable = true
    else if (name === "pard") {
      this.#inTable = false
      this.#style = 0
      this.#outlineLevel = undefined
    } else return false
    return true
  }

  #format(name: string, parameter: number | undefined): void {
    const group = this.#group
    if (name === "f") {
      this.#flush()
      if (group.table === "fonts") this.#definedFont = parameter ?? 0
      else group.font = parameter
    } else if (name === "s") this.#style = parameter ?? 0
    else if (name === "outlinelevel") this.#outlineLevel = parameter
    else if (name === "plain") {
      this.#flush()
      group.font = undefined
      group.hidden = false
    } else if (name === "v" || name === "deleted") {
      this.#flush()
      group.hidden = parameter !== 0
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

  #unicode(parameter: number): void {
    this.#flush()
    const code = parameter < 0 ? parameter + 65_536 : parameter
    if (code > 0 && code <= 0x10ffff) this.#add(String.fromCodePoint(code))
    this.#skipped = this.#group.fallbackBytes
  }

  #add(text: string): void {
    this.#flush()
    if (this.#isRead) this.#text += text
  }

  #flush(): void {
    if (this.#bytes.length === 0) return
    const [first = Buffer.alloc(0)] = this.#bytes
    const bytes = this.#bytes.length === 1 ? first : Buffer.concat(this.#bytes)
    this.#bytes = []
    this.#text += this.#fonts.decode(bytes, this.#group.font)
    if (this.#text.length > maxTextCharacters && this.#group.table === undefined) this.#endParagraph()
  }

  /** A style's name, such as `heading 1;`, is the text of its group. */
  #endStyle(): void {
    const level = /^heading ([1-9]);?$/i.exec(this.#text.trim())?.[1]
    if (level) this.#headingStyles.set(this.#style, Number(level))
    this.#text = ""
    this.#style = 0
  }

  #endParagraph(): void {
    const text = this.#text
    this.#text = ""
    if (this.#inTable) return this.#addToCell(text)
    this.#leaveTable()
    const level =
      this.#outlineLevel !== undefined && this.#outlineLevel < 9
        ? this.#outlineLevel + 1
        : this.#headingStyles.get(this.#style)
    if (level === undefined) this.#outline.paragraph(text)
    else this.#outline.heading(level, text)
  }

  #addToCell(text: string): void {
    if (!this.#tableOpen) this.#outline.startTable()
    if (!this.#rowOpen) this.#outline.startRow()
    if (!this.#cellOpen) this.#outline.startCell()
    this.#tableOpen = true
    this.#rowOpen = true
    this.#cellOpen = true
    this.#outline.paragraph(text)
  }

  #endCell(): void {
    if (!this.#isRead) return
    this.#flush()
    this.#addToCell(this.#text)
    this.#text = ""
    this.#cellOpen = false
  }

  #endRow(): void {
    this.#outline.endRow()
    this.#rowOpen = false
    this.#cellOpen = false
  }

  #leaveTable(): void {
    if (this.#tableOpen) this.#outline.endTable()
    this.#tableOpen = false
    this.#rowOpen = false
    this.#cellOpen = false
  }
}
