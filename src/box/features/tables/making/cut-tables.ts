import type { MergedCells, SheetRowBatch, ValueRow } from "../../../parsers/sheets/sheet-rows.ts"
import { startsTable, isFilled, isWord, mayBeTitle } from "./header.ts"
import type { RowConsumer } from "./table-writer.ts"

/** A table of a document. Its key is its number within the document. */
export interface CutTable<Result> {
  key: string
  sheet: string | null
  result: Result
}

interface OpenTable<Result> {
  key: string
  sheet: string | null
  consumer: RowConsumer<Result> | undefined
  rows: number
  lastRow: number
  hasValues: boolean
}

/** Maximum tables per document. Further tables are skipped. */
const maxTables = 500
/** Rows of a table that are checked for values other than words. Another table can follow only after such a value. */
const maxExamined = 50

/**
 * Splits sheets into tables. A table ends where an empty row is followed by a row of words only, which may have a title above it. Tables
 * for which `begin` returns undefined are skipped.
 */
export async function cutTables<Result>(
  batches: AsyncIterable<SheetRowBatch>,
  begin: (key: string) => RowConsumer<Result> | undefined,
  onMerged?: (table: CutTable<Result>, merged: readonly MergedCells[]) => void,
): Promise<CutTable<Result>[]> {
  const cut: CutTable<Result>[] = []
  let begun = 0
  let current: OpenTable<Result> | undefined
  /** A possible title of the next table, until the row below decides. */
  let title: ValueRow | undefined

  function end(): void {
    if (title && current) add(current.sheet, title)
    title = undefined
    if (current?.consumer)
      cut.push({ key: current.key, sheet: current.sheet, result: current.consumer.end() })
    current = undefined
  }

  function take(sheet: string | null, row: ValueRow): void {
    if (!row.cells.some(isFilled)) return
    if (current && current.sheet !== sheet) end()
    const above = title
    title = undefined
    if (current?.hasValues && (above !== undefined || row.row > current.lastRow + 1)) {
      if (startsTable(row)) end()
      else if (above === undefined && mayBeTitle(row)) {
        title = row
        return
      }
    }
    if (above) add(sheet, above)
    add(sheet, row)
  }

  function add(sheet: string | null, { row, cells }: ValueRow): void {
    if (!current) {
      const key = `t${begun++}`
      const consumer = begun > maxTables ? undefined : begin(key)
      current = { key, sheet, consumer, rows: 0, lastRow: 0, hasValues: false }
    }
    // Row numbers in hostile sheets may decrease.
    const number = Math.max(row, current.lastRow + 1)
    current.lastRow = number
    if (current.rows++ < maxExamined)
      current.hasValues ||= cells.some((cell) => isFilled(cell) && !isWord(cell))
    current.consumer?.add({ row: number, cells })
  }

  for await (const { sheet, rows, merged } of batches) {
    for (const row of rows) take(sheet, row)
    if (!merged) continue
    end()
    for (const table of cut) if (table.sheet === sheet) onMerged?.(table, merged)
  }
  end()
  return cut
}
