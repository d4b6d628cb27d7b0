import { expect, test } from "vitest"
import type { Fact } from "../../../../shared/contract/facts.ts"
import { arrangeFacts, nextOrder } from "./FactTable.tsx"

const place = { fileId: "f", block: 0, location: {}, text: "" }
const date = (iso: string, fileName: string, sentence = ""): Fact => ({
  ...place,
  kind: "date",
  date: iso,
  otherDate: null,
  isDeadline: true,
  fileName,
  sentence,
})
const amount = (value: number, currency: string): Fact => ({
  ...place,
  kind: "amount",
  value,
  currency,
  fileName: "a",
  sentence: "",
})

// Catches dates sorted as text, amounts compared across currencies, and a filter that uses only one word.
test("filters facts by all words and sorts them by their value", () => {
  const facts = [
    date("2026-05-01", "b.pdf", "Pay the rent"),
    date("2026-05", "a.pdf", "Pay the fee"),
    date("2025-12-31", "c.pdf", "Leave"),
  ]
  const files = (filter: string, descending = false, by: "value" | "file" = "value") =>
    arrangeFacts(facts, filter, { by, descending }).map(({ fileName }) => fileName)
  expect(files("")).toEqual(["c.pdf", "a.pdf", "b.pdf"])
  expect(files("", true)).toEqual(["b.pdf", "a.pdf", "c.pdf"])
  expect(files("", false, "file")).toEqual(["a.pdf", "b.pdf", "c.pdf"])
  expect(files(" PAY  b.pdf ")).toEqual(["b.pdf"])
  const yearless = [date("--03-15", "y.pdf"), ...facts]
  for (const descending of [false, true])
    expect(arrangeFacts(yearless, "", { by: "value", descending }).at(-1)?.fileName).toBe("y.pdf")
  const amounts = [amount(5, "USD"), amount(10, "EUR"), amount(9, "EUR")]
  const sorted = arrangeFacts(amounts, "", { by: "value", descending: false })
  expect(sorted.map((fact) => fact.kind === "amount" && fact.value)).toEqual([9, 10, 5])
})

test("reverses the order when a column is pressed again", () => {
  const upwards = nextOrder({ by: "file", descending: true }, "value")
  expect(upwards).toEqual({ by: "value", descending: false })
  expect(nextOrder(upwards, "value")).toEqual({ by: "value", descending: true })
})
