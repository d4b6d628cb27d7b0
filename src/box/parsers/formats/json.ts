import { isBase64, holdsDataUri, removeDataUris } from "../blobs/base64.ts"
import { collectFileHint, type FileHints, maxBase64Length, InnerDocuments } from "../blobs/inner-documents.ts"
import { maxBlockCharacters, failure, type Block, type Parser } from "../parser.ts"
import { cutPoint, LineBlock, type Line, splitText } from "../text/split-text.ts"
import { readText } from "../text/text-encoding.ts"

/** The events of a scanner, in order. Colons have no event; their position follows from the order. */
interface JsonEvents {
  open(array: boolean): void
  close(): void
  comma(): void
  /** A string, number or word. A long string arrives in several parts, all but the last with `continues`. */
  scalar(text: string, line: number, continues: boolean): void
}

const significant = /[^\s:]/g
const stringEnd = /["'\\\n]/g
const wordEnd = /[\s,:{}[\]"]/g
const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" }
/** `\u` and four digits. */
const maxEscapeLength = 6

/** Maximum length of a part of a string. It leaves room in a block for the path before it. */
const partCharacters = maxBlockCharacters - 500

/** Splits JSON into tokens. Holds only one token at a time, and never fails on invalid JSON. */
class JsonScanner {
  readonly #events: JsonEvents
  #rest = ""
  #state: "between" | "string" | "word" | "line comment" | "block comment" = "between"
  #quote = '"'
  #line = 1
  #startLine = 1
  #token = ""

  constructor(events: JsonEvents) {
    this.#events = events
  }

  feed(chunk: string): void {
    const text = this.#rest + chunk
    let position = 0
    while (position < text.length) {
      const next = this.#step(text, position)
      if (next < 0) break
      position = next
    }
    this.#rest = text.slice(position)
  }

  /** Adds line ends, which close unclosed tokens and complete those that wait for more characters. */
  end(): void {
    this.feed("\n".repeat(maxEscapeLength))
  }

  /** Reads one token or a part of it. Returns the index after it, or -1 if the chunk ends too early to decide. */
  #step(text: string, position: number): number {
    if (this.#state === "string") return this.#string(text, position)
    if (this.#state === "word") return this.#word(text, position)
    if (this.#state === "line comment") return this.#comment(text, position, "\n")
    if (this.#state === "block comment") return this.#comment(text, position, "*/")
    return this.#between(text, position)
  }

  #between(text: string, start: number): number {
    const position = indexOf(significant, text, start)
    this.#line += lineFeeds(text, start, position)
    if (position === text.length) return position
    const character = text.charAt(position)
    this.#startLine = this.#line
    if (character === "{" || character === "[") this.#events.open(character === "[")
    else if (character === "}" || character === "]") this.#events.close()
    else if (character === ",") this.#events.comma()
    else if (character === '"' || character === "'") {
      this.#quote = character
      this.#state = "string"
    } else if (character === "/" && position + 1 === text.length) {
      this.#line -= lineFeeds(text, start, position) // They are read again with the next chunk.
      return -1
    } else if (text.startsWith("//", position)) this.#state = "line comment"
    else if (text.startsWith("/*", position)) this.#state = "block comment"
    else {
      this.#state = "word"
      this.#token = character
    }
    return position + 1
  }

  #string(text: string, start: number): number {
    const position = indexOf(stringEnd, text, start)
    this.#gather(text.slice(start, position))
    if (position === text.length) return position
    const character = text.charAt(position)
    if (character === "\\") {
      if (position + maxEscapeLength > text.length) return position > start ? position : -1
      const unicode = /^u([0-9a-f]{4})/i.exec(text.slice(position + 1, position + maxEscapeLength))?.[1]
      const escaped = text.charAt(position + 1)
      this.#gather(
        unicode ? String.fromCharCode(Number.parseInt(unicode, 16)) : (escapes[escaped] ?? escaped),
      )
      return position + (unicode ? maxEscapeLength : 2)
    }
    if (character === "\n") {
      this.#finish() // JSON strings don't span lines, so a quote is missing here.
      return position
    }
    if (character === this.#quote) this.#finish()
    else this.#gather(character)
    return position + 1
  }

  #word(text: string, start: number): number {
    const position = indexOf(wordEnd, text, start)
    this.#gather(text.slice(start, position))
    if (position < text.length) this.#finish()
    return position
  }

  #comment(text: string, start: number, close: string): number {
    const found = text.indexOf(close, start)
    const position = found >= 0 ? found : text.length - (close.length - 1)
    if (found < 0 && position <= start) return -1
    this.#line += lineFeeds(text, start, position)
    if (found < 0) return position
    this.#state = "between"
    return close === "\n" ? position : position + close.length
  }

  #gather(part: string): void {
    this.#token += part
    while (this.#token.length > partCharacters) {
      const cut = cutPoint(this.#token, partCharacters)
      this.#events.scalar(this.#token.slice(0, cut), this.#startLine, true)
      this.#token = this.#token.slice(cut)
    }
  }

  #finish(): void {
    this.#events.scalar(this.#token, this.#startLine, false)
    this.#token = ""
    this.#state = "between"
  }
}

/** Returns the index of the next match of the pattern (with the g flag), or the end of the text. */
function indexOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.exec(text)?.index ?? text.length
}

