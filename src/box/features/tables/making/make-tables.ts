import type { Database } from "better-sqlite3"
import type { MergedCells, SheetRowBatch, ValueRow } from "../../../parsers/sheets/sheet-rows.ts"
import type { MadeTable } from "../keeping/kept-tables.ts"
import { startsTable, isFilled, isWord, mayBeTitle } from "./header.ts"
import {
  type RowConsumer,
  fillMerged,
  planTable,
  quoted,
  writeBySample,
  writeByPlan,
  type WrittenTable,
} from "./table-writer.ts"

/** A table of a document. Its key is its number within the document. */
interface CutTable<Result> {
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
async function cutTables<Result>(
  batches: AsyncIterable<SheetRowBatch>,
  begin: (key: string) => RowConsumer<Result> | undefined,
  onMerged?: (table: CutTable<Result>, merged: readonly MergedCells[]) => void,
): Promise<CutTable<Result>[]> {
  const cut: CutTable<Result>[] = []
  let started = 0
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
      const key = `t${started++}`
      const consumer = started > maxTables ? undefined : begin(key)
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

/** Maximum columns of all tables of a document, because they are listed together. Tables that would exceed it are left out. */
const maxColumns = 10_000
/** Maximum length of a sheet name, which is listed with each table. Excel allows 31 characters. */
const maxSheetNameLength = 200

/**
 * Writes the tables of a document into a database. The first rows of a table decide how to read the others. If later rows contradict them,
 * the document is read again to plan these tables from all their rows, and once more to write them.
 */
export async function makeTables(
  database: Database,
  read: () => AsyncIterable<SheetRowBatch>,
): Promise<MadeTable[]> {
  const merge: Parameters<typeof cutTables<WrittenTable>>[2] = ({ key, result: { plan } }, merged) =>
    fillMerged(database, key, plan, merged)
  const tables = await cutTables(read(), (key) => writeBySample(database, key), merge)
  const wrong = new Set(tables.filter(({ result }) => !result.isRight).map(({ key }) => key))
  const rebuiltTables = new Map<string, CutTable<WrittenTable>>()
  if (wrong.size > 0) {
    const learnt = await cutTables(read(), (key) => (wrong.has(key) ? planTable() : undefined))
    const plans = new Map(learnt.map(({ key, result }) => [key, result]))
    for (const key of wrong) database.exec(`DROP TABLE ${quoted(key)}`)
    const writerByPlan = (key: string) => {
      const plan = plans.get(key)
      return plan && writeByPlan(database, key, plan)
    }
    for (const table of await cutTables(read(), writerByPlan, merge)) rebuiltTables.set(table.key, table)
  }
  let columns = 0
  return tables
    .map((table) => rebuiltTables.get(table.key) ?? table)
    .filter(isTable)
    .filter(({ result: { plan } }) => (columns += plan.columns.length) <= maxColumns)
    .map(({ key, sheet, result: { rows, plan } }) => ({
      key,
      sheet: sheet?.slice(0, maxSheetNameLength).toWellFormed() ?? null,
      rows,
      columns: plan.columns.map(({ name, plan: { type } }) => ({ name, type })),
    }))
}

/** A few words aren't a table. Without a header, the content must look like rows. */
function isTable({ sheet, result: { rows, plan } }: CutTable<WrittenTable>): boolean {
  if (plan.columns.length === 0) return false
  return sheet === null || (rows > 0 && (plan.headerRow > 0 || (rows > 1 && plan.columns.length > 1)))
}
