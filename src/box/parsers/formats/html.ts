import { Parser as HtmlTokens } from "htmlparser2"
import { takeDataUris } from "../blobs/base64.ts"
import { InnerDocuments } from "../blobs/inner-documents.ts"
import type { Location } from "../../../shared/contract/location.ts"
import { failure, maxBlockCharacters, type Block, type ParseContext, type Parser } from "../parser.ts"
import { DataPictures, findPicture } from "../pictures/data-pictures.ts"
import { readPicture } from "../pictures/read-picture.ts"
import { HeadingPath } from "../text/flow-outline.ts"
import { formatNumber } from "../text/list-numbers.ts"
import { removeInvisible } from "../text/invisible-characters.ts"
import { joinMath, joinShifted, MathMl, type Shift } from "../text/linear-math.ts"
import { getLinkTarget } from "../text/link-target.ts"
import { cutPoint, splitText } from "../text/split-text.ts"
import { readText, createDecoder, detectEncoding } from "../text/text-encoding.ts"
import { unicodeEncoding } from "../text/unicode-encoding.ts"

const maxColumns = 1000
const maxSpan = 1000
/** A longer cell isn't repeated in the rows and columns that it covers. */
const maxRepeatedCell = 300
/** Maximum characters repeated in all tables of a page. */
const maxRepeated = 1_000_000

interface Cell {
  text: string
  columns: number
  rows: number
}

/** A cell of an upper row that covers this column of the next rows. */
interface Cover {
  text: string
  rows: number
}

/** Collects the cells of a table row. */
class TableRow {
  readonly #cells: Cell[] = []
  #headers = 0

  startCell(header: boolean, textBefore: string, columns: number, rows: number): void {
    this.add(textBefore)
    this.#cells.push({ text: "", columns, rows })
    if (header) this.#headers++
  }

  /** Adds text to the current cell. */
  add(text: string): void {
    const cell = this.#cells.at(-1)
    if (cell) cell.text += text
    else if (text.trim() !== "") this.#cells.push({ text, columns: 1, rows: 1 })
  }

  get texts(): string[] {
    return this.#cells.map(({ text }) => text)
  }

  get length(): number {
    return this.#cells.reduce((sum, { text }) => sum + text.length, 0)
  }

  /** Whether every cell is a header cell. */
  get isHeader(): boolean {
    return this.#headers > 0 && this.#headers === this.#cells.length
  }

  /**
   * Returns the row's cells by column. A cell that covers several columns is repeated, and so is a cell of an upper row that reaches down to
   * this row.
   * @param covers the cells of upper rows by column, which are updated
   * @param repeatable returns the text of a cell as it is repeated
   */
  place(covers: Map<number, Cover>, repeatable: (text: string) => string): string[] {
    const placed: string[] = []
    const fillCovered = () => {
      for (let cover = covers.get(placed.length); cover; cover = covers.get(placed.length)) {
        if (--cover.rows === 0) covers.delete(placed.length)
        placed.push(repeatable(cover.text))
      }
    }
    for (const { text: raw, columns, rows } of this.#cells) {
      fillCovered()
      const text = collapse(raw)
      const isAlone = this.#cells.length === 1 && placed.length === 0 && covers.size === 0
      for (let column = 0; column < (isAlone ? 1 : columns) && placed.length < maxColumns; column++) {
        if (rows > 1) covers.set(placed.length, { text, rows: rows - 1 })
        placed.push(column === 0 ? text : repeatable(text))
      }
    }
    fillCovered()
    return placed
  }
}

function getSpan(value: string | undefined, zero: number): number {
  const span = Number.parseInt(value ?? "1", 10)
  return span > 0 ? Math.min(span, maxSpan) : span === 0 ? zero : 1
}

const unread = new Set("script style noscript template svg iframe object canvas datalist rp".split(" "))
const blockLevel = new Set(
  (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset " +
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol p " +
    "pre section summary table tbody td textarea tfoot th thead title tr ul"
  ).split(" "),
)
const layoutTags = new Set(["table", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "textarea"])
const rowGroups = new Set(["thead", "tbody", "tfoot"])
const headingTag = /^h[1-6]$/
const maxNoframesCharacters = 1_000_000
/** Maximum links of a page whose targets are shown. */
const maxLinks = 1000
const maxDepth = 10_000
/** A cell with more text than this, in several paragraphs, is part of the page's layout. */
const maxCellCharacters = 1000
/** Represents `<br>` until white space is collapsed. */
const lineBreak = "\u2028"
/** Text without any tag is split after this many characters. */
const maxTextCharacters = 65_536
/** A page with less text than this outside its navigation is treated as navigation only. */
const littleText = 200
const maxNavigationBlocks = 500

