import type { ColumnType } from "../../../../shared/contract/tables.ts"
import type { CellValue } from "../../../parsers/sheets/sheet-rows.ts"
import {
  isPlaceholder,
  parseBoolean,
  parseDate,
  dateReading,
  type DayOrder,
  toNumber,
  numberReading,
  type DecimalMark,
} from "./cell-texts.ts"

/** Counts of the values in a column's cells. */
export interface ColumnFacts {
  numbers: number
  booleans: number
  dates: number
  /** Texts except placeholders. The counts below say how many of them can be read as each type. */
  texts: number
  dotNumbers: number
  commaNumbers: number
  names: number
  isoDates: number
  dayFirst: number
  monthFirst: number
  truths: number
}

/** How the cells of a column are read. */
export interface ColumnPlan {
  type: ColumnType
  mark: DecimalMark
  order: DayOrder
}

export type StoredValue = string | number | null

export const createColumnFacts = (): ColumnFacts => ({
  numbers: 0,
  booleans: 0,
  dates: 0,
  texts: 0,
  dotNumbers: 0,
  commaNumbers: 0,
  names: 0,
  isoDates: 0,
  dayFirst: 0,
  monthFirst: 0,
  truths: 0,
})

export function count(facts: ColumnFacts, cell: CellValue): void {
  if (cell === undefined) return
  if (typeof cell === "number") facts.numbers++
  else if (typeof cell === "boolean") facts.booleans++
  else if (typeof cell === "object") facts.dates++
  else countText(facts, cell.trim())
}

function countText(facts: ColumnFacts, text: string): void {
  if (text === "") return
  const number = numberReading(text)
  if (number.dot || number.comma || number.isName) {
    if (number.dot) facts.dotNumbers++
    if (number.comma) facts.commaNumbers++
    if (number.isName) facts.names++
  } else if (isPlaceholder(text)) return
  const date = number.dot && number.comma ? undefined : dateReading(text)
  if (date?.iso) facts.isoDates++
  if (date?.dayFirst) facts.dayFirst++
  if (date?.monthFirst) facts.monthFirst++
  if (parseBoolean(text) !== undefined) facts.truths++
  facts.texts++
}

/** Decides how to read the columns of one table. If 1.234 is ambiguous in a column, the other columns decide. */
export function planColumns(columns: readonly ColumnFacts[]): ColumnPlan[] {
  const dotEvidence = columns.reduce(
    (sum, facts) => sum + Math.max(0, facts.dotNumbers - facts.commaNumbers),
    0,
  )
  const commaEvidence = columns.reduce(
    (sum, facts) => sum + Math.max(0, facts.commaNumbers - facts.dotNumbers),
    0,
  )
  return columns.map((facts) => planColumn(facts, commaEvidence > dotEvidence ? "comma" : "dot"))
}

function planColumn(facts: ColumnFacts, usual: DecimalMark): ColumnPlan {
  const { numbers, booleans, dates, texts, dotNumbers, commaNumbers } = facts
  const mark = dotNumbers === commaNumbers ? usual : dotNumbers > commaNumbers ? "dot" : "comma"
  const order = facts.monthFirst > facts.dayFirst ? "month-first" : "day-first"
  const plan = (type: ColumnType): ColumnPlan => ({ type, mark, order })
  const numericCount = Math.max(dotNumbers, commaNumbers)
  // Digits used as identifiers must stay unchanged, whatever else the column contains.
  if (facts.names > 0) return plan("text")
  const columnTypes = new Set<ColumnType>()
  if (texts > 0) {
    if (numericCount === texts) columnTypes.add("number")
    else if (facts.isoDates + Math.max(facts.dayFirst, facts.monthFirst) === texts) columnTypes.add("date")
    else if (facts.truths === texts) columnTypes.add("boolean")
    else if (numbers + booleans + dates === 0) return plan(numericCount * 2 >= texts ? "mixed" : "text")
    else return plan("mixed")
  }
  if (numbers > 0) columnTypes.add("number")
  if (booleans > 0) columnTypes.add("boolean")
  if (dates > 0) columnTypes.add("date")
  const [type = "text", another] = columnTypes
  return plan(another === undefined ? type : "mixed")
}

/** Converts a cell to the value that a column with this plan stores. */
export function convert(cell: CellValue, plan: ColumnPlan): StoredValue {
  if (cell === undefined) return null
  if (typeof cell === "number") return plan.type === "text" ? String(cell) : cell
  if (typeof cell === "boolean") return plan.type === "boolean" ? Number(cell) : String(cell)
  if (typeof cell === "object") return cell.date
  const text = cell.trim()
  if (text === "") return null
  if (plan.type === "number") return toNumber(text, plan.mark)
  if (plan.type === "date") return parseDate(text, plan.order)
  if (plan.type === "boolean") {
    const truth = parseBoolean(text)
    return truth === undefined ? null : Number(truth)
  }
  return plan.type === "mixed" ? (toNumber(text, plan.mark) ?? text) : text
}

/** Whether a stored cell matches the planned type of its column. */
export function fits(cell: CellValue, { type }: ColumnPlan, stored: StoredValue): boolean {
  if (type === "mixed" || cell === undefined) return true
  if (typeof cell === "number") return type === "number"
  if (typeof cell === "boolean") return type === "boolean"
  if (typeof cell === "object") return type === "date"
  return stored !== null || cell.trim() === "" || isPlaceholder(cell.trim())
}
