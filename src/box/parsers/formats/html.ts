import { Parser as HtmlTokens } from "htmlparser2"
import { takeDataUris } from "../blobs/base64.ts"
import { InnerDocuments } from "../blobs/inner-documents.ts"
import { failure, maxBlockCharacters, type Block, type ParseContext, type Parser } from "../parser.ts"
import { HeadingPath } from "../text/flow-outline.ts"
import { cutPoint, splitText } from "../text/split-text.ts"
import { readText, createDecoder, detectEncoding } from "../text/text-encoding.ts"
import { unicodeEncoding } from "../text/unicode-encoding.ts"

/** Collects the cells of a table row. */
class TableRow {
  readonly cells: string[] = []
  #headers = 0

  startCell(header: boolean, textBefore: string): void {
    this.add(textBefore)
    this.cells.push("")
    if (header) this.#headers++
  }

  /** Adds text to the current cell. */
  add(text: string): void {
    if (this.cells.length === 0) {
      if (text.trim() !== "") this.cells.push(text)
    } else this.cells.push(`${this.cells.pop() ?? ""}${text}`)
  }

  get length(): number {
    return this.cells.reduce((sum, cell) => sum + cell.length, 0)
  }

  /** Whether every cell is a header cell. */
  get isHeader(): boolean {
    return this.#headers > 0 && this.#headers === this.cells.length
  }
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
  #depth = 0
  #unreadDepth = 0
  #navigationDepth = 0
  #preformattedDepth = 0
  #written = 0

  open(name: string, attributes: Record<string, string>): void {
    if (++this.#depth > maxDepth) throw failure("html_too_deep")
    if (unread.has(name)) this.#unreadDepth++
    if (this.#unreadDepth > 0) return
    if (blockLevel.has(name)) this.#boundary(name)
    if (name === "nav") this.#navigationDepth++
    else if (name === "pre" || name === "textarea") this.#preformattedDepth++
    else if (name === "li") this.#text += "- "
    else if (name === "br") this.#text += lineBreak
    else if (name === "img" && attributes["alt"]) this.#text += ` ${attributes["alt"]} `
    else if (name === "tr") this.#row = new TableRow()
    else if (name === "td" || name === "th") this.#row?.startCell(name === "th", this.#takeText())
  }

  text(text: string): void {
    if (this.#unreadDepth > 0) return
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
    if (name === "pre" || name === "textarea") {
      this.#leaveRow()
      this.#write("code", this.#takeText())
      this.#preformattedDepth--
    } else if (/^h[1-6]$/.test(name)) this.#heading(Number(name[1]))
    else if (name === "title") this.#write("heading", this.#takeText())
    else if (name === "tr") this.#endRow()
    else if (blockLevel.has(name)) this.#boundary(name)
    if (name === "nav") this.#navigationDepth--
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
    const cells = this.#row.cells.map(collapse)
    const kind = cells.length < 2 ? "paragraph" : this.#row.isHeader ? "table-header" : "table-row"
    this.#row = undefined
    if (cells.some((cell) => cell !== "")) this.#write(kind, cells.join(" | "))
  }

  /** Ends a row that turned out not to be data. Its content so far becomes text. */
  #leaveRow(): void {
    if (!this.#row) return
    this.#row.add(this.#takeText())
    const text = this.#row.cells.join(lineBreak)
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

function collapse(text: string): string {
  return text
    .replace(/[^\S\u2028]+/g, " ")
    .replace(/ ?\u2028+ ?/g, "\n")
    .trim()
}

/** HTML as a reader sees it: headings, paragraphs, list items, tables and preformatted text, without scripts or styles. */
export const html: Parser = {
  async *parse({ file, article }, context) {
    const text = readText(file, declaredEncoding)
    if (article) yield* articleBlocks(text)
    else yield* htmlBlocks(text, context)
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
): AsyncGenerator<Block, void, undefined> {
  const documents = context && new InnerDocuments()
  const outline = new HtmlOutline()
  const tokens = new HtmlTokens({
    onopentag: (name, attributes) => outline.open(name, attributes),
    ontext: (text) => outline.text(text),
    onclosetag: (name) => outline.close(name),
  })
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
  const decoder = createDecoder(unicodeEncoding(bytes) ?? (await detectEncoding(bytes, declared)))
  return decoder.write(bytes) + decoder.end()
}

/** Returns the charset from a meta element or an XML declaration. */
function declaredEncoding(head: string): string | undefined {
  const meta = /<meta\b[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)
  return meta?.[1] ?? /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
}
