import { t } from "i18next"
import type { FileBlock } from "../../../shared/contract/files.ts"
import type { Location } from "../../../shared/contract/location.ts"
import type { MarkedRange } from "./locate-passage.ts"
import { tableRows, type Table } from "./table-cells.ts"

/** How text is marked: faintly as what stands around the words that an answer rests on. */
export type Mark = "strong" | "faint"

/** Text that is marked or not. */
export interface Stretch {
  text: string
  mark: Mark | undefined
}

/** A piece of a document that is drawn at once: text, cut into marked and plain stretches, or the letters over a sheet. */
export interface DocumentRow {
  kind: FileBlock["kind"] | "column-letters"
  /** The cells of a table's row; of anything else one. */
  cells: Stretch[][]
  table: Table | undefined
  /** The table's column in which the first cell stands, from 0; null where its one cell stands across. */
  at: number | null
  /** The number of the row with the letters of its columns. */
  letters: number | undefined
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
  const inTables = tableRows(blocks)
  const around = lookOfPassage(ranges)
  let lastPlace: string | undefined
  let letters: number | undefined
  const add = (row: Omit<DocumentRow, "place" | "letters">, place: string | undefined) => {
    rows.push({ ...row, place: place === lastPlace ? undefined : place, letters })
    lastPlace = place
  }
  for (const [index, { kind, text, location }] of blocks.entries()) {
    const marks = ranges.filter((range) => range.block === index)
    const place = placeOf(location)
    const { table, cells: ofTable, at = 0 } = inTables.get(index) ?? {}
    if (table !== rows.at(-1)?.table) {
      letters = table?.firstColumn === undefined ? undefined : rows.length
      if (letters !== undefined)
        add({ kind: "column-letters", cells: [], table, at: 0, number: undefined, marked: false }, place)
    }
    for (const { number, cells: bounds } of ofTable
      ? [{ number: location.row, cells: ofTable }]
      : pieces(kind, text, location)) {
      const cells = bounds.map(([start, end]) => stretchesBetween(text, start, end, marks, around))
      const marked = cells.flat().some((stretch) => stretch.mark === "strong")
      add({ kind, cells, table, at, number, marked }, place)
    }
  }
  return rows
}

interface Piece {
  number: number | undefined
  cells: [start: number, end: number][]
}

/** What a block outside of tables is drawn as: lines of code, or text. */
function pieces(kind: FileBlock["kind"], text: string, { line }: Location): Piece[] {
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
