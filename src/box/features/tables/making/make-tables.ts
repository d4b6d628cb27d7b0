import type { Database } from "better-sqlite3"
import type { SheetRowBatch } from "../../../parsers/sheets/sheet-rows.ts"
import type { MadeTable } from "../made-table.ts"
import { cutTables, type CutTable } from "./cut-tables.ts"
import {
  fillMerged,
  planTable,
  quoted,
  writeBySample,
  writeByPlan,
  type WrittenTable,
} from "./table-writer.ts"

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
