import { joinRaised, joinShifted } from "../text/linear-math.ts"

/** A box in points. Its coordinates grow to the right and upwards, as the page's text runs. */
export interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

/** A word and its box. */
export interface PageWord extends Box {
  text: string
}

/** Words in reading order: a line, or the cells of a table's row. */
export interface PageRow {
  words: PageWord[]
  /** The row's cells, empty ones included; undefined for a line of text. */
  cells?: PageWord[][]
}

/** Words of a line that no gap separates, or a table with rules. */
export interface Piece extends Box {
  /** Index of its line in the page's content. */
  line: number
  words: PageWord[]
  /** Rows of the table. */
  table?: PageRow[]
}

/** Pieces next to each other, from the left. */
export interface Row extends Box {
  pieces: Piece[]
  centre: number
}

export const fewRows = 3
export const maxRowOffset = 0.4

/** Returns the smallest box around these. */
export function getBounds(boxes: readonly Box[]): Box {
  const bounds = { left: Infinity, right: -Infinity, top: -Infinity, bottom: Infinity }
  for (const { left, right, top, bottom } of boxes) {
    if (left < bounds.left) bounds.left = left
    if (right > bounds.right) bounds.right = right
    if (top > bounds.top) bounds.top = top
    if (bottom < bounds.bottom) bounds.bottom = bottom
  }
  return bounds
}

export const getCentre = ({ top, bottom }: Box): number => (top + bottom) / 2

export const average = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Raised and lowered characters are smaller than this, and shifted by more than this, as shares of the height of the text next to them. */
const smallerType = 0.85
const minShift = 0.1
/** Maximum gap between two words, and minimum gap that isn't inside a word, as shares of the height. */
const maxWordGap = 0.6
const minWordGap = 0.12

const getHeight = ({ top, bottom }: Box): number => top - bottom

/** Whether a character is raised or lowered next to one of larger type. */
export function isShifted(character: Box, base: Box): boolean {
  const height = getHeight(base)
  const isSmaller = getHeight(character) < height * smallerType
  return isSmaller && Math.abs(character.bottom - base.bottom) > height * minShift
}

/** Returns a word whose last characters are shifted, with a mark before raised digits. */
export function separateRaised(word: string, base: Box, boxAt: (at: number) => Box): string {
  let start = word.length - 1
  while (start > 1 && isShifted(boxAt(start - 1), base)) start--
  const isRaised = boxAt(start).bottom > base.bottom
  return isRaised ? joinRaised(word.slice(0, start), word.slice(start)) : word
}

/**
 * Appends a line to the previous one if it continues it: after shifted characters on the same base line, or with shifted characters.
 *
 * @returns `shifted` if the whole line is shifted
 */
export function continueLine(
  previous: PageWord[],
  line: readonly PageWord[],
  isAfterShifted: boolean,
): "continued" | "shifted" | undefined {
  const [last, [first, ...rest]] = [previous.at(-1), line]
  if (!last || !first) return undefined
  const height = getHeight(last)
  const gap = first.left - last.right
  const isAdjacent = Math.abs(gap) < height * minWordGap
  const overlaps = first.bottom < last.top && first.top > last.bottom
  if (isAdjacent && overlaps && isShifted(first, last)) {
    const shift = first.bottom > last.bottom ? "raised" : "lowered"
    last.text = joinShifted(last.text, first.text, shift)
    last.right = first.right
    previous.push(...rest)
    return rest.length === 0 ? "shifted" : "continued"
  }
  const isOnBaseLine = Math.abs(first.bottom - last.bottom) < height * minShift
  if (!isAfterShifted || !isOnBaseLine || gap < -height * minWordGap || gap > height * maxWordGap)
    return undefined
  if (isAdjacent) Object.assign(last, { text: last.text + first.text, right: first.right })
  else previous.push(first)
  previous.push(...rest)
  return "continued"
}
