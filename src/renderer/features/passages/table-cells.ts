import type { FileBlock } from "../../../shared/contract/files.ts"

/** What stands between the cells of a table's row in its text. */
const between = /(?:^| )\|(?: |$)/g
const mostColumns = 50
const narrowest = 5
const widest = 28
/** Rows that tell how wide a table's columns are. */
const measuredRows = 300

export const isTableRow = (kind: FileBlock["kind"]): boolean =>
  kind === "table-row" || kind === "table-header"

/** Where the cells of a row stand in its text; beyond the most that are drawn side by side, the rest is one cell. */
export function splitCells(text: string): [start: number, end: number][] {
  const cells: [number, number][] = []
  let start = 0
  for (const { 0: match, index } of text.matchAll(between)) {
    if (cells.length === mostColumns - 1) break
    cells.push([start, index])
    start = index + match.length
  }
  return [...cells, [start, text.length]]
}

/** For each row of a table, by the number of its block, how wide the table's columns are, in characters. */
export function columnWidths(blocks: readonly FileBlock[]): Map<number, number[]> {
  const widths = new Map<number, number[]>()
  let table: number[] = []
  let rows = 0
  for (const [index, { kind, text, location }] of blocks.entries()) {
    if (!isTableRow(kind)) continue
    const before = blocks[index - 1]
    if (!before || !isTableRow(before.kind) || before.location.sheet !== location.sheet) {
      table = []
      rows = 0
    }
    if (rows++ < measuredRows) {
      for (const [column, [start, end]] of splitCells(text).entries()) {
        const width = Math.min(widest, Math.max(narrowest, end - start))
        table[column] = Math.max(width, table[column] ?? 0)
      }
    }
    widths.set(index, table)
  }
  return widths
}
