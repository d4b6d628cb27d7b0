import { expect, test } from "vitest"
import { rerank, type Candidate } from "./rerank.ts"

const candidate = (id: string, value: number, terms: string): Candidate => {
  return { id, value, terms, column: "words", language: "en" }
}
const asked = (words: string) => ({ groups: words.split(" ").map((word) => [word]), language: "en" })
const order = (query: string, candidates: Candidate[]) => rerank(asked(query), candidates).map(({ id }) => id)

const short = "notice period lease"
const sentence = "lift drag wing flow wave shock heat plate layer speed angle mach tunnel cone jet gas"

// Would catch: an abstract that holds more of a whole sentence's words, side by side, before the one that is about its rare ones.
test("words that stand together count much in a short question and little in a whole sentence", () => {
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

// Would catch: a short question in Thai or Korean that counts as a whole sentence, because it is looked for by parts of words.
test.each(["th", "ko"])("many parts of words aren't many words: %s", (language) => {
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

// Would catch: a search that never ends for a word of which a stemmer leaves nothing.
test("a form without letters is nowhere, and parts of words are no words", () => {
  const query = { groups: [["", "lease"]], language: "en" }
  const [first, second] = rerank(query, [
    candidate("none", 1, "leases release"),
    candidate("held", 1, "a lease"),
  ])
  expect(first).toMatchObject({ id: "held", coverage: 1 })
  expect(second?.coverage).toBe(0)
})
