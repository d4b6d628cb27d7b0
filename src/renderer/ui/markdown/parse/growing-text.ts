import { fullBlock, maxBlockLength, maxTableLength, longText, drawingCost } from "./bounds.ts"

/** Returns the cells of a table line as written. */
export const getCells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())

interface Column {
  /** Width in em. */
  width: number
  /** Whether it contains sentences and uses the remaining width. */
  grows: boolean
}

/** Widths in characters. Longer words wrap. */
const narrowest = 4
const maxWordLength = 20
/** Sums are longer than the numbers they add. */
const numberLength = 12
const sentenceLength = 22
const perCharacter = 0.62
/** Padding around a cell's text, in em. */
const around = 1.7
const citation = /\[\d{1,4}\]/g
const markup = /[*_`\\]/g

/** Returns the column widths of a table, based on its first lines only, so that later lines don't change them. */
export function findColumns(beginning: string): Column[] {
  const [head = "", delimiters = "", ...lines] = beginning.trimEnd().split("\n")
  const rows = lines.map(getCells)
  const isRight = getCells(delimiters).map((delimiter) => /^-+:$/.test(delimiter))
  const toWidth = (characters: number) => Math.round(10 * (characters * perCharacter + around)) / 10
  return getCells(head).map((name, column) => {
    const texts = rows.map((cells) => (cells[column] ?? "").replace(citation, "[1]").replace(markup, ""))
    const usual = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length)
    const longest = [`${name} `, ...texts.flatMap((text) => text.split(/\s+/))].map(({ length }) => length)
    const grows = usual > sentenceLength
    const word = Math.min(Math.max(isRight[column] ? numberLength : narrowest, ...longest), maxWordLength)
    return { width: toWidth(grows ? sentenceLength : Math.max(word, usual + 1)), grows }
  })
}

const fence = /^ {0,3}(`{3,}|~{3,})/
const formulaFence = /^ {0,3}(\$\$|\\\[)\s*$/
const fenceSigns = new Set(["`", "~", "$", "\\"])
const formulaEnds: Record<string, string> = { $$: "$$", "\\[": "\\]" }
const definition = /^ {0,3}\[(?:\\.|[^[\]\\])+\]:/m
const continuesBlock = /^(?:\s|[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$))/
const indentedCode = /^(?: {4}|\t)/

/** Whether the text defines references, to which any paragraph may refer. */
export const definesReferences = (markdown: string): boolean => definition.test(markdown)

/** Returns the line that starts here, without its line break and with at most one character beyond the limit. */
function lineAt(text: string, start: number, limit = text.length): string {
  const end = text.indexOf("\n", start)
  return text.slice(start, Math.min(end < 0 ? text.length : end, limit + 1))
}

/**
 * Whether a line after a blank one starts a block that means the same without the text before it. Lists, fenced code, formulas and indented
 * lines stay whole. References don't find definitions in other pieces.
 */
function startsBlock(line: string, first: string | undefined): boolean {
  if (!continuesBlock.test(line)) return true
  // A list item or an indented line continues a list. After anything else it starts a new block.
  return first !== undefined && !continuesBlock.test(first) && !indentedCode.test(line)
}

/** Returns the fence of code or of a formula that is open after a line. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  if (open === undefined && !fenceSigns.has(line.trimStart().charAt(0))) return undefined
  const formulaEnd = open === undefined ? undefined : formulaEnds[open]
  if (formulaEnd !== undefined) return line.trimEnd().endsWith(formulaEnd) ? undefined : open
  const formula = formulaFence.exec(line)?.[1]
  if (open === undefined && formula !== undefined) return formula
  const marker = fence.exec(line)?.[1]
  if (marker === undefined) return open
  if (open === undefined) return opensFence(line, marker) ? marker : undefined
  const closes = marker[0] === open[0] && marker.length >= open.length && line.trim() === marker
  return closes ? undefined : open
}

/** A line of backticks followed by another backtick is inline code, not a fence. */
const opensFence = (line: string, marker: string): boolean =>
  marker.startsWith("~") || !line.trim().slice(marker.length).includes("`")

/** The end of a piece and the start of the next one. */
interface Cut {
  end: number
  next: number
  /** Whether more text can't change it. */
  settled: boolean
  /** Text to put before the next piece so that it means the same: the header of the table that it continues. */
  heading: string
}

/** This much of a line is enough to decide whether it starts a block. */
const blockStartLength = 12
const delimiterRow = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
const maxHeadingLength = maxBlockLength / 4
const blanks = new Set([" ", "\t", "\n"])

/**
 * Finds the end of the piece that starts here. It cuts at a blank line where both halves mean the same; in the later part of a long text,
 * several blocks share a piece. Blocks too long to be read in one piece are cut at line breaks, otherwise at spaces: a visible cut is
 * better than a blocked page. Only fenced code stays whole, because it needn't be read. A table that is cut gets its own pieces, so that
 * they can be rendered as a single table.
 */
export function cutPiece(text: string, start: number, heading: string): Cut {
  let limit = start + (heading === "" ? maxBlockLength : maxTableLength - heading.length)
  let block = start
  /** Start of a table in the block. */
  let table: number | undefined
  /** The block's first line that isn't blank. */
  let first: string | undefined
  let blank = false
  let fence: { marker: string; start: number } | undefined
  let best: number | undefined
  let anyLine: number | undefined
  for (let at = start; at < text.length;) {
    const line = lineAt(text, at, limit)
    const isBlank = line.trim() === ""
    if (!fence && blank && !isBlank && startsBlock(line, first)) {
      const endsTable = heading !== "" && block === start
      if (start < longText || at - start >= fullBlock || endsTable)
        return { end: at - 1, next: at, settled: isSettled(text, at), heading: "" }
      block = at
      first = undefined
      table = undefined
    }
    const isOfTable = table !== undefined || (heading !== "" && block === start)
    if (!fence && !isOfTable && tableHeading(text, at) !== "") {
      table = at
      limit = Math.min(limit, at + maxTableLength)
    }
    if (at >= earliest(start, limit) && at <= limit && !(fence && isCode(fence.marker))) {
      anyLine = at
      if (!blanks.has(text.charAt(at))) best = at
    }
    const before = fence
    const marker = isBlank ? fence?.marker : fenceAfter(line, fence?.marker)
    fence = marker === undefined ? undefined : (fence ?? { marker, start: at })
    if (at + line.length > limit) {
      const code = [fence, before].find((open) => open && isCode(open.marker))
      if (code?.start === start) return cutAfterCode(text, start, code.marker)
      if (table !== undefined && table > start) return { end: table, next: table, settled: true, heading: "" }
      if (code) return { end: code.start, next: code.start, settled: true, heading: "" }
      const end = best ?? anyLine ?? cutWithinLine(text, earliest(start, limit), limit)
      const continuedHeading = table === undefined ? heading : tableHeading(text, table)
      return { end, next: end, settled: true, heading: end > block ? continuedHeading : "" }
    }
    blank = isBlank
    if (!isBlank) first ??= line
    at += line.length + 1
  }
  return { end: text.length, next: text.length, settled: false, heading: "" }
}

/** A piece cut because of its length has at least half the maximum length. */
const earliest = (start: number, limit: number): number => Math.floor((start + limit) / 2)

const isCode = (marker: string): boolean => marker.startsWith("`") || marker.startsWith("~")

function isSettled(text: string, at: number): boolean {
  const end = text.indexOf("\n", at)
  return end >= 0 || text.length - at >= blockStartLength
}

/** Fenced code at the start of a piece is never cut, however long it is. */
function cutAfterCode(text: string, start: number, marker: string): Cut {
  let at = start + lineAt(text, start).length
  for (let found = text.indexOf(marker, at); found >= 0; found = text.indexOf(marker, at)) {
    const lineStart = text.lastIndexOf("\n", found) + 1
    const line = lineAt(text, lineStart)
    at = lineStart + line.length
    if (fenceAfter(line, marker) === undefined) {
      const end = Math.min(text.length, at + 1)
      return { end, next: end, settled: at < text.length, heading: "" }
    }
  }
  return { end: text.length, next: text.length, settled: false, heading: "" }
}

/** Cuts after a space, or else within a word. */
function cutWithinLine(text: string, from: number, end: number): number {
  const space = text.lastIndexOf(" ", end - 1)
  return space >= from ? space + 1 : end - (isHighSurrogate(text, end - 1) ? 1 : 0)
}

/** Returns the first two lines of the table that starts here; empty if there is none. */
function tableHeading(text: string, start: number): string {
  const header = lineAt(text, start, start + maxHeadingLength)
  if (!header.includes("|")) return ""
  const delimiters = lineAt(text, start + header.length + 1)
  const length = header.length + delimiters.length + 2
  if (length > maxHeadingLength || !delimiterRow.test(delimiters)) return ""
  return getCells(header).length === getCells(delimiters).length ? text.slice(start, start + length) : ""
}

const isHighSurrogate = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc_00) === 0xd8_00

