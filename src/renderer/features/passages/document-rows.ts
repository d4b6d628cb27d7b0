import { t } from "i18next"
import type { FileBlock } from "../../../shared/contract/files.ts"
import type { Location } from "../../../shared/contract/location.ts"
import type { MarkedRange } from "./locate-passage.ts"
import { tableRows, type Table } from "./table-cells.ts"

/** How text is highlighted. Faint is for the text around the words that an answer is based on. */
export type Mark = "strong" | "faint"

/** A stretch of text, highlighted or not. */
export interface Stretch {
  text: string
  mark: Mark | undefined
}

/** A part of a document that is rendered as a unit: text in highlighted and plain stretches, or a sheet's column letters. */
export interface DocumentRow {
  kind: FileBlock["kind"] | "column-letters"
  /** The cells of a table row; a single one for anything else. */
  cells: Stretch[][]
  table: Table | undefined
  /** Column index of the first cell in the table, from 0; null if a single cell spans the row. */
  at: number | null
  /** Index of the row with its column letters. */
  letters: number | undefined
  /** Number of the line or the table row, if these are numbered. */
  number: number | undefined
  /** Its location, if that differs from the previous row. */
  place: string | undefined
  /** Whether it contains strongly highlighted text. */
  marked: boolean
}

const maxRowLength = 1500

/** Cuts a document into rows small enough to render only those on screen. */
export function documentRows(blocks: FileBlock[], ranges: MarkedRange[]): DocumentRow[] {
  const rows: DocumentRow[] = []
  const tableRowsByIndex = tableRows(blocks)
  const around = getPassageMark(ranges)
  let previousLocation: string | undefined
  let letters: number | undefined
  const add = (row: Omit<DocumentRow, "place" | "letters">, place: string | undefined) => {
    rows.push({ ...row, place: place === previousLocation ? undefined : place, letters })
    previousLocation = place
  }
  for (const [index, { kind, text, location }] of blocks.entries()) {
    const marks = ranges.filter((range) => range.block === index)
    const place = describeLocation(location)
    const { table, cells: tableCells, at = 0 } = tableRowsByIndex.get(index) ?? {}
    if (table !== rows.at(-1)?.table) {
      letters = table?.firstColumn === undefined ? undefined : rows.length
      if (letters !== undefined)
        add({ kind: "column-letters", cells: [], table, at: 0, number: undefined, marked: false }, place)
    }
    for (const { number, cells: bounds } of tableCells
      ? [{ number: location.row, cells: tableCells }]
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

/** How a block outside tables is divided: into lines of code, or text. */
function pieces(kind: FileBlock["kind"], text: string, { line }: Location): Piece[] {
  if (kind === "code") {
    return lineBounds(text).map((bounds, index) => ({
      number: line === undefined ? undefined : line + index,
      cells: [bounds],
    }))
  }
  return rowBounds(text).map((bounds, index) => ({ number: index === 0 ? line : undefined, cells: [bounds] }))
}

function describeLocation({ message, entry, image, ...location }: Location): string | undefined {
  const places = [
    message === undefined ? undefined : t("format:message", { number: message }),
    entry,
    describePage(location),
    image === undefined ? undefined : t("format:image", { number: image }),
  ].filter((place) => place !== undefined)
  return places.length === 0 ? undefined : places.join(" · ")
}

function describePage({ page, slide, sheet }: Location): string | undefined {
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
  while (text.length - start > maxRowLength) {
    const lineEnd = text.lastIndexOf("\n", start + maxRowLength)
    const end = lineEnd > start ? lineEnd + 1 : start + maxRowLength
    bounds.push([start, end])
    start = end
  }
  bounds.push([start, text.length])
  return bounds
}

/** If no part of the passage is quoted, the whole passage is highlighted strongly. */
export const getPassageMark = (ranges: readonly MarkedRange[]): Mark =>
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
