import { expect, test } from "vitest"
import { quotedTable } from "./quote.ts"

const table = "Month | Sold | Place\nJanuary | 12 | Trieste\nFebruary | 7 | a|b"

// Catches rows quoted as one line of text, rows unrelated to the question, and a cell that breaks the table.
test("rows about the question are quoted as a table", () => {
  expect(quotedTable(table, "How many in February?")).toBe(
    "| Month | Sold | Place |\n| --- | --- | --- |\n| February | 7 | a\\|b |",
  )
  expect(quotedTable(table, "zebra")?.split("\n")).toHaveLength(4)
  expect(quotedTable("Month | Sold | Place\nMarch | | Udine", "March")).toContain("| March |  | Udine |")
  expect(quotedTable("A sentence | with a line.\nAnother.\nAnd more.", "x")).toBeUndefined()
  expect(quotedTable("Only | one", "x")).toBeUndefined()
})
