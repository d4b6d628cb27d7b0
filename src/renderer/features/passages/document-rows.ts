import { t } from "i18next"
import type { FileBlock } from "../../../shared/contract/files.ts"
import type { Location } from "../../../shared/contract/location.ts"
import type { MarkedRange } from "./locate-passage.ts"
import { columnWidths, isTableRow, splitCells } from "./table-cells.ts"

/** How text is marked: faintly as what stands around the words that an answer rests on. */
export type Mark = "strong" | "faint"

/** Text that is marked or not. */
export interface Stretch {
  text: string
  mark: Mark | undefined
}

/** A piece of a document that is drawn at once: text, cut into marked and plain stretches. */
export interface DocumentRow {
  kind: FileBlock["kind"]
  /** The cells of a table's row; of anything else one. */
  cells: Stretch[][]
  /** Widths of the table's columns, in characters. */
  columns: number[] | undefined
  /** Of the line or the table's row, where these are counted. */
  number: number | undefined
  /** Where it stands, when that differs from the row before. */
  place: string | undefined
  /** It has what is marked strongly. */
  marked: boolean
}

const longestRow = 1500

/** Cuts a document into rows small enough to draw only those on screen. */
export function documentRows(blocks: FileBlock[], ranges: MarkedRange[]): DocumentRow[] {
  const rows: DocumentRow[] = []
  const widths = columnWidths(blocks)
  const around = lookOfPassage(ranges)
  let lastPlace: string | undefined
  for (const [index, { kind, text, location }] of blocks.entries()) {
    const marks = ranges.filter((range) => range.block === index)
    const place = placeOf(location)
    for (const { number, cells: bounds } of pieces(kind, text, location)) {
      const cells = bounds.map(([start, end]) => stretchesBetween(text, start, end, marks, around))
      rows.push({
        kind,
        cells,
        columns: widths.get(index),
        number,
        place: place === lastPlace ? undefined : place,
        marked: cells.flat().some((stretch) => stretch.mark === "strong"),
      })
      lastPlace = place
    }
  }
  return rows
}

interface Piece {
  number: number | undefined
  cells: [start: number, end: number][]
}

/** What a block is drawn as: a row of a table, lines of code, or text. */
function pieces(kind: FileBlock["kind"], text: string, { line, row }: Location): Piece[] {
  if (isTableRow(kind)) return [{ number: row, cells: splitCells(text) }]
  if (kind === "code") {
    return lineBounds(text).map((bounds, index) => ({
      number: line === undefined ? undefined : line + index,
      cells: [bounds],
    }))
  }
  return rowBounds(text).map((bounds, index) => ({ number: index === 0 ? line : undefined, cells: [bounds] }))
}

function placeOf({ page, slide, sheet }: Location): string | undefined {
  if (page !== undefined) return t("format:page", { number: page })
  if (slide !== undefined) return t("format:slide", { number: slide })
  return sheet
}

function lineBounds(text: string): [number, number][] {
  let start = 0
  return text.split("\n").map((line) => {
    const bounds: [number, number] = [start, start + line.length]
    start += line.length + 1
    return bounds
  })
}

function rowBounds(text: string): [number, number][] {
  const bounds: [number, number][] = []
  let start = 0
  while (text.length - start > longestRow) {
    const lineEnd = text.lastIndexOf("\n", start + longestRow)
    const end = lineEnd > start ? lineEnd + 1 : start + longestRow
    bounds.push([start, end])
    start = end
  }
  bounds.push([start, text.length])
  return bounds
}

/** Where nothing in a passage is told apart, all of it is what was looked for. */
export const lookOfPassage = (ranges: readonly MarkedRange[]): Mark =>
  ranges.some(({ quoted }) => quoted) ? "faint" : "strong"

function stretchesBetween(
  text: string,
  start: number,
  end: number,
  marks: MarkedRange[],
  around: Mark,
): Stretch[] {
  const within = marks.filter((mark) => mark.end > start && mark.start < end)
  const edges = within.flatMap((mark) => [Math.max(start, mark.start), Math.min(end, mark.end)])
  const bounds = [...new Set([start, ...edges, end])].toSorted((a, b) => a - b)
  return bounds.slice(1).map((to, index) => {
    const from = bounds[index] ?? start
    const over = within.filter((mark) => mark.start <= from && mark.end >= to)
    const mark = over.some(({ quoted }) => quoted) ? "strong" : over.length > 0 ? around : undefined
    return { text: text.slice(from, to), mark }
  })
}
