import type { CellOfAnswer } from "../../../../shared/contract/tables.ts"

export interface CellPosition {
  row: number
  column: number
}

/** The selected cells: all from the cell where the selection started to the current one. */
export interface Selection {
  from: CellPosition
  to: CellPosition
}

/** Number of rows and columns; `page` is the number of rows visible at once. */
export interface GridSize {
  rows: number
  columns: number
  page: number
}

export interface Keys {
  key: string
  shiftKey: boolean
  /** Control, or Command on a Mac. */
  modKey: boolean
}

export const selectRows = ({ columns }: GridSize, from: number, to: number): Selection => ({
  from: { row: from, column: 0 },
  to: { row: to, column: columns - 1 },
})

/** The first and last row and column of a selection. */
export const getEdges = ({ from, to }: Selection) => ({
  top: Math.min(from.row, to.row),
  bottom: Math.max(from.row, to.row),
  left: Math.min(from.column, to.column),
  right: Math.max(from.column, to.column),
})

export function isSelected(selection: Selection | undefined, { row, column }: CellPosition): boolean {
  if (!selection) return false
  const { top, bottom, left, right } = getEdges(selection)
  return row >= top && row <= bottom && column >= left && column <= right
}

/** Returns the selection after a key, as in any spreadsheet; undefined if the key has no meaning here. */
export function selectionAfter(
  selection: Selection | undefined,
  { key, shiftKey, modKey }: Keys,
  size: GridSize,
): Selection | undefined {
  const { from, to } = selection ?? { from: { row: 0, column: 0 }, to: { row: 0, column: 0 } }
  const last = { row: size.rows - 1, column: size.columns - 1 }
  if (size.rows === 0 || size.columns === 0) return undefined
  if (modKey && key.toLowerCase() === "a") return { from: { row: 0, column: 0 }, to: last }
  if (key === " " && shiftKey) return selectRows(size, from.row, to.row)
  if (key === " " && modKey)
    return { from: { row: 0, column: from.column }, to: { row: last.row, column: to.column } }
  const step = steps(modKey ? last.row : 1, modKey ? last.column : 1, size.page)[key]
  if (!step) return undefined
  // The first key only shows the current cell.
  const moved = selection ? step(to, last) : to
  const at = { row: within(moved.row, last.row), column: within(moved.column, last.column) }
  return { from: shiftKey ? from : at, to: at }
}

type Step = (at: CellPosition, last: CellPosition) => CellPosition

function steps(rows: number, columns: number, page: number): Partial<Record<string, Step>> {
  return {
    ArrowUp: ({ row, column }) => ({ row: row - rows, column }),
    ArrowDown: ({ row, column }) => ({ row: row + rows, column }),
    ArrowLeft: ({ row, column }) => ({ row, column: column - columns }),
    ArrowRight: ({ row, column }) => ({ row, column: column + columns }),
    PageUp: ({ row, column }) => ({ row: row - page, column }),
    PageDown: ({ row, column }) => ({ row: row + page, column }),
    Home: ({ row }) => ({ row: rows > 1 ? 0 : row, column: 0 }),
    End: ({ row }, last) => ({ row: rows > 1 ? last.row : row, column: last.column }),
  }
}

const within = (value: number, last: number): number => Math.max(0, Math.min(last, value))

export type Rows = readonly (readonly CellOfAnswer[])[]

export function selectedRows(rows: Rows, selection: Selection): CellOfAnswer[][] {
  const { top, bottom, left, right } = getEdges(selection)
  return rows.slice(top, bottom + 1).map((cells) => cells.slice(left, right + 1))
}

/** Number of non-empty cells, and the sum and average of the numbers; null if there are none. */
export function selectionFacts(rows: Rows, selection: Selection) {
  const values = selectedRows(rows, selection)
    .flat()
    .filter((value) => value !== null && value !== "")
  const numbers = values.filter((value) => typeof value === "number")
  const sum = exactSum(numbers)
  return {
    count: values.length,
    sum: numbers.length === 0 ? null : sum,
    average: numbers.length === 0 ? null : sum / numbers.length,
  }
}

/** Neumaier summation: keeps the rounding error of each addition, so that sums of cents are exact. */
function exactSum(numbers: readonly number[]): number {
  let [sum, lost] = [0, 0]
  for (const number of numbers) {
    const next = sum + number
    lost += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum
    sum = next
  }
  return sum + lost
}
