import type { Database } from "better-sqlite3"
import type { ColumnType } from "../../../../shared/contract/tables.ts"
import type { CellValue, MergedCells, ValueRow } from "../../../parsers/sheets/sheet-rows.ts"
import {
  convert,
  count,
  fits,
  createColumnFacts,
  planColumns,
  type ColumnFacts,
  type ColumnPlan,
  type StoredValue,
} from "./columns.ts"
import { findHeader, isFilled } from "./header.ts"
import { createTotals, totalLabel, type Totals } from "./totals.ts"

const maxNameLength = 80
/** SQLite's name for the row number. Columns may use SQLite's other names for it. */
const rowNumber = "_rowid_"

/** Derives column names from the headers. No name is empty, and names are unique regardless of case. */
function columnNames(headers: readonly { column: number; words: string | undefined }[]): string[] {
  const taken = new Set([rowNumber])
  return headers.map(({ column, words = "" }) => {
    const cleaned = words
      .replaceAll("\0", "")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, maxNameLength)
      .toWellFormed()
    const wanted = cleaned === "" ? `column_${column + 1}` : cleaned
    let name = wanted
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${wanted}_${number}`
    taken.add(name.toLowerCase())
    return name
  })
}

/** Information about a table that is needed before its rows can be written. */
export interface TablePlan {
  /** Rows up to and including this one are titles and the header. */
  headerRow: number
  columns: { column: number; name: string; plan: ColumnPlan }[]
}

/** A table that was written. */
export interface WrittenTable {
  plan: TablePlan
  /** Whether all cells matched the plan. */
  isRight: boolean
  rows: number
}

/** Accepts the rows of one table in order. */
export interface RowConsumer<Result> {
  add(row: ValueRow): void
  end(): Result
}

/** Rows from which a table's column types are first derived. */
const sampleRows = 1000
const maxColumns = 1000
/** Maximum values bound in one statement. */
const maxBound = 200

/** Declared column types, which queries use to determine the types of results. */
export const declaredTypes = {
  number: "REAL",
  text: "TEXT",
  date: "DATE TEXT",
  boolean: "BOOLEAN",
  mixed: "MIXED BLOB",
} as const satisfies Record<ColumnType, string>

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Writes a table by a plan. Rows keep their numbers from the sheet. */
export function writeByPlan(database: Database, table: string, plan: TablePlan): RowConsumer<WrittenTable> {
  const columns = plan.columns.map(({ name, plan: { type } }) => `${quoted(name)} ${declaredTypes[type]}`)
  database.exec(`CREATE TABLE ${quoted(table)} (${columns.join(", ")})`)
  const placeholders = `(${["?", ...plan.columns.map(() => "?")].join(", ")})`
  const names = [rowNumber, ...plan.columns.map(({ name }) => quoted(name))].join(", ")
  const getInsert = (count: number) =>
    database.prepare<[StoredValue[]]>(
      `INSERT INTO ${quoted(table)} (${names}) VALUES ${Array.from({ length: count }, () => placeholders).join(", ")}`,
    )
  const rowsPerInsert = Math.max(1, Math.floor(maxBound / (plan.columns.length + 1)))
  const insert = getInsert(rowsPerInsert)
  let waiting: StoredValue[] = []
  let count = 0
  const totals: Totals = createTotals(plan.columns.map(({ plan: { type } }) => type))
  const known = new Set(plan.columns.map(({ column }) => column))
  let isRight = true
  let rows = 0

  function getValues(cells: readonly CellValue[], isSum: boolean): StoredValue[] {
    const values: StoredValue[] = []
    for (const { column, plan: how } of plan.columns) {
      const cell = cells[column]
      const value = convert(cell, how)
      values.push(value)
      isRight &&= isSum || fits(cell, how, value)
    }
    return values
  }

  return {
    add({ row, cells }) {
      if (row <= plan.headerRow) return
      const label = totalLabel(cells)
      const values = getValues(cells, label !== null)
      for (let column = 0; isRight && column < Math.min(cells.length, maxColumns); column++)
        isRight = known.has(column) || !isFilled(cells[column])
      if (!totals.take(row, label, values)) return
      waiting.push(row, ...values)
      rows++
      if (++count < rowsPerInsert) return
      insert.run(waiting)
      waiting = []
      count = 0
    },
    end() {
      if (count > 0) getInsert(count).run(waiting)
      const remove = database.prepare<[number]>(`DELETE FROM ${quoted(table)} WHERE ${rowNumber} = ?`)
      for (const row of totals.trailingTotals()) rows -= remove.run(row).changes
      return { plan, isRight, rows }
    },
  }
}

/** Writes a table by a plan made from its first rows. */
export function writeBySample(database: Database, table: string): RowConsumer<WrittenTable> {
  const sample: ValueRow[] = []
  let writer: RowConsumer<WrittenTable> | undefined

  function begin(): RowConsumer<WrittenTable> {
    const planner = planTable()
    for (const row of sample) planner.add(row)
    const started = writeByPlan(database, table, planner.end())
    for (const row of sample.splice(0)) started.add(row)
    return started
  }

  return {
    add(row) {
      if (writer) writer.add(row)
      else if (sample.push(row) >= sampleRows) writer = begin()
    },
    end: () => (writer ?? begin()).end(),
  }
}

/** Makes a plan from all rows of a table, without writing. */
export function planTable(): RowConsumer<TablePlan> {
  const facts: ColumnFacts[] = []
  let first: ValueRow[] = []
  let header: ValueRow | undefined
  let hasStarted = false

  function addToSample({ row, cells }: ValueRow): void {
    if (row <= (header?.row ?? 0) || totalLabel(cells) !== null) return
    const width = Math.min(cells.length, maxColumns)
    for (let column = 0; column < width; column++) {
      const cell = cells[column]
      if (isFilled(cell)) count((facts[column] ??= createColumnFacts()), cell)
    }
  }

  function begin(): void {
    hasStarted = true
    header = first[findHeader(first)]
    first.forEach(addToSample)
    first = []
  }

  return {
    add(row) {
      if (hasStarted) addToSample(row)
      else if (first.push(row) >= sampleRows) begin()
    },
    end() {
      if (!hasStarted) begin()
      const width = Math.min(Math.max(facts.length, header?.cells.length ?? 0), maxColumns)
      const columns = Array.from({ length: width }, (_, column) => column).filter(
        (column) => facts[column] !== undefined || isFilled(header?.cells[column]),
      )
      const plans = planColumns(columns.map((column) => facts[column] ?? createColumnFacts()))
      const names = columnNames(columns.map((column) => ({ column, words: getWords(header?.cells[column]) })))
      return {
        headerRow: header?.row ?? 0,
        columns: plans.map((plan, index) => ({
          column: columns[index] ?? 0,
          name: names[index] ?? "",
          plan,
        })),
      }
    },
  }
}

const getWords = (cell: CellValue): string | undefined =>
  typeof cell === "object" ? cell.date : cell === undefined ? undefined : String(cell)

/** Copies the value of vertically merged cells to each of their rows. Numbers stay in the first row, so that they are counted once. */
export function fillMerged(
  database: Database,
  table: string,
  plan: TablePlan,
  merged: readonly MergedCells[],
): void {
  for (const {
    column,
    name,
    plan: { type },
  } of plan.columns) {
    const mergedInColumn = merged.filter((each) => each.column === column)
    if (type === "number" || mergedInColumn.length === 0) continue
    const fill = database.prepare<[{ first: number; last: number }]>(
      `UPDATE ${quoted(table)} SET ${quoted(name)} =
         (SELECT ${quoted(name)} FROM ${quoted(table)} WHERE ${rowNumber} = @first)
       WHERE ${rowNumber} > @first AND ${rowNumber} <= @last AND ${quoted(name)} IS NULL`,
    )
    for (const { firstRow: first, lastRow: last } of mergedInColumn) fill.run({ first, last })
  }
}
