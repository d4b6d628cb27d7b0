import { markdownPicture, takeDataUris } from "../blobs/base64.ts"
import { InnerDocuments } from "../blobs/inner-documents.ts"
import type { Block, Parser } from "../parser.ts"
import { DataPictures, findPicture } from "../pictures/data-pictures.ts"
import { readPicture } from "../pictures/read-picture.ts"
import { HeadingPath } from "../text/flow-outline.ts"
import { htmlFragmentBlocks } from "./html.ts"
import { LineBlock, readLines, type Line } from "../text/split-text.ts"
import { readText } from "../text/text-encoding.ts"

/** Markdown. Blocks have the headings above them; code fences, tables and front matter stay whole. */
export const markdown: Parser = {
  async *parse({ file, scan }, context) {
    const text = readText(file, context)
    if (scan?.picture !== undefined)
      return yield* readPicture(await findPicture(text, scan.picture, markdownPicture), context)
    const documents = new InnerDocuments()
    const reader = new MarkdownReader()
    const pictures = new DataPictures()
    const keys: string[] = []
    const take = (base64: string) => {
      keys.push(pictures.add(base64))
      return pictureMark
    }
    const taker = context.pictures && { take, follows: markdownPicture }
    for await (const lines of readLines(takeDataUris(text, documents, taker))) {
      for (const line of lines) {
        const marks = taker ? line.text.split(pictureMark).length - 1 : 0
        const plain = marks > 0 ? { ...line, text: line.text.replaceAll(pictureMark, "") } : line
        const isCode = reader.isInCode
        yield* skipEmptyBlocks(reader.read(plain))
        for (const key of keys.splice(0, marks))
          if (!isCode) yield* pictures.see(key, reader.at(line), context)
      }
    }
    yield* skipEmptyBlocks(reader.end())
    yield* documents.read(context)
  },
}

/** Stands for the data of a picture until its line is read. Unicode reserves it for use inside a program. */
const pictureMark = "\uFDD2"

/** Lines that are either front matter or, after a rule, the beginning of the text. */
interface FrontMatter {
  type: "front-matter"
  lines: Line[]
  hasKey: boolean
}