function lineFeeds(text: string, start: number, end: number): number {
  let count = 0
  for (let at = text.indexOf("\n", start); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++
  return count
}

const maxDepth = 10_000
/** Maximum length of a path. The end of a deep path is more informative than its start. */
const maxPathCharacters = 200
/** Elements of a list stay in one block until the block has this many characters. */
const comfortableCharacters = 500

/** Short values of a list share a line up to this length. */
const listCharacters = 500

interface Level {
  array: boolean
  path: string
  /** Name of the current member of an object. */
  key: string | undefined
  /** Index of the current element of an array. */
  index: number
  /** Information from the members so far about a file that another member may contain. */
  fileHints: FileHints
}

/** A string that arrives in parts and contains base64. */
interface Blob {
  parts: string[]
  length: number
}

/** Turns JSON tokens into lines with the path of each value, and the lines into blocks. */
class JsonOutline implements JsonEvents {
  readonly blocks: Block[] = []
  readonly #lines = new LineBlock()
  #level: Level = { array: true, path: "", key: undefined, index: 0, fileHints: {} }
  readonly #outer: Level[] = []
  /** The line to which the next element of the same list may be added. */
  #list: { level: Level; line: Line } | undefined
  /** Whether the last part of a long string is followed by another. */
  #continues = false
  #blob: Blob | undefined
  readonly #documents: InnerDocuments

  /** @param documents receives the documents that the JSON contains as base64 */
  constructor(documents: InnerDocuments) {
    this.#documents = documents
  }

  open(array: boolean): void {
    if (this.#outer.length > maxDepth) throw failure("json_too_deep")
    const path = this.#path()
    this.#outer.push(this.#level)
    this.#level = { array, path, key: undefined, index: 0, fileHints: {} }
  }

  close(): void {
    this.#level = this.#outer.pop() ?? this.#level
    this.#level.key = undefined
    if (this.#outer.length <= 1 && this.#lines.length >= comfortableCharacters) this.end()
  }

  comma(): void {
    this.#level.key = undefined
    this.#level.index++
  }

  scalar(text: string, line: number, continues: boolean): void {
    const level = this.#level
    if (!level.array && level.key === undefined) {
      if (!continues) level.key = text
      return
    }
    if (this.#blob || isBase64(text) || holdsDataUri(text)) this.#gather(text, line, continues)
    else this.#addPart({ text: text.trim(), number: line, continues })
    if (continues) return
    collectFileHint(level.fileHints, level.key ?? "", text)
    level.key = undefined
  }

  /** Ends the current block. */
  end(): void {
    this.#endList()
    this.#endBlock()
  }

  #addPart(part: Line): void {
    this.#addValue(part)
    this.#continues = part.continues
  }

  /** Holds a string that contains base64 until it is complete, unless it is too long to be read. */
  #gather(part: string, number: number, continues: boolean): void {
    const blob = (this.#blob ??= { parts: [], length: 0 })
    blob.length += part.length
    if (blob.length > maxBase64Length) blob.parts = []
    else blob.parts.push(part)
    if (continues) return
    this.#blob = undefined
    const { fileHints } = this.#level
    if (blob.length > maxBase64Length) this.#documents.leaveOut(fileHints)
    const rest = this.#withoutBlobs(blob.parts.join(""), fileHints)
    const parts = splitText(rest.trim(), partCharacters)
    for (const [index, text] of parts.entries())
      this.#addPart({ text, number, continues: index < parts.length - 1 })
    if (parts.length === 0 && this.#continues) this.#addPart({ text: "", number, continues: false })
  }

  #withoutBlobs(text: string, fileHints: FileHints): string {
    if (!isBase64(text)) return removeDataUris(text, this.#documents, fileHints)
    this.#documents.add(text, fileHints)
    return ""
  }

  #addValue(value: Line): void {
    const level = this.#level
    const joins =
      this.#list?.level === level && this.#list.line.text.length + value.text.length < listCharacters
    if (this.#list && joins && !value.continues) {
      this.#list.line.text += `, ${value.text}`
      return
    }
    this.#endList()
    const path = this.#continues ? "" : level.array ? level.path : this.#path()
    const line = { ...value, text: path === "" ? value.text : `${path}: ${value.text}` }
    if (level.array && !value.continues && !this.#continues) this.#list = { level, line }
    else this.#addLine(line)
  }

  #endList(): void {
    if (this.#list) this.#addLine(this.#list.line)
    this.#list = undefined
  }

  #addLine(line: Line): void {
    if (this.#lines.overflows(line)) this.#endBlock()
    this.#lines.add(line)
  }

  #endBlock(): void {
    const block = this.#lines.take("paragraph")
    if (block) this.blocks.push(block)
  }

  /** Returns the path of the current member or element. */
  #path(): string {
    const { array, path, key = "", index } = this.#level
    const member = path === "" ? key : `${path}.${key}`
    const element = this.#outer.length === 0 ? "" : `${path}[${index}]`
    return (array ? element : member).slice(-maxPathCharacters)
  }
}

/**
 * JSON, JSON Lines and JSON with comments, as lines such as `orders[2].customer.name: Ada`, so that a value found by search shows what it
 * is. Invalid JSON is read as far as possible.
 */
export const json: Parser = {
  async *parse({ file }, context) {
    const documents = new InnerDocuments()
    const outline = new JsonOutline(documents)
    const scanner = new JsonScanner(outline)
    for await (const chunk of readText(file, context)) {
      scanner.feed(chunk)
      yield* outline.blocks.splice(0)
      yield* documents.read(context)
    }
    scanner.end()
    outline.end()
    yield* outline.blocks
    yield* documents.read(context)
  },
}
