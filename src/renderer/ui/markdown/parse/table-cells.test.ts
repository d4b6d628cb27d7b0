import { expect, test } from "vitest"
import { getCells, findColumns } from "./growing-text.ts"

// Catches a cell that is split at an escaped bar.
test("splits cells at the bars between them", () => {
  expect(getCells("| a | b |")).toEqual(["a", "b"])
  expect(getCells("a | b")).toEqual(["a", "b"])
  expect(getCells(String.raw`| a \| b | c \|`)).toEqual([String.raw`a \| b`, String.raw`c \|`])
  expect(getCells("| | b |")).toEqual(["", "b"])
})

// Catches a number column as wide as a column of sentences, a header that wraps, and a column of unlimited width.
test("fits columns to their content and gives the rest to sentences", () => {
  const sentence = "The rent is due on the first day of each month. ".repeat(3)
  const [number, what, word] = findColumns(
    `| Amount | What | Reference number |\n| --- | --- | --- |\n| 9 [12] | ${sentence}| ${"x".repeat(900)} |\n| 1 [7] | ${sentence}| x |\n`,
  )
  if (!number || !what || !word) throw new Error("no columns")
  expect(number.grows).toBe(false)
  expect(what.grows).toBe(true)
  expect(number.width).toBeLessThan(8)
  expect(word.width).toBeLessThan(20)
})

// Catches a sum that wraps within its digits because the numbers it adds are short.
test("leaves room for the sum in a column of numbers", () => {
  const [amount] = findColumns("| No | A |\n| ---: | --- |\n| 9 | b |\n")
  expect(amount?.width).toBeGreaterThan(8.5)
})

test("gives columns to a table that has only a header", () => {
  expect(findColumns("| A | B |\n| --- | --- |\n")).toHaveLength(2)
})