/** A part of a text that is read and rendered as a unit. */
export interface Piece {
  text: string
  /** Its start in the whole text. */
  offset: number
  /** Maximum cost of rendering it. */
  cost: number
  /** Number of characters at its start that repeat an earlier piece: the header of the table that it continues. */
  repeats: number
}

/** The beginning of a text, in pieces. */
export interface CutText {
  pieces: Piece[]
  cost: number
  /** Whether the whole text is included. */
  complete: boolean
}

/**
 * Cuts a text into pieces that are read and rendered one by one, as far as requested. A growing text is cut again only from its last pieces
 * on; earlier pieces stay the same objects.
 */
export class GrowingText {
  #text = ""
  #settled: Piece[] = []
  #settledCost = 0
  /** Start of the first piece that isn't settled, and the header to put before it. */
  #next = 0
  #heading = ""

  /** Returns the first pieces up to a total cost. */
  pieces(text: string, maxCost = Infinity): CutText {
    if (text !== this.#text && !text.startsWith(this.#text)) this.#reset()
    this.#text = text
    // A text short enough to be read in one piece stays whole, because any paragraph may refer to a definition.
    if (text.length <= maxBlockLength && definesReferences(text)) {
      const cost = drawingCost(text)
      return { pieces: [{ text, offset: 0, cost, repeats: 0 }], cost, complete: true }
    }
    return this.#cut(maxCost)
  }

  #reset(): void {
    this.#settled = []
    this.#settledCost = 0
    this.#next = 0
    this.#heading = ""
  }

  #cut(maxCost: number): CutText {
    const open: Piece[] = []
    let cost = this.#settledCost
    let at = this.#next
    let heading = this.#heading
    while (at < this.#text.length && cost < maxCost) {
      const cut = cutPiece(this.#text, at, heading)
      const text = heading + this.#text.slice(at, cut.end)
      const piece = { text, offset: at, cost: drawingCost(text), repeats: heading.length }
      cost += piece.cost
      at = cut.next
      heading = cut.heading
      if (cut.settled && open.length === 0) {
        this.#settled.push(piece)
        this.#settledCost = cost
        this.#next = at
        this.#heading = heading
      } else open.push(piece)
    }
    return { pieces: [...this.#settled, ...open], cost, complete: at >= this.#text.length }
  }
}
