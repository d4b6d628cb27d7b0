import type { Location } from "../../../shared/contract/location.ts"
import { maxBlockCharacters, type Block } from "../parser.ts"

/**
 * Returns where to split a text so that its first part has at most `limit` characters: after a paragraph, line, sentence or word that ends
 * in the second half of that part, and never inside a surrogate pair.
 */
export function cutPoint(text: string, limit: number): number {
  if (text.length <= limit) return text.length
  for (const end of ["\n\n", "\n", ". ", "。", " "]) {
    const at = text.lastIndexOf(end, limit - end.length)
    if (at >= limit / 2) return at + end.length
  }
  const code = text.charCodeAt(limit - 1)
  return code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit
}

/** Splits a text into parts of at most `limit` characters each, without losing any of it. */
export function splitText(text: string, limit: number): string[] {
  const parts: string[] = []
  let rest = text
  while (rest.length > limit) {
    const cut = cutPoint(rest, limit)
    parts.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  if (rest !== "") parts.push(rest)
  return parts
}

export interface Line {
  text: string
  /** Counted from 1. */
  number: number
  /** Whether the line is too long for one piece and continues in the next. */
  continues: boolean
}

/**
 * Yields the lines of a text, in a batch for each chunk. Lines end in CR LF, LF or CR. A line longer than a block is split into pieces, so
 * that a file without line ends needs no more memory than another.
 */
export async function* readLines(
  chunks: AsyncIterable<string>,
): AsyncGenerator<readonly Line[], void, undefined> {
  let rest = ""
  let number = 1
  for await (const chunk of chunks) {
    const text = rest + chunk
    const lines: Line[] = []
    // A CR at the very end may be half of a CR LF.
    const complete = splitLines(text.endsWith("\r") ? text.slice(0, -1) : text)
    rest = complete.pop() ?? ""
    for (const line of complete) {
      lines.push({ text: pushPieces(lines, line, number), number, continues: false })
      number++
    }
    rest = pushPieces(lines, rest, number)
    if (text.endsWith("\r")) rest += "\r"
    yield lines
  }
  if (rest !== "") yield [{ text: rest.endsWith("\r") ? rest.slice(0, -1) : rest, number, continues: false }]
}

function splitLines(text: string): string[] {
  return text.includes("\r") ? text.split(/\r\n|\r|\n/) : text.split("\n")
}

/** Adds full pieces of a long line and returns the rest. */
function pushPieces(lines: Line[], line: string, number: number): string {
  let rest = line
  while (rest.length > maxBlockCharacters) {
    const cut = cutPoint(rest, maxBlockCharacters)
    lines.push({ text: rest.slice(0, cut), number, continues: true })
    rest = rest.slice(cut)
  }
  return rest
}

/** Length up to which short lines are combined into one block. A block never exceeds its maximum length. */
const comfortableCharacters = 2000

/** Collects lines into blocks located at their first line. */
export class LineBlock {
  #text = ""
  #line = 0
  #continues = false

  get isEmpty(): boolean {
    return this.#text === ""
  }

  get length(): number {
    return this.#text.length
  }

  /** Whether this line should start a new block, because the combined block would be too long. */
  overflows(line: Line): boolean {
    const together = this.#text.length + 1 + line.text.length
    return this.#text !== "" && together > (this.#continues ? maxBlockCharacters : comfortableCharacters)
  }

  add(line: Line): void {
    if (this.#text === "") this.#line = line.number
    this.#text += this.#text === "" || this.#continues ? line.text : `\n${line.text}`
    this.#continues = line.continues
  }

  /** Returns the collected block and starts a new one; undefined when it is only white space. */
  take(kind: Block["kind"], where: Location = {}): Block | undefined {
    const text = this.#text.trimEnd()
    const block = { kind, text, location: { line: this.#line, ...where } }
    this.#text = ""
    return text === "" ? undefined : block
  }
}
