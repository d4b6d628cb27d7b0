import type { Block } from "../parser.ts"

/** The unit in which a document is counted. */
export type Unit = "page" | "slide" | "sheet" | "line"

export interface DocumentUnits {
  unit: Unit
  /** Number of the last unit; for sheets and lines, how many there are. */
  last: number
  /** Names of sheets in order; empty for other units. */
  sheets: readonly string[]
  /** Whether lines are numbered as in the file itself, and not as in the extracted text. */
  hasOwnLines: boolean
}

/** A piece of text within one page, slide, sheet or line. */
export interface NumberedText {
  number: number
  text: string
  /** Separator from the previous piece, if that has the same number. */
  joint: string
}

const lineKinds = new Set<Block["kind"]>(["table-header", "table-row", "code"])

/** Reads a document once to determine its unit and how many there are. */
export async function countUnits(pieces: AsyncIterable<Block[]>): Promise<DocumentUnits> {
  const last = { page: 0, slide: 0, line: 0, text: 0 }
  const unitCounts = { page: 0, slide: 0, sheet: 0, line: 0 }
  const sheets = new Set<string>()
  let blocks = 0
  let previous: Block["kind"] | undefined
  for await (const some of pieces) {
    for (const { kind, text, location } of some) {
      blocks++
      const { page, slide, sheet, line } = location
      const lines = text.split("\n").length
      if (page !== undefined) [unitCounts.page, last.page] = [unitCounts.page + 1, Math.max(last.page, page)]
      if (slide !== undefined)
        [unitCounts.slide, last.slide] = [unitCounts.slide + 1, Math.max(last.slide, slide)]
      if (line !== undefined)
        [unitCounts.line, last.line] = [unitCounts.line + 1, Math.max(last.line, line + lines - 1)]
      if (sheet !== undefined) {
        unitCounts.sheet++
        sheets.add(sheet)
      }
      last.text += lines + (previous !== undefined && !areLines(previous, kind) ? 1 : 0)
      previous = kind
    }
  }
  const none = { sheets: [], hasOwnLines: false }
  if (blocks > 0 && unitCounts.page === blocks) return { ...none, unit: "page", last: last.page }
  if (blocks > 0 && unitCounts.slide === blocks) return { ...none, unit: "slide", last: last.slide }
  if (blocks > 0 && unitCounts.sheet === blocks)
    return { unit: "sheet", last: sheets.size, sheets: [...sheets], hasOwnLines: false }
  if (blocks > 0 && unitCounts.line === blocks)
    return { unit: "line", last: last.line, sheets: [], hasOwnLines: true }
  return { ...none, unit: "line", last: last.text }
}

const areLines = (a: Block["kind"], b: Block["kind"]) => lineKinds.has(a) && lineKinds.has(b)

/** Yields the document's text in pieces, each with the number of its unit. */
export async function* numbered(
  pieces: AsyncIterable<Block[]>,
  { unit, sheets, hasOwnLines }: DocumentUnits,
): AsyncGenerator<NumberedText> {
  let previous: Block["kind"] | undefined
  let line = 0
  for await (const some of pieces) {
    for (const { kind, text, location } of some) {
      const joint = previous === undefined ? "" : areLines(previous, kind) ? "\n" : "\n\n"
      if (unit === "line") {
        line = hasOwnLines ? (location.line ?? line) : line + joint.length
        if (line === 0) line = 1
        const lines = text.split("\n")
        for (const [index, one] of lines.entries()) yield { number: line + index, text: one, joint: "" }
        line += lines.length - 1
      } else {
        yield { number: getUnitNumber(location, unit, sheets), text, joint }
      }
      previous = kind
    }
  }
}

function getUnitNumber(location: Block["location"], unit: Unit, sheets: readonly string[]): number {
  if (unit === "sheet") return sheets.indexOf(location.sheet ?? "") + 1
  return location[unit] ?? 1
}
