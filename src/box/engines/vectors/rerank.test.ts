import { expect, test } from "vitest"
import { rerank, type Candidate } from "./rerank.ts"

const candidate = (id: string, value: number, terms: string): Candidate => {
  return { id, value, terms, column: "words", language: "en" }
}
const asked = (words: string) => ({ groups: words.split(" ").map((word) => [word]), language: "en" })
const order = (query: string, candidates: Candidate[]) => rerank(asked(query), candidates).map(({ id }) => id)

const short = "notice period lease"
const sentence = "lift drag wing flow wave shock heat plate layer speed angle mach tunnel cone jet gas"

// Catches an abstract with more of a long sentence's words, next to each other, that ranks above the abstract with its rare words.
test("adjacent words have a large effect in a short question and a small one in a long sentence", () => {
  const together = (words: string) =>
    words
      .split(" ")
      .slice(0, Math.ceil(words.split(" ").length * 0.8))
      .join(" ")
  const apart = (words: string) => words.split(" ").slice(0, 2).join(" and so many others that are far ")
  const both = (words: string) => [
    candidate("rare", 1.4, apart(words)),
    candidate("together", 1, together(words)),
  ]
  expect(order(short, both(short))).toEqual(["together", "rare"])
  expect(order(sentence, both(sentence))).toEqual(["rare", "together"])
})

// Catches a short question in Thai or Korean that is treated as a long sentence because it is split into word fragments.
test.each(["th", "ko"])("many word fragments aren't treated as many words: %s", (language) => {
  const query = { ...asked(sentence), language }
  const together = candidate("together", 1, sentence.split(" ").slice(0, 13).join(" "))
  const rare = candidate("rare", 1.4, "lift drag and so many others that are far")
  expect(
    rerank(
      query,
      [rare, together].map((one) => ({ ...one, language })),
    )[0]?.id,
  ).toBe("together")
})

// Catches a search that never ends when a stemmer reduces a word to nothing.
test("an empty form matches nothing, and a form matches whole words only", () => {
  const query = { groups: [["", "lease"]], language: "en" }
  const [first, second] = rerank(query, [
    candidate("none", 1, "leases release"),
    candidate("held", 1, "a lease"),
  ])
  expect(first).toMatchObject({ id: "held", coverage: 1 })
  expect(second?.coverage).toBe(0)
})
