import { Parser as HtmlTokens } from "htmlparser2"
import { takeDataUris } from "../blobs/base64.ts"
import { InnerDocuments } from "../blobs/inner-documents.ts"
import { failure, maxBlockCharacters, type Block, type ParseContext, type Parser } from "../parser.ts"
import { HeadingPath } from "../text/flow-outline.ts"
import { removeInvisible } from "../text/invisible-characters.ts"
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

const unread = new Set(["script", "style", "noscript", "template", "svg", "iframe", "object", "canvas"])
const blockLevel = new Set(
  (
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset " +
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol optgroup " +
    "option p pre section select summary table tbody td textarea tfoot th thead title tr ul"
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
  #navigationDepth = 0
  #preformattedDepth = 0
  #headingDepth = 0
  /** The source of the open `noframes`, which the tokenizer passes on as text. */
  #noframes: string | undefined
  #written = 0
  readonly #showsLinks: boolean
  readonly #links: { target: string; start: number }[] = []
  #linkCount = 0

  constructor(showsLinks: boolean) {
    this.#showsLinks = showsLinks
  }

  open(name: string, attributes: Record<string, string>): void {
    if (++this.#depth > maxDepth) throw failure("html_too_deep")
    if (unread.has(name)) this.#unreadDepth++
    if (this.#unreadDepth > 0) return
    if (blockLevel.has(name)) this.#boundary(name)
    if (name === "nav") this.#navigationDepth++
    else if (headingTag.test(name)) this.#headingDepth++
    else if (name === "pre" || name === "textarea") this.#preformattedDepth++
    else if (name === "li") this.#text += "- "
    else if (name === "br") this.#text += lineBreak
    else if (name === "img" && attributes["alt"]) this.#text += ` ${attributes["alt"]} `
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
    if (this.#unreadDepth > 0) return
    if (this.#noframes !== undefined) {
      if (this.#noframes.length < maxNoframesCharacters) this.#noframes += text
      return
    }
    this.#text += text
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
    if (this.#unreadDepth > 0) {
      if (unread.has(name)) this.#unreadDepth--
      return
    }
    if (name === "noframes") this.#endNoframes()
    else if (name === "pre" || name === "textarea") {
      this.#leaveRow()
      this.#write("code", this.#takeText())
      this.#preformattedDepth--
    } else if (name === "a") this.#endLink()
    else if (headingTag.test(name)) {
      this.#headingDepth--
      this.#heading(Number(name[1]))
    } else if (name === "title") this.#write("heading", this.#takeText())
    else if (name === "tr") this.#endRow()
    else if (blockLevel.has(name)) this.#boundary(name)
    if (name === "nav") this.#navigationDepth--
    else if (name === "table") this.#covers.pop()
  }

  end(): void {
    this.#endRow()
    this.#write("paragraph", this.#takeText())
    if (this.#written < littleText) this.blocks.push(...this.#navigation)
  }

  /** Handles the start or end of an element that begins a new line. */
  #boundary(name: string): void {
    if (this.#row) {
      const layout = layoutTags.has(name) || this.#row.length + this.#text.length > maxCellCharacters
      if (name === "tr") this.#endRow()
      else if (layout) this.#leaveRow()
      else if (name !== "td" && name !== "th") this.#text += " "
    }
    if (!this.#row) this.#write("paragraph", this.#takeText())
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
  async *parse({ file, article }, context) {
    const text = readText(file, context, declaredEncoding)
    if (article) yield* articleBlocks(text)
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

/** Yields blocks of HTML that arrives in chunks. With a context, also reads documents in its `data:` URIs. */
export async function* htmlBlocks(
  chunks: AsyncIterable<string> | Iterable<string>,
  context?: ParseContext,
  { showsLinks = false } = {},
): AsyncGenerator<Block, void, undefined> {
  const documents = context && new InnerDocuments()
  const outline = new HtmlOutline(showsLinks)
  const tokens = createTokens(outline)
  for await (const chunk of takeDataUris(chunks, documents)) {
    tokens.write(chunk)
    yield* outline.blocks.splice(0)
  }
  tokens.end()
  outline.end()
  yield* outline.blocks
  if (context && documents) yield* documents.read(context)
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
