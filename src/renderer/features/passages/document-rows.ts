import { t } from "i18next"
import type { FileBlock } from "../../../shared/contract/files.ts"
import type { Location } from "../../../shared/contract/location.ts"
import type { MarkedRange } from "./locate-passage.ts"

/** A piece of a document that is drawn at once: text, cut into marked and plain stretches. */
export interface DocumentRow {
  stretches: { text: string; marked: boolean }[]
  /** Where it stands, when that differs from the row before. */
  place: string | undefined
  marked: boolean
}

const longestRow = 1500

/** Cuts a document into rows small enough to draw only those on screen. */
export function documentRows(blocks: FileBlock[], ranges: MarkedRange[]): DocumentRow[] {
  const rows: DocumentRow[] = []
  let lastPlace: string | undefined
  for (const [index, block] of blocks.entries()) {
    const marks = ranges.filter((range) => range.block === index)
    const place = placeOf(block.location)
    for (const [start, end] of rowBounds(block.text)) {
      const stretches = stretchesBetween(block.text, start, end, marks)
      rows.push({
        stretches,
        place: place === lastPlace ? undefined : place,
        marked: stretches.some((stretch) => stretch.marked),
      })
      lastPlace = place
    }
  }
  return rows
}

function placeOf({ page, slide, sheet }: Location): string | undefined {
  if (page !== undefined) return t("format:page", { number: page })
  if (slide !== undefined) return t("format:slide", { number: slide })
  return sheet
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

function stretchesBetween(text: string, start: number, end: number, marks: MarkedRange[]) {
  const stretches: DocumentRow["stretches"] = []
  let at = start
  const add = (to: number, marked: boolean) => {
    if (to > at) stretches.push({ text: text.slice(at, to), marked })
    at = Math.max(at, to)
  }
  for (const mark of marks.sort((a, b) => a.start - b.start)) {
    if (mark.end <= start || mark.start >= end) continue
    add(Math.max(start, mark.start), false)
    add(Math.min(end, mark.end), true)
  }
  add(end, false)
  return stretches
}
