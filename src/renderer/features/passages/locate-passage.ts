import type { FileBlock } from "../../../shared/contract/files.ts"
import type { Passage } from "../../../shared/contract/folders.ts"
import { foldedWords } from "../../../shared/words/words.ts"
import { splitCells } from "./table-cells.ts"

/** A range in one block's text, in characters. */
export interface MarkedRange {
  block: number
  start: number
  end: number
  /** Whether the answer is based on this part of the passage. The rest of the passage is context. */
  quoted?: boolean
}

/** Start and end, in characters of a text. */
export type TextRange = [start: number, end: number]

const minLineLength = 12
/** Maximum number of occurrences that are checked. A document of one repeated letter would otherwise keep the page busy for minutes. */
const maxPlaces = 2000
const removeSpace = (text: string): string => text.replaceAll(/\s+/g, "")

/**
 * Finds a passage in its document's blocks, ignoring whitespace. If the text occurs several times, the passage's location decides. If the
 * document has changed and the whole passage isn't found, its lines are searched one by one; the result may be empty. The `quoted` parts of
 * its text, in characters, are marked only if the whole passage is found.
 */
export function locatePassage(
  blocks: FileBlock[],
  passage: Pick<Passage, "text" | "location">,
  quoted: readonly TextRange[] = [],
): MarkedRange[] {
  const bare = blocks.map((block) => removeSpace(block.text))
  const starts: number[] = []
  let length = 0
  for (const text of bare) {
    starts.push(length)
    length += text.length
  }
  const document = bare.join("")

  const find = (text: string, from: number): [number, number] | undefined => {
    const needle = removeSpace(text)
    if (needle === "") return undefined
    let best: number | undefined
    let places = 0
    for (
      let at = document.indexOf(needle, from);
      at >= 0 && places < maxPlaces;
      at = document.indexOf(needle, at + 1), places++
    ) {
      best ??= at
      const last = blockAt(starts, at + needle.length - 1)
      if (isBetween(blocks[blockAt(starts, at)], blocks[last + 1], passage.location))
        return [at, at + needle.length]
    }
    return best === undefined ? undefined : [best, best + needle.length]
  }

  const findWhole = () => {
    for (const beginning of findOwnStarts(passage.text)) {
      const range = find(passage.text.slice(beginning), 0)
      if (range) return { beginning, range }
    }
    return undefined
  }

  const whole = findWhole()
  const found = whole ? [whole.range] : findLines(passage.text, find)
  const ranges = found.flatMap(([from, to]) => rangesBetween(blocks, starts, from, to))
  if (!whole) return ranges
  const { beginning, range } = whole
  const positionIn = (index: number) => range[0] + removeSpace(passage.text.slice(beginning, index)).length
  const quotes = quoted.flatMap(([start, end]) =>
    start < beginning ? [] : rangesBetween(blocks, starts, positionIn(start), positionIn(end)),
  )
  return [...ranges, ...quotes.map((quote) => ({ ...quote, quoted: true }))]
}

/**
 * Positions at which the passage's own text may begin, because a member's path in its archive, a heading and the column names are repeated
 * before it.
 */
function findOwnStarts(text: string): number[] {
  const afterFirst = text.indexOf("\n") + 1
  const afterSecond = text.indexOf("\n", afterFirst) + 1
  const afterThird = text.indexOf("\n", afterSecond) + 1
  return [0, afterFirst, afterSecond, afterThird].filter(
    (index, position) =>
      position === 0 || (index > 0 && removeSpace(text.slice(index)).length >= minLineLength),
  )
}

function findLines(
  text: string,
  find: (text: string, from: number) => [number, number] | undefined,
): [number, number][] {
  const found: [number, number][] = []
  for (const line of text.split("\n")) {
    if (removeSpace(line).length < minLineLength) continue
    const range = find(line, found.at(-1)?.[1] ?? 0)
    if (range) found.push(range)
  }
  return found
}