const maxFrontMatterLines = 1000
const yamlKey = /^["']?[\w$@][^:]*:(\s|$)/
/** A comment, the entry of a list, an indented line, or an empty line. */
const yamlOther = /^(#|- |\s|$|[\]}])/

/** A table or comment in HTML. */
interface HtmlRegion {
  type: "html"
  lines: Line[]
  close: RegExp
  length: number
}

const maxHtmlCharacters = 1_000_000
const tableStart = /^ {0,3}<table[\s>]/i
const commentStart = /^ {0,3}<!--/
/** A line between parts of the text. */
const ruleLine = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/

type Region =
  | { type: "text" }
  | FrontMatter
  | HtmlRegion
  | { type: "fence"; close: RegExp }
  | { type: "table" }

class MarkdownReader {
  readonly #headings = new HeadingPath()
  readonly #gathered = new LineBlock()
  #region: Region = { type: "text" }
  /** Set while the paragraph has only one line, which may become a table header. */
  #single: Line | undefined

  /** Whether the next line is part of a listing. */
  get isInCode(): boolean {
    return this.#region.type === "fence"
  }

  *read(line: Line): Generator<Block, void, undefined> {
    const region = this.#region
    if (region.type === "front-matter") return yield* this.#frontMatter(line, region)
    if (line.number === 1 && line.text.trimEnd() === "---") {
      this.#region = { type: "front-matter", lines: [], hasKey: false }
      return
    }
    yield* this.#read(line)
  }

  *#read(line: Line): Generator<Block, void, undefined> {
    const region = this.#region
    if (region.type === "fence") return yield* this.#fenced(line, region.close)
    if (region.type === "html") return yield* this.#html(line, region)
    const text = line.text.trimEnd()
    if (region.type === "table") {
      if (text.includes("|")) return yield row("table-row", text, this.at(line))
      this.#region = { type: "text" }
    }
    if (text.trim() === "") return yield* this.#paragraph()
    const fence = /^\s*(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence) {
      yield* this.#paragraph()
      this.#region = { type: "fence", close: new RegExp(`^\\s*${fence[0]}{${fence.length},}\\s*$`) }
      return
    }
    const atx = /^ {0,3}(#{1,6})(?:\s+|$)(.*?)(?:\s+#+)?$/.exec(text)
    if (atx) {
      yield* this.#paragraph()
      return yield* this.#heading(atx[1]?.length ?? 1, atx[2] ?? "", line)
    }
    if (this.#single) {
      const first = this.#single
      if (/^ {0,3}(=+|-{2,})$/.test(text)) {
        this.#gathered.take("heading")
        this.#single = undefined
        return yield* this.#heading(text.includes("=") ? 1 : 2, first.text.trim(), first)
      }
      if (first.text.includes("|") && /^[\s|:-]*-[\s|:-]*$/.test(text)) {
        this.#gathered.take("table-header")
        this.#single = undefined
        this.#region = { type: "table" }
        return yield row("table-header", first.text, this.at(first))
      }
    }
    // Dashes below text underline it.
    if (ruleLine.test(text) && (this.#gathered.isEmpty || !text.trim().startsWith("-")))
      return yield* this.#paragraph()
    const isTable = tableStart.test(text)
    if (isTable || commentStart.test(text)) {
      yield* this.#paragraph()
      return yield* this.#html(line, {
        type: "html",
        lines: [],
        close: isTable ? /<\/table>/i : /-->/,
        length: 0,
      })
    }
    if (this.#gathered.overflows(line)) yield* this.#paragraph()
    this.#single = this.#gathered.isEmpty && !line.continues ? line : undefined
    this.#gathered.add(line)
  }

  *end(): Generator<Block, void, undefined> {
    if (this.#region.type === "front-matter") yield* this.#readAsText(this.#region)
    if (this.#region.type === "html") yield* this.#endHtml(this.#region)
    yield* this.#take(this.#region.type === "fence" ? "code" : "paragraph")
  }

  *#heading(level: number, title: string, line: Line): Generator<Block, void, undefined> {
    if (title === "") return
    const text = title.replace(/(\*\*|__|`)(.+?)\1/g, "$2").replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    this.#headings.enter(level, text)
    yield { kind: "heading", text, location: this.at(line) }
  }

  *#frontMatter(line: Line, region: FrontMatter): Generator<Block, void, undefined> {
    const text = line.text.trimEnd()
    region.lines.push(line)
    if (/^(---|\.\.\.)$/.test(text) && region.hasKey) {
      this.#region = { type: "text" }
      for (const each of region.lines.slice(0, -1)) {
        if (this.#gathered.overflows(each)) yield* this.#take("paragraph")
        this.#gathered.add(each)
      }
      return yield* this.#take("paragraph")
    }
    region.hasKey ||= yamlKey.test(text)
    // An empty line after the first one means that the first one is a rule.
    const isYaml = yamlKey.test(text) || (yamlOther.test(text) && (text !== "" || region.lines.length > 1))
    if (!isYaml || line.continues || region.lines.length > maxFrontMatterLines)
      yield* this.#readAsText(region)
  }

  /** Reads again what turned out not to be front matter. */
  *#readAsText({ lines }: FrontMatter): Generator<Block, void, undefined> {
    this.#region = { type: "text" }
    for (const line of lines) yield* this.#read(line)
  }

  *#fenced(line: Line, close: RegExp): Generator<Block, void, undefined> {
    if (close.test(line.text)) {
      this.#region = { type: "text" }
      return yield* this.#take("code")
    }
    if (this.#gathered.overflows(line)) yield* this.#take("code")
    this.#gathered.add(line)
  }

  *#html(line: Line, region: HtmlRegion): Generator<Block, void, undefined> {
    this.#region = region
    region.lines.push(line)
    region.length += line.text.length
    if (region.close.test(line.text) || region.length > maxHtmlCharacters) yield* this.#endHtml(region)
  }

  *#endHtml({ lines }: HtmlRegion): Generator<Block, void, undefined> {
    this.#region = { type: "text" }
    const [first] = lines
    if (!first) return
    for (const { kind, text } of htmlFragmentBlocks(lines.map((line) => line.text).join("\n")))
      yield { kind, text, location: this.at(first) }
  }

  *#paragraph(): Generator<Block, void, undefined> {
    this.#single = undefined
    yield* this.#take("paragraph")
  }

  *#take(kind: Block["kind"]): Generator<Block, void, undefined> {
    const block = this.#gathered.take(kind, this.#headings.location)
    // An image whose data was dropped is replaced by its description.
    if (block) yield { ...block, text: block.text.replace(/!\[([^\]]*)\]\(\)/g, "$1") }
  }

  /** Returns the location of a line, with the headings above. */
  at(line: Line): Block["location"] {
    return { line: line.number, ...this.#headings.location }
  }
}

/** Empty cells and images without a description contain no text. */
function* skipEmptyBlocks(blocks: Iterable<Block>): Generator<Block, void, undefined> {
  for (const block of blocks) if (block.text.trim() !== "") yield block
}

function row(kind: "table-header" | "table-row", text: string, location: Block["location"]): Block {
  const cells = text.trim().replace(/^\|/, "").replace(/\|$/, "")
  return {
    kind,
    text: cells
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
      .join(" | "),
    location,
  }
}
