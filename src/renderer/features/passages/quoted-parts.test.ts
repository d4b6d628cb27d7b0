import { expect, test } from "vitest"
import { quotedParts } from "./locate-passage.ts"

const parts = (passage: string, ...claims: string[]) =>
  quotedParts(passage, claims).map(([start, end]) => passage.slice(start, end))

const lease =
  "The flat has two rooms.\nThe notice period is three months. It begins in May. Pets are allowed."

// Catches a wrong sentence that is highlighted, a whole passage instead of one sentence, and a highlight where nothing matches.
test("picks out the sentence that a claim is based on", () => {
  expect(parts(lease, "One must give notice three months ahead")).toEqual([
    "The notice period is three months.",
  ])
  expect(parts(lease, "The flat has two rooms. Pets are allowed.")).toEqual([
    "The flat has two rooms.",
    "Pets are allowed.",
  ])
  expect(parts(lease, "Whales sing at night")).toEqual([])
  expect(parts(lease)).toEqual([])
})

// Catches a whole highlighted row where only some cells are mentioned.
test("picks out the cells of a table row that are mentioned", () => {
  const table = "Month | Sold | Place\nJanuary | 12 | Trieste\nFebruary | 7 | Trieste"
  expect(parts(table, "In February 7 were sold")).toEqual(["February", "7"])
})
