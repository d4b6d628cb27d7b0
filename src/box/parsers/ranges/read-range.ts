import { AppError } from "../../../shared/contract/errors.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import type { Block } from "../parser.ts"

/** The unit in which a document is counted. */
type Unit = "page" | "slide" | "sheet" | "line"

interface DocumentUnits {
  unit: Unit
  /** Number of the last unit; for sheets and lines, how many there are. */
  last: number
  /** Names of sheets in order; empty for other units. */
  sheets: readonly string[]
  /** Whether lines are numbered as in the file itself, and not as in the extracted text. */
  hasOwnLines: boolean
}

/** A piece of text within one page, slide, sheet or line. */
interface NumberedText {
  number: number
  text: string
  /** Separator from the previous piece, if that has the same number. */
  joint: string
}

const lineKinds = new Set<Block["kind"]>(["table-header", "table-row", "code"])

/** Reads a document once to determine its unit and how many there are. */
async function countUnits(pieces: AsyncIterable<Block[]>): Promise<DocumentUnits> {
  const last = { page: 0, slide: 0, line: 0, text: 0 }
  const unitCounts = { page: 0, slide: 0, sheet: 0, line: 0 }
  const sheets = new Set<string>()
  let blocks = 0
  let previous: Block["kind"] | undefined
  for await (const some of pieces) {
    for (const { kind, text, location } of some) {
      blocks++
      // Each member of an archive has pages and lines of its own.
      const { page, slide, sheet, line } = location.entry === undefined ? location : {}
      const lines = text.split("\n").length
      if (page !== undefined) [unitCounts.page, last.page] = [unitCounts.page + 1, Math.max(last.page, page)]
      if (slide !== undefined)
        [unitCounts.slide, last.slide] = [unitCounts.slide + 1, Math.max(last.slide, slide)]
      if (line !== undefined)
        [unitCounts.line, last.line] = [unitCounts.line + 1, Math.max(last.line, line + lines - 1)]
      if (sheet !== undefined) {
        unitCounts.sheet++
        sheets.add(sheet)
      }
      last.text += lines + (previous !== undefined && !areLines(previous, kind) ? 1 : 0)
      previous = kind
    }
  }
  const none = { sheets: [], hasOwnLines: false }
  if (blocks > 0 && unitCounts.page === blocks) return { ...none, unit: "page", last: last.page }
  if (blocks > 0 && unitCounts.slide === blocks) return { ...none, unit: "slide", last: last.slide }
  if (blocks > 0 && unitCounts.sheet === blocks)
    return { unit: "sheet", last: sheets.size, sheets: [...sheets], hasOwnLines: false }
  if (blocks > 0 && unitCounts.line === blocks)
    return { unit: "line", last: last.line, sheets: [], hasOwnLines: true }
  return { ...none, unit: "line", last: last.text }
}

const areLines = (a: Block["kind"], b: Block["kind"]) => lineKinds.has(a) && lineKinds.has(b)

/** Yields the document's text in pieces, each with the number of its unit. */
async function* numbered(
  pieces: AsyncIterable<Block[]>,
  { unit, sheets, hasOwnLines }: DocumentUnits,
): AsyncGenerator<NumberedText> {
  let previous: Block["kind"] | undefined
  let line = 0
  for await (const some of pieces) {
    for (const { kind, text, location } of some) {
      const joint = previous === undefined ? "" : areLines(previous, kind) ? "\n" : "\n\n"
      if (unit === "line") {
        line = hasOwnLines ? (location.line ?? line) : line + joint.length
        if (line === 0) line = 1
        const lines = text.split("\n")
        for (const [index, one] of lines.entries()) yield { number: line + index, text: one, joint: "" }
        line += lines.length - 1
      } else {
        yield { number: getUnitNumber(location, unit, sheets), text, joint }
      }
      previous = kind
    }
  }
}

function getUnitNumber(location: Block["location"], unit: Unit, sheets: readonly string[]): number {
  if (unit === "sheet") return sheets.indexOf(location.sheet ?? "") + 1
  return location[unit] ?? 1
}

/** The position at which reading starts: a page, and how many of its characters have already been read. */
interface Position {
  number: number
  offset: number
}

/** The range to read. `to` is the last page, slide, sheet or line, included. */
export interface WantedRange {
  from: Position
  to: number
}

export interface ReadRange {
  text: string
  units: DocumentUnits
  /** First and last unit of which the text contains something; null if the range has no text. */
  read: { from: number; to: number } | null
  /** The `from` of the next call to continue; null when the whole range is here. */
  next: string | null
}

