import type { Location } from "../../../shared/contract/location.ts"
import { lazy } from "../../core/lazy.ts"
import type { Block } from "../../parsers/parser.ts"
import type { PassageLocation } from "./cited-line.ts"

const sentences = lazy(() => new Intl.Segmenter("und", { granularity: "sentence" }))

interface TextPart {
  text: string
  /** Start of the part in the original text, including the overlap. */
  start: number
}

/**
 * Cuts a text into parts of at most `size` characters, at the ends of sentences or lines if there are any. Each part repeats the last tenth
 * of the previous one, so that text at a cut is found whole.
 */
function splitLong(text: string, size: number, at: "sentence" | "line"): TextPart[] {
  const overlap = Math.round(size / 10)
  const parts: TextPart[] = []
  let start = 0
  let end = 0
  const close = () => {
    parts.push({ text: text.slice(start, end), start })
    start = overlapStart(text, Math.max(start, end - overlap), end, at)
  }
  for (const unit of units(text, size - overlap, at)) {
    if (end + unit.length - start > size && end > start) close()
    end += unit.length
  }
  parts.push({ text: text.slice(start, end), start })
  return parts
}

/** Sentences or lines with their separators. Those that are too long are cut at a space if possible. */
function* units(text: string, limit: number, at: "sentence" | "line"): Generator<string> {
  const whole =
    at === "line" ? text.split(/(?<=\n)/) : Array.from(sentences().segment(text), ({ segment }) => segment)
  for (let unit of whole) {
    while (unit.length > limit) {
      const space = unit.lastIndexOf(" ", limit)
      const cut = avoidSurrogateSplit(unit, space > limit / 2 ? space + 1 : limit)
      yield unit.slice(0, cut)
      unit = unit.slice(cut)
    }
    yield unit
  }
}

/** The first start of a line or word within the overlap. */
function overlapStart(text: string, from: number, end: number, at: "sentence" | "line"): number {
  const border = text.indexOf(at === "line" ? "\n" : " ", from)
  if (border >= 0 && border + 1 < end) return border + 1
  return at === "line" ? end : avoidSurrogateSplit(text, from)
}

/** Steps back from the middle of a surrogate pair. */
function avoidSurrogateSplit(text: string, position: number): number {
  const unit = text.charCodeAt(position)
  return unit >= 0xdc00 && unit <= 0xdfff ? position - 1 : position
}

export interface Chunk {
  text: string
  /** Location of the first block, and the line numbers in documents that have lines. */
  location: PassageLocation
  /** Number of the chunk in its document, from 0. */
  position: number
}

/** Increase this with every change of the output, so that stored texts are chunked again in the background. */
export const chunkerVersion = 1

/** Maximum characters of a chunk; chosen by measurement (docs/contributing/search-quality.md). */
const chunkSize = 1_000
/** A section shorter than this is kept with the next one. */
const sectionMinimum = 250

/**
 * Cuts a document into passages along its structure. Sections start passages, paragraphs stay whole if they fit, table rows repeat their
 * header, and a passage never continues on another page, slide, sheet, message or member of an archive. What an email
 * repeats of earlier ones isn't mixed with its own text.
 */
export async function* chunk(blocks: AsyncIterable<Block>, size = chunkSize): AsyncGenerator<Chunk> {
  let position = 0
  let draft = new Draft(size)
  let header: Block | undefined
  let currentLocation: Location = {}
  let wasQuote = false

  const take = (next?: Block): Chunk[] => {
    const done = draft.isEmpty ? [] : [{ ...draft.toChunk(), position: position++ }]
    draft = new Draft(size)
    if (next?.kind === "table-row" && header) draft.repeat(header)
    return done
  }

  for await (const block of blocks) {
    if (block.text.trim() === "") continue
    const isQuote = block.kind === "quote"
    const isOtherLocation = !isSameLocation(currentLocation, block.location) || isQuote !== wasQuote
    currentLocation = block.location
    wasQuote = isQuote
    if (isOtherLocation || block.kind !== "table-row")
      header = block.kind === "table-header" ? block : undefined
    if (isOtherLocation || (block.kind === "heading" && draft.length >= sectionMinimum)) yield* take(block)
    for (const part of parts(block, size)) {
      if (!draft.fits(part)) yield* take(part)
      draft.add(part)
    }
  }
  yield* take()
}

/** A block, or a part of a long block. `line` is the part's line if its location is that of the whole block. */
type Part = Block & { line?: number }

/** A passage that is being built. */
class Draft {
  readonly #size: number
  readonly #blocks: Part[] = []
  #repeated: Block | undefined
  length = 0

  constructor(size: number) {
    this.#size = size
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0
  }

  /** A heading alone doesn't make a passage, so the text after it always fits. */
  fits(block: Block): boolean {
    return (
      this.length + block.text.length <= this.#size || this.#blocks.every(({ kind }) => kind === "heading")
    )
  }

  /** Repeats a table's header above rows outside its first passage, unless it would fill the passage. */
  repeat(header: Block): void {
    if (header.text.length > this.#size / 2) return
    this.#repeated = header
    this.length += header.text.length
  }

  add(block: Part): void {
    this.#blocks.push(block)
    this.length += block.text.length + 1
  }

  toChunk(): { text: string; location: PassageLocation } {
    const first = this.#blocks[0]
    const heading = first?.kind === "heading" ? undefined : first?.location.heading
    const { entry } = first?.location ?? {}
    let text = ""
    for (const repeated of [first?.text === entry ? undefined : entry, heading, this.#repeated?.text])
      if (repeated !== undefined) text += `${repeated}\n`
    const lines: [number, number, string?][] = []
    for (const [index, block] of this.#blocks.entries()) {
      if (index > 0) text += separator(this.#blocks[index - 1], block)
      const line = block.line ?? block.location.line
      const { row, heading: under } = block.location
      if (line !== undefined && row === undefined)
        lines.push(under === undefined ? [text.length, line] : [text.length, line, under])
      text += block.text
    }
    return { text, location: { ...first?.location, ...(lines.length > 0 && { lines }) } }
  }
}

/** The block itself, or its parts if it has to be cut. */
function parts(block: Block, size: number): Part[] {
  if (block.text.length <= size) return [block]
  const cut = splitLong(block.text, size, block.kind === "code" ? "line" : "sentence")
  return cut.map(({ text, start }) => {
    if (block.location.line === undefined) return { ...block, text }
    const line = block.location.line + (block.text.slice(0, start).match(/\n/g)?.length ?? 0)
    const location = block.kind === "code" ? { ...block.location, line } : block.location
    return { ...block, text, location, line }
  })
}

function isSameLocation(a: Location, b: Location): boolean {
  return (
    a.page === b.page &&
    a.slide === b.slide &&
    a.sheet === b.sheet &&
    a.message === b.message &&
    a.image === b.image &&
    a.described === b.described &&
    a.entry === b.entry
  )
}

function separator(before: Block | undefined, block: Block): string {
  const row = block.kind === "table-row" && before?.kind.startsWith("table")
  return row || before?.kind === "heading" ? "\n" : "\n\n"
}
