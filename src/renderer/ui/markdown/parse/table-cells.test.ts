import { expect, test } from "vitest"
import { cellsOf, columnsOf } from "./table-cells.ts"

// Would catch: a cell that is cut at a bar of its own.
test("cells are told apart by the bars between them", () => {
  expect(cellsOf("| a | b |")).toEqual(["a", "b"])
  expect(cellsOf("a | b")).toEqual(["a", "b"])
  expect(cellsOf(String.raw`| a \| b | c \|`)).toEqual([String.raw`a \| b`, String.raw`c \|`])
  expect(cellsOf("| | b |")).toEqual(["", "b"])
})

// Would catch: a column of numbers as wide as one of sentences, a heading that is broken, and one column without end.
test("columns are as wide as what they hold, and sentences take the rest", () => {
  const sentence = "The rent is due on the first day of each month. ".repeat(3)
  const [number, what, word] = columnsOf(
    `| Amount | What | Reference number |\n| --- | --- | --- |\n| 9 [12] | ${sentence}| ${"x".repeat(900)} |\n| 1 [7] | ${sentence}| x |\n`,
  )
  if (!number || !what || !word) throw new Error("no columns")
  expect(number.grows).toBe(false)
  expect(what.grows).toBe(true)
  expect(number.width).toBeLessThan(8)
  expect(word.width).toBeLessThan(20)
})

// Would catch: a sum that is broken in the middle of its digits because what it sums is short.
test("a column of numbers has room for their sum", () => {
  const [amount] = columnsOf("| No | A |\n| ---: | --- |\n| 9 | b |\n")
  expect(amount?.width).toBeGreaterThan(8.5)
})

test("a table of a heading alone has columns", () => {
  expect(columnsOf("| A | B |\n| --- | --- |\n")).toHaveLength(2)
})
