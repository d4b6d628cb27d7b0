import { fullBlock, maxBlockLength, maxTableLength, longText } from "./bounds.ts"
import { fenceAfter, lineAt, startsBlock } from "./block-lines.ts"
import { getCells } from "./table-cells.ts"

/** The end of a piece and the start of the next one. */
export interface Cut {
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