/** An open list, whose items are numbered if it is ordered. */
interface List {
  format: string | undefined
  next: number
}

const numberFormats: Record<string, string> = {
  a: "lowerLetter",
  A: "upperLetter",
  i: "lowerRoman",
  I: "upperRoman",
  "lower-alpha": "lowerLetter",
  "upper-alpha": "upperLetter",
  "lower-latin": "lowerLetter",
  "upper-latin": "upperLetter",
  "lower-roman": "lowerRoman",
  "upper-roman": "upperRoman",
  "decimal-leading-zero": "decimalZero",
}

function createList(name: string, { type = "", start, style = "" }: Record<string, string>): List {
  const styled = /list-style(?:-type)?\s*:\s*([a-z-]+)/i.exec(style)?.[1] ?? ""
  const format = name === "ol" ? (numberFormats[styled] ?? numberFormats[type] ?? "decimal") : undefined
  return { format, next: Number.parseInt(start ?? "1", 10) || (start === "0" ? 0 : 1) }
}

/** A drop-down list, of which people see the chosen entry, or a list in which several can be chosen. */
interface Select {
  showsAll: boolean
  options: { text: string; isSelected: boolean }[]
}

const maxOptions = 1000

function describeSelect({ showsAll, options }: Select): string {
  const clean = options.map(({ text, isSelected }) => ({ text: text.trim(), isSelected }))
  if (showsAll)
    return clean.map(({ text, isSelected }) => `${isSelected ? "[x]" : "[ ]"} ${text}`).join(lineBreak)
  return (clean.find(({ isSelected }) => isSelected) ?? clean[0])?.text ?? ""
}

/** Whether an element says itself that it isn't shown. Style sheets and scripts aren't read. */
function isHidden({ hidden, style }: Record<string, string>): boolean {
  if (hidden !== undefined && hidden !== "until-found") return true
  return style !== undefined && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
}

/** Turns tags and text into blocks. Navigation is left out unless there is hardly any other text. */
class HtmlOutline {
  readonly blocks: Block[] = []
  readonly #headings = new HeadingPath()
  readonly #navigation: Block[] = []
  #text = ""
  #row: TableRow | undefined
  /** For each open table, the cells that cover its next rows. */
  readonly #covers: Map<number, Cover>[] = []
  #repeated = 0
  #depth = 0
  #unreadDepth = 0
  /** Depth of the outermost open element that is hidden. */
  #hiddenDepth: number | undefined
  /** How the next text is shifted. */
  #nextShift: Shift
  readonly #lists: List[] = []
  /** The number or bullet of the latest list item, and of those around it that have no other text. */
  #marker = ""
  #select: Select | undefined
  #navigationDepth = 0
  #preformattedDepth = 0
  #headingDepth = 0
  #math: MathMl | undefined
  /** The source of the open `noframes`, which the tokenizer passes on as text. */
  #noframes: string | undefined
  #written = 0
  readonly #showsLinks: boolean
  readonly #showsPictures: boolean
  readonly #links: { target: string; start: number }[] = []
  #linkCount = 0

  /** @param showsPictures whether pictures become blocks without text, whose key is the picture's address */
  constructor(showsLinks: boolean, showsPictures = false) {
    this.#showsLinks = showsLinks
    this.#showsPictures = showsPictures
  }

