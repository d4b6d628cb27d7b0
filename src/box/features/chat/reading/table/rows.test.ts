import { expect, test } from "vitest"
import { parseRows } from "./fact-table.ts"

const texts = ["Invoice 17 of Rossi: 900 euros", "Invoice 18 of Bianchi: 400 euros", "The walrus sleeps."]
const columns = ["Invoice", "Party", "Amount"]
const getRows = (answer: string, of = columns) => parseRows(answer, of, texts).map(({ cells }) => cells)

// Catches rows that are lost, or cells in the wrong column, because a model formats its table in its own way.
test.each([
  ["as it is told", "17 | Rossi | 900 [1]"],
  ["with a frame", "| 17 | Rossi | 900 | [1]"],
  ["with the number in the frame", "| 17 | Rossi | 900 [1] |"],
  ["with the number as a cell", "17 | Rossi | 900 | [1]"],
  ["as a list", "- 17 | Rossi | 900 [1]"],
  ["in bold", "**17** | Rossi | `900` [1]"],
  [
    "in code with headings",
    "```md\n| Invoice | **Party** | Amount |\n|---|:--|---|\n| 17 | Rossi | 900 | [1]\n```",
  ],
  ["between remarks", "Here are the rows:\n\n17 | Rossi | 900 [1]\n\nThat is all."],
  ["with windows line ends", "17 | Rossi | 900 [1]\r\n"],
])("a row %s", (_, answer) => expect(getRows(answer)).toEqual([["17", "Rossi", "900"]]))

// Catches a bar inside a cell that shifts all later cells, and a short row that is dropped.
test("joins surplus cells into the last one and leaves missing cells empty", () => {
  expect(getRows("17 | Rossi | 900 | net [1]")).toEqual([["17", "Rossi", "900 | net"]])
  expect(getRows(String.raw`17 \| a | Rossi | 900 [1]`)).toEqual([["17 | a", "Rossi", "900"]])
  expect(getRows("17 | Rossi [1]")).toEqual([["17", "Rossi", ""]])
  expect(getRows(" | Rossi | 900 [1]")).toEqual([["", "Rossi", "900"]])
  expect(getRows("17 [1]")).toEqual([["17", "", ""]])
  expect(getRows("17 | - | n/a [1]")).toEqual([["17", "", ""]])
  expect(getRows(" | | [1]")).toEqual([])
  expect(getRows("NONE")).toEqual([])
})

// Catches a day that is taken for the number of a list item.
test("keeps a day at the start of a row", () => {
  expect(getRows("1. Januar 2026 | Rossi | 900 [1]")).toEqual([["1. Januar 2026", "Rossi", "900"]])
})

test("reads every line except headings as a row if there is one column", () => {
  expect(getRows("Invoice\n17 [1]\n18 [2]", ["Invoice"])).toEqual([["17"], ["18"]])
})

// Catches a row that cites a block that doesn't exist, or no block.
test("assigns rows to their valid numbers or the block that shares their rare words, and sorts them by block", () => {
  const rows = parseRows("18 | Bianchi | 400 [9]\n1 | Nobody | 7\n17 | Rossi | 900 [1][3]", columns, texts)
  expect(rows.map(({ blocks }) => blocks)).toEqual([[0, 2], [1], []])
})

// Catches an answer of only bars or spaces that blocks the whole box.
test("parses endless bars and spaces quickly", () => {
  expect(getRows("|".repeat(300_000))).toEqual([])
  expect(getRows(`a${" ".repeat(300_000)}|${"|".repeat(300_000)} [1]`)).toHaveLength(1)
  expect(getRows("1 | 2 | 3 [1]\n".repeat(5_000))).toHaveLength(1_000)
})