/** Whether a location is in the blocks from `first` up to `next`. In a document with line numbers, it may be any of their lines. */
function isBetween(
  first: FileBlock | undefined,
  next: FileBlock | undefined,
  { column: _column, ...location }: Passage["location"],
): boolean {
  if (!first) return false
  const { line, row } = location
  const from = first.location.line
  if (line !== undefined && row === undefined && from !== undefined)
    return from <= line && line < (next?.location.line ?? Infinity)
  return Object.entries(location).every(
    ([key, value]) => first.location[key as keyof typeof location] === value,
  )
}

/** Index of the block that contains a position: the last one that starts at or before it. */
function blockAt(starts: number[], position: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}

function rangesBetween(blocks: FileBlock[], starts: number[], from: number, to: number): MarkedRange[] {
  const ranges: MarkedRange[] = []
  for (let index = blockAt(starts, from); index < blocks.length; index++) {
    const offset = starts[index] ?? 0
    if (offset >= to) break
    const text = blocks[index]?.text ?? ""
    const start = getPosition(text, Math.max(0, from - offset))
    const end = getPosition(text, to - offset - 1) + 1
    if (start < end && text.trim() !== "")
      ranges.push({ block: index, start, end: Math.min(end, text.length) })
  }
  return ranges
}

/** Index of the nth non-whitespace character. */
function getPosition(text: string, nth: number): number {
  let seen = -1
  for (let index = 0; index < text.length; index++) {
    if (/\S/.test(text.charAt(index)) && ++seen === nth) return index
  }
  return text.length
}

/** Minimum share of a claim's words, weighted by length, that must occur in the sentence it is based on. */
const minShared = 0.3

interface Piece {
  range: TextRange
  words: Set<string>
}

/**
 * Returns the sentences of a passage that claims are based on: for each claim the sentence that shares most of its words, and any other
 * that it repeats word for word. For a table row, returns only the repeated cells, if there are any. A sentence that shares too little is
 * left out.
 */
export function quotedParts(passage: string, claims: readonly string[]): TextRange[] {
  const pieces = getPieces(passage)
  const quoted = new Set<Piece>()
  const saidWords = new Set<string>()
  for (const claim of claims) {
    const words = new Set(foldedWords(claim))
    const whole = getSize(words)
    for (const word of words) saidWords.add(word)
    const shares = pieces.map((piece) => getSize([...piece.words].filter((word) => words.has(word))))
    const max = Math.max(0, ...shares)
    const best = pieces[shares.indexOf(max)]
    if (best && whole > 0 && max >= whole * minShared) quoted.add(best)
    for (const piece of pieces) if (piece.words.size > 2 && isWithin(piece.words, words)) quoted.add(piece)
  }
  return pieces
    .filter((piece) => quoted.has(piece))
    .flatMap(({ range }) => cellsIn(passage, range, saidWords))
}

const isWithin = (words: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...words].every((word) => others.has(word))

const getSize = (words: Iterable<string>) => [...words].reduce((sum, { length }) => sum + length, 0)

function getPieces(passage: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const line of passage.split("\n")) {
    const isRow = splitCells(line).length > 1
    const stretches = isRow
      ? [{ segment: line, index: 0 }]
      : Array.from(new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(line))
    for (const { segment, index } of stretches) {
      const words = new Set(foldedWords(segment))
      const start = at + index
      if (words.size > 0) pieces.push({ range: [start, start + segment.trimEnd().length], words })
    }
    at += line.length + 1
  }
  return pieces
}

function cellsIn(passage: string, [start, end]: TextRange, saidWords: ReadonlySet<string>): TextRange[] {
  const cells = splitCells(passage.slice(start, end)).map(([from, to]): TextRange => [
    start + from,
    start + to,
  ])
  if (cells.length === 1) return cells
  const repeated = cells.filter(([from, to]) => {
    const words = new Set(foldedWords(passage.slice(from, to)))
    return words.size > 0 && isWithin(words, saidWords)
  })
  return repeated.length > 0 ? repeated : cells
}