  open(name: string, attributes: Record<string, string>): void {
    if (++this.#depth > maxDepth) throw failure("html_too_deep")
    if (this.#hiddenDepth !== undefined) return
    if (unread.has(name)) this.#unreadDepth++
    if (this.#unreadDepth > 0) return
    if (isHidden(attributes)) {
      this.#hiddenDepth = this.#depth
      return
    }
    if (this.#math) return this.#math.open(name, attributes)
    if (blockLevel.has(name)) this.#boundary(name)
    if (name === "nav") this.#navigationDepth++
    else if (headingTag.test(name)) this.#headingDepth++
    else if (name === "pre" || name === "textarea") this.#preformattedDepth++
    else if (name === "ol" || name === "ul" || name === "menu") this.#lists.push(createList(name, attributes))
    else if (name === "li") this.#startItem(attributes["value"])
    else if (name === "select") {
      const showsAll = attributes["multiple"] !== undefined || Number(attributes["size"] ?? 1) > 1
      this.#select = { showsAll, options: [] }
    } else if (name === "option") this.#startOption(attributes["selected"] !== undefined)
    else if (name === "br") this.#text += lineBreak
    else if (name === "sup" || name === "sub") this.#nextShift = name === "sup" ? "raised" : "lowered"
    else if (name === "rt") this.#text += "("
    else if (name === "math") this.#math = new MathMl()
    else if (name === "img") this.#addPicture(attributes)
    else if (name === "tr") this.#row = new TableRow()
    else if (name === "td" || name === "th") {
      const { colspan, rowspan } = attributes
      this.#row?.startCell(name === "th", this.#takeText(), getSpan(colspan, 1), getSpan(rowspan, maxSpan))
    } else if (name === "table") this.#covers.push(new Map())
    else if (rowGroups.has(name)) this.#covers.at(-1)?.clear()
    else if (name === "input") this.#text += describeInput(attributes)
    else if (name === "frame") this.#frame(attributes)
    else if (name === "noframes") this.#noframes = ""
    else if (name === "a") this.#links.push({ target: attributes["href"] ?? "", start: this.#text.length })
  }

  text(text: string): void {
    if (this.#unreadDepth > 0 || this.#hiddenDepth !== undefined) return
    if (this.#math) return this.#math.text(text)
    if (this.#select) {
      const option = this.#select.options.at(-1)
      if (option && option.text.length < maxCellCharacters) option.text += text
      return
    }
    if (this.#noframes !== undefined) {
      if (this.#noframes.length < maxNoframesCharacters) this.#noframes += text
      return
    }
    this.#text = joinShifted(this.#text, text, this.#nextShift)
    this.#nextShift = undefined
    if (this.#text.length > maxTextCharacters) {
      const cut = cutPoint(this.#text, maxTextCharacters)
      const rest = this.#text.slice(cut)
      this.#text = this.#text.slice(0, cut)
      this.#leaveRow()
      this.#write(this.#preformattedDepth > 0 ? "code" : "paragraph", this.#takeText())
      this.#text = rest
    }
  }

  close(name: string): void {
    this.#depth--
    if (this.#hiddenDepth !== undefined) {
      if (this.#depth < this.#hiddenDepth) this.#hiddenDepth = undefined
      return
    }
    if (this.#unreadDepth > 0) {
      if (unread.has(name)) this.#unreadDepth--
      return
    }
    if (this.#math) return this.#closeMath(this.#math)
    if (name === "sup" || name === "sub") this.#nextShift = undefined
    else if (name === "rt") this.#text += ")"
    if (name === "li" && this.#hasOnlyMarker) this.#text = ""
    if (name === "noframes") this.#endNoframes()
    else if (name === "pre" || name === "textarea") {
      this.#leaveRow()
      this.#write("code", this.#takeText())
      this.#preformattedDepth--
    } else if (name === "select") this.#endSelect()
    else if (name === "a") this.#endLink()
    else if (headingTag.test(name)) {
      this.#headingDepth--
      this.#heading(Number(name[1]))
    } else if (name === "title") this.#write("heading", this.#takeText())
    else if (name === "tr") this.#endRow()
    else if (blockLevel.has(name)) this.#boundary(name)
    if (name === "nav") this.#navigationDepth--
    else if (name === "ol" || name === "ul" || name === "menu") this.#lists.pop()
    else if (name === "table") this.#covers.pop()
  }

  #closeMath(math: MathMl): void {
    const equation = math.close()
    if (equation === undefined) return
    this.#math = undefined
    this.#text = joinMath(this.#text, equation)
  }

  end(): void {
    this.#endRow()
    this.#write("paragraph", this.#takeText())
    if (this.#written < littleText) this.blocks.push(...this.#navigation)
  }

  #addPicture({ alt, src }: Record<string, string>): void {
    if (alt) this.#text += ` ${alt} `
    if (!this.#showsPictures || !src || this.#navigationDepth > 0) return
    this.blocks.push({
      kind: "image",
      text: "",
      location: this.#headings.location,
      picture: { key: src, inside: [] },
    })
  }

  #startItem(value: string | undefined): void {
    const list = this.#lists.at(-1)
    const own = Number.parseInt(value ?? "", 10)
    if (list && Number.isSafeInteger(own)) list.next = own
    this.#text += list?.format === undefined ? "- " : `${formatNumber(list.next++, list.format)}. `
    this.#marker = this.#text.trim()
  }

  /** Whether the text so far is only that of `#marker`, which then precedes the item's first paragraph or heading. */
  get #hasOnlyMarker(): boolean {
    return this.#marker !== "" && this.#text.trim() === this.#marker
  }

  #startOption(isSelected: boolean): void {
    if (this.#select && this.#select.options.length < maxOptions)
      this.#select.options.push({ text: "", isSelected })
  }

  #endSelect(): void {
    const select = this.#select
    this.#select = undefined
    if (select) this.#text += ` ${describeSelect(select)} `
  }

  /** Handles the start or end of an element that begins a new line. */
  #boundary(name: string): void {
    if (this.#row) {
      const layout = layoutTags.has(name) || this.#row.length + this.#text.length > maxCellCharacters
      if (name === "tr") this.#endRow()
      else if (layout) this.#leaveRow()
      else if (name !== "td" && name !== "th") this.#text += " "
    }
    if (this.#row || (this.#hasOnlyMarker && name !== "table")) return
    this.#write("paragraph", this.#takeText())
  }

  #heading(level: number): void {
    const title = collapse(this.#takeText())
    if (this.#navigationDepth === 0 && title !== "") this.#headings.enter(level, title)
    this.#write("heading", title)
  }

  #endRow(): void {
    if (!this.#row) return
    this.#row.add(this.#takeText())
    const cells = this.#row.place(this.#covers.at(-1) ?? new Map(), (text) => this.#repeat(text))
    const kind = cells.length < 2 ? "paragraph" : this.#row.isHeader ? "table-header" : "table-row"
    const hasOwn = this.#row.texts.some((text) => text.trim() !== "")
    this.#row = undefined
    if (hasOwn) this.#write(kind, cells.join(" | "))
  }

  #repeat(text: string): string {
    if (text.length > maxRepeatedCell || this.#repeated > maxRepeated) return ""
    this.#repeated += text.length
    return text
  }

  /** A frame's page is another file, of which only the name is known. */
  #frame({ title, name, src }: Record<string, string>): void {
    const label = title ?? name
    this.#text += [label, src && (label ? `(${src})` : src)].filter(Boolean).join(" ")
    this.#write("paragraph", this.#takeText())
  }

  #endNoframes(): void {
    const source = this.#noframes ?? ""
    this.#noframes = undefined
    const tokens = createTokens(this)
    tokens.end(source)
    this.#boundary("div")
  }

  /** Adds the target of a link that its text doesn't show. Navigation and headings have none, and relative targets mean nothing alone. */
  #endLink(): void {
    const link = this.#links.pop()
    if (!link || !this.#showsLinks || this.#navigationDepth > 0 || this.#headingDepth > 0) return
    const shown = this.#text.slice(link.start)
    if (link.start > this.#text.length || shown.trim() === "" || this.#linkCount >= maxLinks) return
    const target = getLinkTarget(link.target, shown)
    if (target === undefined) return
    this.#linkCount++
    this.#text += ` (${target})`
  }

  /** Ends a row that turned out not to be data. Its content so far becomes text. */
  #leaveRow(): void {
    if (!this.#row) return
    this.#row.add(this.#takeText())
    const text = this.#row.texts.join(lineBreak)
    this.#row = undefined
    this.#write("paragraph", text)
  }

  #takeText(): string {
    const text = this.#text
    this.#text = ""
    return text
  }

  #write(kind: Block["kind"], raw: string): void {
    const preformatted = this.#preformattedDepth > 0
    const text = preformatted
      ? raw
          .replaceAll(lineBreak, "\n")
          .replace(/^\s*\n/, "")
          .trimEnd()
      : collapse(raw)
    if (text === "" || text === "-") return
    const inNavigation = this.#navigationDepth > 0
    for (const part of splitText(text, maxBlockCharacters)) {
      const block = { kind, text: part, location: this.#headings.location }
      if (!inNavigation) this.blocks.push(block)
      else if (this.#navigation.length < maxNavigationBlocks) this.#navigation.push(block)
    }
    if (!inNavigation) this.#written += text.length
  }
}

/** Returns what a person sees of a field in a form. */
function describeInput({ type = "text", value = "", checked }: Record<string, string>): string {
  if (type === "checkbox" || type === "radio") return checked === undefined ? "[ ] " : "[x] "
  return /^(text|date|email|number|tel|url|search|time|month|week|datetime-local)$/.test(type)
    ? ` ${value} `
    : ""
}

function collapse(text: string): string {
  return removeInvisible(text)
    .replace(/[^\S\u2028]+/g, " ")
    .replace(/ ?\u2028+ ?/g, "\n")
    .trim()
}

function createTokens(outline: HtmlOutline): HtmlTokens {
  return new HtmlTokens({
    onopentag: (name, attributes) => outline.open(name, attributes),
    ontext: (text) => outline.text(text),
    onclosetag: (name) => outline.close(name),
  })
}

/** HTML as a reader sees it: headings, paragraphs, list items, tables and preformatted text, without scripts or styles. */
export const html: Parser = {
  async *parse({ file, article, scan }, context) {
    const text = readText(file, context, declaredEncoding)
    if (article) yield* articleBlocks(text)
    else if (scan?.picture !== undefined) yield* readPicture(await findPicture(text, scan.picture), context)
    else yield* htmlBlocks(text, context, { showsLinks: true })
  },
}

/** Yields the blocks of the main text only, or of everything if there is no clear main text. */
async function* articleBlocks(chunks: AsyncIterable<string>): AsyncGenerator<Block, void, undefined> {
  const { findArticle } = await import("../html/article.ts")
  let whole = ""
  for await (const chunk of chunks) whole += chunk
  let article: string | undefined
  try {
    article = findArticle(whole)
  } catch {
    // The library is made for well-formed pages. It fails on very large or broken ones, which are read as a whole.
  }
  yield* htmlBlocks([article ?? whole])
}

interface HtmlOptions {
  showsLinks?: boolean
  /** Yields blocks for a picture with this address, at this place; by default for pictures in `data:` URIs. */
  see?: (address: string, location: Location) => AsyncIterable<Block>
}

/**
 * Yields blocks of HTML that arrives in chunks. With a context, also reads documents in its `data:` URIs, and its pictures, if they are
 * wanted.
 */
export async function* htmlBlocks(
  chunks: AsyncIterable<string> | Iterable<string>,
  context?: ParseContext,
  { showsLinks = false, see }: HtmlOptions = {},
): AsyncGenerator<Block, void, undefined> {
  const documents = context && new InnerDocuments()
  const outline = new HtmlOutline(showsLinks, context?.pictures !== undefined)
  const tokens = createTokens(outline)
  const pictures = new DataPictures()
  const seePicture = see ?? ((key: string, location: Location) => pictures.see(key, location, context))
  async function* take(): AsyncGenerator<Block, void, undefined> {
    for (const block of outline.blocks.splice(0)) {
      if (block.picture) yield* seePicture(block.picture.key, block.location)
      else yield block
    }
  }
  const taker = context?.pictures && { take: (base64: string) => pictures.add(base64) }
  for await (const chunk of takeDataUris(chunks, documents, taker)) {
    tokens.write(chunk)
    yield* take()
  }
  tokens.end()
  outline.end()
  yield* take()
  if (context && documents) yield* documents.read(context)
}

/** Returns the blocks of HTML inside another document. */
export function htmlFragmentBlocks(source: string): Block[] {
  const outline = new HtmlOutline(true)
  const tokens = createTokens(outline)
  tokens.end(source)
  outline.end()
  return outline.blocks
}

/** Decodes a complete HTML file in any encoding. */
export async function decodeHtml(bytes: Buffer): Promise<string> {
  const declared = declaredEncoding(bytes.toString("latin1", 0, 4096))
  const decoder = createDecoder(unicodeEncoding(bytes) ?? (await detectEncoding(bytes, declared)).encoding)
  return decoder.write(bytes) + decoder.end()
}

/** Returns the charset from a meta element or an XML declaration. */
export function declaredEncoding(head: string): string | undefined {
  const meta = /<meta\b[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)
  return meta?.[1] ?? /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
}
