import { type PageRow, type Piece, type Row, average, fewRows, getBounds, getCentre } from "./page-pieces.ts"

/** Consecutive rows that the same gaps divide into columns. */
export interface Band {
  rows: Row[]
  /** Pieces of each row, by column. */
  grid: Piece[][][]
  columnCount: number
}

export type Interval = readonly [from: number, to: number]

/** Distance between the lines of a wrapped cell, and the minimum distance between rows relative to it. */
const minLeading = 0.8
export const minRowContrast = 1.2
/** Half of the lines of a column of prose are at least this long, relative to the column, and they have this many words. */
const minProseFill = 0.7
export const minProseWords = 3

/** Returns rows from the top, each from the left. */
export function groupRows(pieces: readonly Piece[], offset: number): Row[] {
  const groups: { pieces: Piece[]; centre: number }[] = []
  for (const piece of pieces.toSorted((a, b) => getCentre(b) - getCentre(a))) {
    const group = groups.at(-1)
    if (group && group.centre - getCentre(piece) <= offset) group.pieces.push(piece)
    else groups.push({ pieces: [piece], centre: getCentre(piece) })
  }
  return groups.map((group) => ({
    ...getBounds(group.pieces),
    pieces: group.pieces.sort((a, b) => a.left - b.left),
    centre: group.centre,
  }))
}

/** Adds what a row covers to sorted intervals. */
export function addIntervals(covered: readonly Interval[], row: Row | undefined): Interval[] {
  const all = [...covered, ...(row?.pieces ?? []).map(({ left, right }): Interval => [left, right])]
  const merged: [number, number][] = []
  for (const [from, to] of all.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

export const getColumns = ({ grid, columnCount }: Band): Piece[][][] =>
  Array.from({ length: columnCount }, (_, column) => grid.map((row) => row[column] ?? []))

export const hasRuledTable = ({ rows }: Band): boolean =>
  rows.some(({ pieces }) => pieces.some(({ table }) => table !== undefined))

/** Whether no piece of the row covers a gap. */
export const isBetween = (row: Row | undefined, gaps: readonly Interval[]): boolean =>
  row?.pieces.every(({ left, right }) => gaps.every(([from, to]) => right <= from || left >= to)) === true

/** @param wide width of a gap that is one even if only a few lines have it */
export function toBand(rows: Row[], gaps: readonly Interval[], wide: number): Band | undefined {
  const grid = rows.map(({ pieces }) => {
    const cells = Array.from({ length: gaps.length + 1 }, (): Piece[] => [])
    for (const piece of pieces) cells[gaps.filter(([, to]) => piece.left >= to).length]?.push(piece)
    return cells
  })
  const markers = gaps.map((_, column) => isMarkerColumn(grid.map((row) => row[column] ?? [])))
  const counts = Array.from({ length: gaps.length + 1 }, (_, column) =>
    grid.reduce((sum, row) => sum + Math.sign(row[column]?.length ?? 0), 0),
  )
  const kept = gaps.filter(([from, to], column) => {
    if (markers[column] === "bullets" || (markers[column] === "numbers" && gaps.length === 1)) return false
    return to - from >= wide || Math.min(counts[column] ?? 0, counts[column + 1] ?? 0) >= fewRows
  })
  if (kept.length === 0) return undefined
  if (kept.length === gaps.length) return { rows, grid, columnCount: gaps.length + 1 }
  return toBand(rows, kept, wide)
}

const bullet = /^[•◦▪‣·○●■□*–—-]$/u
const itemNumber = /^\(?(?:\p{L}{1,4}|\d{1,3}(?:\.\d{1,3})*)[.)]$/u
const plainNumber = /^\d{1,3}(?:\.\d{1,3})*$/

/** Returns whether a column has only the markers of list items: they belong to the text next to them. */
function isMarkerColumn(column: readonly Piece[][]): "bullets" | "numbers" | undefined {
  const isEach = (isMarker: (text: string) => boolean) =>
    column.every((cell) => cell.every(({ words }) => words.length === 1 && isMarker(words[0]?.text ?? "")))
  if (isEach((text) => bullet.test(text) || itemNumber.test(text))) return "bullets"
  return isEach((text) => plainNumber.test(text)) ? "numbers" : undefined
}

export const getText = (piece: Pick<Piece, "words"> | undefined): string =>
  piece?.words.map(({ text }) => text).join(" ") ?? ""

const number = /^[-+(]?[\p{Sc}\s]*\d[\d\s.,:/'%)\p{Sc}-]*$/u

export const isNumber = (cell: readonly Piece[]): boolean =>
  cell.length > 0 && number.test(cell.map(getText).join(" "))

export const countWords = (cell: readonly Piece[]): number =>
  cell.reduce((sum, { words }) => sum + words.length, 0)

/** Height of a piece's first word. */
export const getTextHeight = ({ words: [word] }: Pick<Piece, "words">): number =>
  word ? word.top - word.bottom : 0

/** Returns the rows of a table. Lines above and below it that have only one cell aren't part of it. */
export function toTable(rows: readonly Piece[][][]): PageRow[] {
  const isRow = (row: readonly Piece[][]) => row.filter((cell) => cell.length > 0).length > 1
  const [first, last] = [rows.findIndex(isRow), rows.findLastIndex(isRow)]
  return rows.map((row, index) => {
    const cells = row.map((cell) => cell.flatMap(({ words }) => words))
    return { words: cells.flat(), ...(index >= first && index <= last && { cells }) }
  })
}

/** Whether gaps part lines into rows that begin level in all columns, as paragraphs of columns don't. */
export function isTableOfParagraphs({ rows, grid }: Band, height: number): boolean {
  const distances = rows.slice(1).map(({ centre }, index) => (rows[index]?.centre ?? 0) - centre)
  const closest = Math.min(...distances)
  if (closest < height * minLeading) return false
  const far = closest * minRowContrast
  const starts = grid.filter((_, index) => index === 0 || (distances[index - 1] ?? 0) >= far)
  if (starts.length < fewRows || starts.length === grid.length) return false
  return starts.filter((row) => row.every((cell) => cell.length > 0)).length >= starts.length * 0.8
}

/** Whether all of a column is drawn before the next one. */
export function isDrawnByColumn(columns: readonly Piece[][][]): boolean {
  let end = -1
  for (const column of columns) {
    const lines = column.flat().map(({ line }) => line)
    if (lines.some((line) => line < end)) return false
    end = lines.reduce((most, line) => Math.max(most, line), end)
  }
  return true
}

/** @param shortLines the share of lines that may be short */
export function isProse(column: readonly Piece[][], shortLines = 0.5): boolean {
  const lines = column.filter((line) => line.length > 0)
  if (lines.length < 3) return false
  const { left, right } = getBounds(lines.flat())
  const fill = lines.map((line) => ((line.at(-1)?.right ?? left) - left) / (right - left))
  const short = fill.sort((a, b) => a - b)[Math.floor(fill.length * shortLines)] ?? 0
  return short >= minProseFill && average(lines.map(countWords)) >= minProseWords
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}]/gu

export function isRightToLeft({ rows }: Band): boolean {
  const text = rows.flatMap(({ pieces }) => pieces.map(getText)).join("")
  return (text.match(rightToLeft)?.length ?? 0) * 2 > (text.match(/\p{L}/gu)?.length ?? 0)
}
