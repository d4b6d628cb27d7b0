import type { ColumnType } from "../../../../shared/contract/tables.ts"
import type { CellValue } from "../../../parsers/sheets/sheet-rows.ts"
import type { StoredValue } from "./columns.ts"
import { numberReading } from "./cell-texts.ts"

/** Labels of total rows, alone in their cell. */
const total =
  /^(?:Σ|(?:grand |overall |sub[- ]?)?totals?|sum|(?:zwischen|gesamt|end|teil)?summen?|gesamt(?:betrag)?|insgesamt|(?:sub)?totale|totale (?:generale|complessivo|parziale)|totali|somma)\s*:?$/i
/** The same labels followed by another word, such as a year. The numbers must confirm that such a row is a total. */
const extendedTotal =
  /^(?:(?:grand |sub[- ]?)?total|sum|(?:zwischen|gesamt)?summe|gesamt|(?:sub)?totale|somma)\b.{1,40}$|^(?:netto(?:betrag)?|net|imponibile)\s*:?$/i
/** Labels of rows between a subtotal and the total that includes them. */
const tax =
  /^(?:(?:zzgl|inkl)\.? )?(?:mwst|ust|mehrwertsteuer|umsatzsteuer|iva|vat|tax|sales tax|rabatt|skonto|sconto|discount)\b.{0,20}$/i

/** Minimum share of rows that have a value in a column of words. */
const minFilledShare = 0.9

/** Kind of label in a row that otherwise contains only numbers. */
export type TotalLabel = "total" | "total-of" | "tax"

/** Returns the label of a possible total row, or null. Such rows don't affect column types, because a label may stand in a date column. */
export function totalLabel(cells: readonly CellValue[]): TotalLabel | null {
  let label: TotalLabel | null = null
  let numbers = 0
  for (const cell of cells) {
    if (cell === undefined || cell === "") continue
    if (typeof cell === "number") numbers++
    else if (typeof cell !== "string") return null
    else {
      const text = cell.trim()
      const found: TotalLabel | null | undefined =
        text === "" ? undefined : label === null ? getLabel(text) : null
      if (found) label = found
      else if (found === null && !isNumberText(text)) return null
      else if (found === null) numbers++
    }
  }
  return numbers > 0 ? label : null
}

function getLabel(text: string): TotalLabel | null {
  if (text.length > 60) return null
  if (total.test(text)) return "total"
  if (extendedTotal.test(text)) return "total-of"
  return tax.test(text) ? "tax" : null
}

const isNumberText = (text: string): boolean => {
  const { dot, comma } = numberReading(text)
  return dot || comma
}

/** Separates total rows from data rows. */
export interface Totals {
  /** Adds a row. Returns false if it sums the rows before it and so isn't a data row. */
  take(row: number, label: TotalLabel | null, values: readonly StoredValue[]): boolean
  /** Returns the numbers of rows that were added but turned out to be totals, at the end or before empty rows. */
  trailingTotals(): number[]
}

export function createTotals(columns: readonly ColumnType[]): Totals {
  const isNumber = columns.map((type) => type === "number" || type === "mixed")
  /** Number of rows with words or dates in each column. */
  const words = columns.map(() => 0)
  const sums = columns.map(() => 0)
  const sinceSubtotal = columns.map(() => 0)
  let rows = 0
  /** Possible total rows at the current end. */
  const ending: { row: number; label: TotalLabel }[] = []
  let last: { row: number; values: readonly StoredValue[] } | undefined
  let isAfterTotal = false
  /** Rows before empty rows that turned out to be totals. */
  const sumsBeforeGaps: number[] = []

  const equals = (value: number, sum: number) =>
    Math.abs(value - sum) <= Math.max(0.006, Math.abs(sum) * 1e-9)

  function sumsUp(values: readonly StoredValue[], of: readonly number[]): boolean {
    return values.some(
      (value, column) =>
        isNumber[column] === true &&
        typeof value === "number" &&
        value !== 0 &&
        equals(value, of[column] ?? 0),
    )
  }

  /**
   * Whether the last row has no words where the rows above have them, and most of its numbers are sums of the rows above. Some may be
   * averages.
   */
  function endsInBareSum(): boolean {
    let right = 0
    let others = 0
    let misses = false
    for (const [column, value] of (last?.values ?? []).entries()) {
      if (value === null) misses ||= (words[column] ?? 0) >= (rows - 1) * minFilledShare
      else if (typeof value === "string") {
        if (/[\p{L}\p{N}]/u.test(value)) return false
      } else if (isNumber[column] !== true) return false
      else if (!equals(value, (sums[column] ?? 0) - value)) others++
      else if (value !== 0) right++
    }
    return misses && right > others && rows > 2
  }

  /** Excludes the last row, which is followed by empty rows. */
  function leaveOutLast(): void {
    if (!last) return
    sumsBeforeGaps.push(last.row)
    for (const [column, value] of last.values.entries())
      if (typeof value === "number") sums[column] = (sums[column] ?? 0) - value
    sinceSubtotal.fill(0)
    rows--
    last = undefined
  }

  const isProven = (label: TotalLabel | null, values: readonly StoredValue[]): boolean =>
    (label === "total" || label === "total-of") &&
    rows > 0 &&
    (sumsUp(values, sums) || sumsUp(values, sinceSubtotal))

  return {
    take(row, label, values) {
      if (last && row > last.row + 1 && endsInBareSum()) leaveOutLast()
      if (isProven(label, values)) {
        sinceSubtotal.fill(0)
        isAfterTotal = true
        return false
      }
      if (label === "total" || label === "tax") ending.push({ row, label })
      else {
        isAfterTotal = false
        if (ending.length > 0) ending.length = 0
      }
      last = { row, values }
      rows++
      for (let column = 0; column < values.length; column++) {
        const value = values[column]
        if (typeof value === "string") words[column] = (words[column] ?? 0) + 1
        if (typeof value !== "number") continue
        sums[column] = (sums[column] ?? 0) + value
        sinceSubtotal[column] = (sinceSubtotal[column] ?? 0) + value
      }
      return true
    },

    trailingTotals() {
      const isTotal = isAfterTotal || ending.some(({ label }) => label === "total")
      if (isTotal && rows > ending.length) return [...sumsBeforeGaps, ...ending.map(({ row }) => row)]
      return last && endsInBareSum() ? [...sumsBeforeGaps, last.row] : sumsBeforeGaps
    },
  }
}
