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
