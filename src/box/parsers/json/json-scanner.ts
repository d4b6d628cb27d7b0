import { maxBlockCharacters } from "../parser.ts"
import { cutPoint } from "../text/split-text.ts"

/** The events of a scanner, in order. Colons have no event; their position follows from the order. */
export interface JsonEvents {
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
export const partCharacters = maxBlockCharacters - 500

/** Splits JSON into tokens. Holds only one token at a time, and never fails on invalid JSON. */
export class JsonScanner {
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
