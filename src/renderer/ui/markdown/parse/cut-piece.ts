import { fullBlock, longestBlock, longestTable, longText } from "./bounds.ts"
import { fenceAfter, lineAt, startsBlock } from "./block-lines.ts"

/** Where a piece ends and the next one begins. */
export interface Cut {
  end: number
  next: number
  /** More text doesn't change it. */
  settled: boolean
  /** What stands before the next piece so that it means the same: the heading of the table that it goes on with. */
  heading: string
}

/** So much of a line tells whether a block begins with it. */
const tellingStart = 12
const delimiterRow = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
const blanks = new Set([" ", "\t", "\n"])

/**
 * Finds the end of the piece that begins somewhere: at a blank line where the text means the same in two pieces; blocks far
 * down in a long text share one. What is too long to be read at once is cut at lines, and at spaces where there are none:
 * such a cut may be seen, which is better than a page that stands still. Only fenced code stays whole, because it needn't
 * be read.
 */
export function cutPiece(text: string, start: number, heading: string): Cut {
  const isTable = heading !== "" || tableHeading(text, start) !== ""
  const limit = start + (isTable ? longestTable : longestBlock) - heading.length
  const earliest = Math.floor((start + limit) / 2)
  let block = start
  /** The first line of the block that isn't blank. */
  let first: string | undefined
  let blank = false
  let fence: { marker: string; start: number } | undefined
  let best: number | undefined
  let anyLine: number | undefined
  for (let at = start; at < text.length;) {
    const line = lineAt(text, at, limit)
    const isBlank = line.trim() === ""
    if (!fence && blank && !isBlank && startsBlock(line, first)) {
      if (start < longText || at - start >= fullBlock)
        return { end: at - 1, next: at, settled: isSettled(text, at), heading: "" }
      block = at
      first = undefined
    }
    if (at >= earliest && at <= limit && !(fence && isCode(fence.marker))) {
      anyLine = at
      if (!blanks.has(text.charAt(at))) best = at
    }
    const before = fence
    const marker = isBlank ? fence?.marker : fenceAfter(line, fence?.marker)
    fence = marker === undefined ? undefined : (fence ?? { marker, start: at })
    if (at + line.length > limit) {
      const code = [fence, before].find((open) => open && isCode(open.marker))
      if (code?.start === start) return cutAfterCode(text, start, code.marker)
      const end = code?.start ?? best ?? anyLine ?? cutWithinLine(text, earliest, limit)
      const goesOn = block === start && heading !== "" ? heading : tableHeading(text, block)
      return { end, next: end, settled: true, heading: end > block ? goesOn : "" }
    }
    blank = isBlank
    if (!isBlank) first ??= line
    at += line.length + 1
  }
  return { end: text.length, next: text.length, settled: false, heading: "" }
}

const isCode = (marker: string): boolean => marker.startsWith("`") || marker.startsWith("~")

function isSettled(text: string, at: number): boolean {
  const end = text.indexOf("\n", at)
  return end >= 0 || text.length - at >= tellingStart
}

/** Fenced code that begins a piece is all of it, however long. */
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

/** After a space, or else in the middle of a word. */
function cutWithinLine(text: string, from: number, end: number): number {
  const space = text.lastIndexOf(" ", end - 1)
  return space >= from ? space + 1 : end - (isHighSurrogate(text, end - 1) ? 1 : 0)
}

/** The first two lines of a table. */
function tableHeading(text: string, start: number): string {
  const header = lineAt(text, start)
  const delimiters = lineAt(text, start + header.length + 1)
  const length = header.length + delimiters.length + 2
  if (length > longestBlock / 4 || !header.includes("|") || !delimiterRow.test(delimiters)) return ""
  return text.slice(start, start + length)
}

const isHighSurrogate = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc_00) === 0xd8_00
