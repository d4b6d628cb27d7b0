import { AppError } from "../../../shared/contract/errors.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import type { Block } from "../parser.ts"
import { countUnits, numbered, type DocumentUnits } from "./document-units.ts"

/** The position at which reading starts: a page, and how many of its characters have already been read. */
export interface Position {
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
      const begun = offset + skipped + taken.length
      return range(begun === 0 ? String(at) : `${at}+${begun}`)
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
