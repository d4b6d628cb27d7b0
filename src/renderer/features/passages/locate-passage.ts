import type { FileBlock } from "../../../shared/contract/files.ts"
import type { Passage } from "../../../shared/contract/folders.ts"

/** A stretch of one block's text, in characters. */
export interface MarkedRange {
  block: number
  start: number
  end: number
  /** What the answer rests on, in a passage of which the rest is what stands around it. */
  quoted?: boolean
}

/** From and to, in characters of a text. */
export type TextRange = [start: number, end: number]

const shortestLine = 12
/** Where the same words stand, at most: a document of one letter would have the page compare them for minutes. */
const mostPlaces = 2000
const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, "")

/**
 * Finds a passage in its document's blocks whatever happened to the spaces in between. Where the same words stand
 * several times, the place the passage names decides. When the whole isn't there (the document has changed), its lines
 * are looked for one by one; nothing found is an empty list. The parts of its text that are `quoted`, in characters, are
 * told apart where the whole is there.
 */
export function locatePassage(
  blocks: FileBlock[],
  passage: Pick<Passage, "text" | "location">,
  quoted: readonly TextRange[] = [],
): MarkedRange[] {
  const bare = blocks.map((block) => withoutSpace(block.text))
  const starts: number[] = []
  let length = 0
  for (const text of bare) {
    starts.push(length)
    length += text.length
  }
  const document = bare.join("")

  const find = (text: string, from: number): [number, number] | undefined => {
    const needle = withoutSpace(text)
    if (needle === "") return undefined
    let best: number | undefined
    let places = 0
    for (
      let at = document.indexOf(needle, from);
      at >= 0 && places < mostPlaces;
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
    for (const beginning of ownBeginnings(passage.text)) {
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
  const positionIn = (index: number) => range[0] + withoutSpace(passage.text.slice(beginning, index)).length
  const quotes = quoted.flatMap(([start, end]) =>
    start < beginning ? [] : rangesBetween(blocks, starts, positionIn(start), positionIn(end)),
  )
  return [...ranges, ...quotes.map((quote) => ({ ...quote, quoted: true }))]
}

/** Where a passage may begin itself: a heading and the names of a table's columns are repeated before it. */
function ownBeginnings(text: string): number[] {
  const afterFirst = text.indexOf("\n") + 1
  const afterSecond = text.indexOf("\n", afterFirst) + 1
  return [0, afterFirst, afterSecond].filter(
    (index, position) =>
      position === 0 || (index > 0 && withoutSpace(text.slice(index)).length >= shortestLine),
  )
}

function findLines(
  text: string,
  find: (text: string, from: number) => [number, number] | undefined,
): [number, number][] {
  const found: [number, number][] = []
  for (const line of text.split("\n")) {
    if (withoutSpace(line).length < shortestLine) continue
    const range = find(line, found.at(-1)?.[1] ?? 0)
    if (range) found.push(range)
  }
  return found
}

/** Whether a location is in the blocks from `first` up to `next`. In a document with lines, it may be any of their lines. */
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

/** The block that holds a position: the last one that starts at or before it. */
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
    const start = positionOf(text, Math.max(0, from - offset))
    const end = positionOf(text, to - offset - 1) + 1
    if (start < end && text.trim() !== "")
      ranges.push({ block: index, start, end: Math.min(end, text.length) })
  }
  return ranges
}

/** Index of the nth character that isn't a space. */
function positionOf(text: string, nth: number): number {
  let seen = -1
  for (let index = 0; index < text.length; index++) {
    if (/\S/.test(text.charAt(index)) && ++seen === nth) return index
  }
  return text.length
}
