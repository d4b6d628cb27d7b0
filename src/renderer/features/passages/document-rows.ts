import { t } from "i18next"
import type { FileBlock } from "../../../shared/contract/files.ts"
import type { Location } from "../../../shared/contract/location.ts"
import type { MarkedRange } from "./locate-passage.ts"
import { columnWidths, isTableRow, splitCells } from "./table-cells.ts"

/** Text that is marked or not. */
export interface Stretch {
  text: string
  marked: boolean
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
  marked: boolean
}

const longestRow = 1500

/** Cuts a document into rows small enough to draw only those on screen. */
export function documentRows(blocks: FileBlock[], ranges: MarkedRange[]): DocumentRow[] {
  const rows: DocumentRow[] = []
  const widths = columnWidths(blocks)
  let lastPlace: string | undefined
  for (const [index, { kind, text, location }] of blocks.entries()) {
    const marks = ranges.filter((range) => range.block === index)
    const place = placeOf(location)
    for (const { number, cells: bounds } of pieces(kind, text, location)) {
      const cells = bounds.map(([start, end]) => stretchesBetween(text, start, end, marks))
      rows.push({
        kind,
        cells,
        columns: widths.get(index),
        number,
        place: place === lastPlace ? undefined : place,
        marked: cells.flat().some((stretch) => stretch.marked),
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

function stretchesBetween(text: string, start: number, end: number, marks: MarkedRange[]): Stretch[] {
  const stretches: Stretch[] = []
  let at = start
  const add = (to: number, marked: boolean) => {
    if (to > at) stretches.push({ text: text.slice(at, to), marked })
    at = Math.max(at, to)
  }
  for (const mark of marks.toSorted((a, b) => a.start - b.start)) {
    if (mark.end <= start || mark.start >= end) continue
    add(Math.max(start, mark.start), false)
    add(Math.min(end, mark.end), true)
  }
  add(end, false)
  return stretches
}
