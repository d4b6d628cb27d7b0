import { expect, test } from "vitest"
import { isSelected, selectedRows, selectionAfter, selectionFacts, type Keys } from "./selection.ts"

const size = { rows: 100, columns: 3, page: 10 }
const cell = (row: number, column: number) => ({ row, column })
const press = (key: string, more: Partial<Keys> = {}): Keys => ({
  key,
  shiftKey: false,
  modKey: false,
  ...more,
})
const shift = { shiftKey: true }
const mod = { modKey: true }

// Catches a key that leaves the table, one that loses the start of the selection, and an incomplete row, column or table.
test("selects by keyboard as in any spreadsheet", () => {
  const first = selectionAfter(undefined, press("ArrowDown"), size)
  expect(first).toEqual({ from: cell(0, 0), to: cell(0, 0) })
  expect(selectionAfter(first, press("ArrowUp"), size)).toEqual(first)
  const at = { from: cell(95, 1), to: cell(95, 1) }
  expect(selectionAfter(at, press("PageDown"), size)?.to).toEqual(cell(99, 1))
  expect(selectionAfter(at, press("ArrowDown", shift), size)).toEqual({ from: at.from, to: cell(96, 1) })
  expect(selectionAfter(at, press("ArrowUp", { ...shift, ...mod }), size)?.to).toEqual(cell(0, 1))
  expect(selectionAfter(at, press("End"), size)?.to).toEqual(cell(95, 2))
  expect(selectionAfter(at, press("Home", mod), size)?.to).toEqual(cell(0, 0))
  expect(selectionAfter(at, press(" ", shift), size)).toEqual({ from: cell(95, 0), to: cell(95, 2) })
  expect(selectionAfter(at, press(" ", mod), size)).toEqual({ from: cell(0, 1), to: cell(99, 1) })
  expect(selectionAfter(at, press("A", mod), size)).toEqual({ from: cell(0, 0), to: cell(99, 2) })
  expect(selectionAfter(at, press("a"), size)).toBeUndefined()
  expect(selectionAfter(undefined, press("ArrowDown"), { ...size, rows: 0 })).toBeUndefined()
})

// Catches a selection upwards and to the left that is empty, text and gaps that are summed, and lost cents.
test("counts and sums the selection", () => {
  const rows = [
    ["Meyer", 0.1, true],
    ["Rossi", 0.2, null],
    ["", 0.3, "7"],
  ]
  const upwards = { from: cell(2, 1), to: cell(0, 0) }
  expect(isSelected(upwards, cell(1, 1))).toBe(true)
  expect(isSelected(upwards, cell(1, 2))).toBe(false)
  expect(selectedRows(rows, { from: cell(1, 0), to: cell(1, 2) })).toEqual([["Rossi", 0.2, null]])
  expect(selectionFacts(rows, upwards)).toEqual({ count: 5, sum: 0.6, average: 0.6 / 3 })
  expect(selectionFacts(rows, { from: cell(0, 2), to: cell(2, 2) })).toEqual({
    count: 2,
    sum: null,
    average: null,
  })
})