/** Converts the `from` and `to` of a call to a range; by default the whole file. Throws `validation` with a message for a model. */
export function parseRange(from: string | number = 1, to = Number.MAX_SAFE_INTEGER): WantedRange {
  const position = parsePosition(from)
  if (!position) throw wrongRange("from: give a number from 1, or what the answer before said.")
  if (to < position.number) throw wrongRange(`to: give ${position.number} or more.`)
  return { from: position, to }
}

const wrongRange = (message: string) => new AppError("validation", Sentence.asIs(message))

/** Parses a `from`: `3`, or `3+49400` as the previous answer returned it. Returns null for anything else. */
export function parsePosition(from: string | number): Position | null {
  const [, number, offset = "0"] = /^(\d{1,9})(?:\+(\d{1,9}))?$/.exec(String(from)) ?? []
  if (number === undefined || Number(number) < 1) return null
  return { number: Number(number), offset: Number(offset) }
}

/**
 * Reads pages, slides, sheets or lines of a document, including `to`, up to a maximum number of characters. Calls `open` twice: to
 * determine the document's unit, and to read.
 */
export async function readRange(
  open: () => Promise<AsyncIterable<Block[]>>,
  { from, to, limit }: WantedRange & { limit: number },
): Promise<ReadRange> {
  const units = await countUnits(await open())
  let text = ""
  let read = null as ReadRange["read"]
  let at = 0
  let offset = 0
  const range = (next: string | null): ReadRange => ({ text, units, read, next })
  for await (const piece of numbered(await open(), units)) {
    if (piece.number > to) break
    if (piece.number < from.number) continue
    const isNew = piece.number !== at
    const whole = isNew ? piece.text : piece.joint + piece.text
    if (isNew) [at, offset] = [piece.number, 0]
    const skipped =
      piece.number === from.number ? Math.max(0, Math.min(whole.length, from.offset - offset)) : 0
    const own = whole.slice(skipped)
    const between = isNew && read !== null ? separator(units, read.to, piece.number) : ""
    const room = limit - text.length - between.length
    if (own.length > room) {
      const taken = room > 0 ? cut(own, room) : ""
      if (taken !== "") [text, read] = [text + between + taken, { from: read?.from ?? at, to: at }]
      const started = offset + skipped + taken.length
      return range(started === 0 ? String(at) : `${at}+${started}`)
    }
    text += between + own
    offset += whole.length
    read = { from: read?.from ?? at, to: at }
  }
  return range(null)
}

/** Lines keep their distance. Other units are introduced by a separate line. */
function separator({ unit, sheets }: DocumentUnits, before: number, now: number): string {
  if (unit === "line") return now > before + 1 ? "\n\n" : "\n"
  return `\n\n--- ${unit} ${now}${unit === "sheet" ? ` (${sheets[now - 1]})` : ""} ---\n\n`
}

/** Cuts to at most this many characters, at the end of a line if there is one, and never within a character. */
function cut(text: string, length: number): string {
  const line = text.lastIndexOf("\n", length - 1) + 1
  if (line > length / 2) return text.slice(0, line)
  const isHalf = /[\uD800-\uDBFF]/.test(text[length - 1] ?? "")
  return text.slice(0, isHalf ? length - 1 : length)
}

const shownNames = 200

/** Describes to a model which part of a file was read, and the file's total. `next` says how to continue. */
export function describeRange(name: string, { units, read }: ReadRange, from: number): string {
  const file = `“${name.slice(0, shownNames)}”`
  if (units.last === 0) return `${file} holds no text.`
  const all = `${units.last} ${units.unit}${units.last === 1 ? "" : "s"}${getNames(units)}`
  if (read === null)
    return `There is no ${units.unit} ${from} with text in ${file}, which has ${all}. Give a smaller from.`
  const what = read.from === read.to ? `${units.unit} ${read.from}` : `${units.unit}s ${read.from}–${read.to}`
  return `${file}: ${what} of ${all}.`
}

/** Describes how to continue if a range was cut; empty if all of it was read. */
export const describeNext = ({ next }: ReadRange): string =>
  next === null ? "" : `More follows: continue with from: "${next}".`

function getNames({ sheets }: DocumentUnits): string {
  if (sheets.length === 0) return ""
  const names = sheets.join(", ")
  return ` (${names.length > shownNames ? `${names.slice(0, shownNames)}…` : names})`
}
