import { expect, test } from "vitest"
import { parseNotes, repeatsItself, saysNothingMatters } from "./notes.ts"
import { createRareWords } from "./rare-words.ts"

const texts = ["The rent is 900 euros a month.", "The notice period is three months.", "The walrus sleeps."]

// Would catch: a statement that cites a block it doesn't come from, because the model forgot or made up its number.
test("a statement keeps its valid numbers, and gets the block of its rare words without any", () => {
  const answer = "- Rent: 900 euros [1].\n* Three months' notice period [9]\n3. The walrus sleeps\n\nNONE\n"
  expect(parseNotes(answer, texts)).toEqual([
    { text: "Rent: 900 euros.", blocks: [0] },
    { text: "Three months' notice period", blocks: [1] },
    { text: "The walrus sleeps", blocks: [2] },
  ])
  expect(parseNotes("Completely unrelated", texts)).toEqual([{ text: "Completely unrelated", blocks: [] }])
  expect(parseNotes("Same [1]\nSame [3, 2]", texts)).toEqual([{ text: "Same", blocks: [0, 2, 1] }])
})

test("tells silence, and a model that goes in circles", () => {
  expect(saysNothingMatters(" None. ")).toBe(true)
  expect(saysNothingMatters("None of them signed.")).toBe(false)
  expect(repeatsItself(" on and on".repeat(80))).toBe(true)
  expect(repeatsItself(texts.join(" "))).toBe(false)
})

// Would catch: a line of an answer that gets a citation by chance.
test("is certain only where one text stands out", () => {
  const rare = createRareWords(["Invoice 17 of Rossi: 900 euros", "Invoice 18 of Bianchi: 900 euros"])
  expect(rare.certain("Invoice 18 of Bianchi")).toBe(1)
  expect(rare.certain("An invoice of 900 euros")).toBeNull()
  expect(rare.certain("All of this is summed up below, says Bianchi, who lives elsewhere")).toBeNull()
})
