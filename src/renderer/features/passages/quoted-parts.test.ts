import { expect, test } from "vitest"
import { quotedParts } from "./quoted-parts.ts"

const parts = (passage: string, ...claims: string[]) =>
  quotedParts(passage, claims).map(([start, end]) => passage.slice(start, end))

const lease =
  "The flat has two rooms.\nThe notice period is three months. It begins in May. Pets are allowed."

// Would catch: the wrong sentence marked, all of a passage for one of them, and a mark where nothing fits.
test("the sentence that a claim rests on is told apart", () => {
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

// Would catch: a row marked whole where only a cell is said.
test("of a row of a table the cells that are said", () => {
  const table = "Month | Sold | Place\nJanuary | 12 | Trieste\nFebruary | 7 | Trieste"
  expect(parts(table, "In February 7 were sold")).toEqual(["February", "7"])
})
