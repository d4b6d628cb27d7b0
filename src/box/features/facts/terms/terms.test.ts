import { describe, expect, test } from "vitest"
import { createTermCounter, createFolderCounter, rankTerms } from "./terms.ts"

const counted = (text: string) => {
  const counter = createTermCounter()
  counter.visit({ kind: "paragraph", text, location: {} }, 0)
  return counter.terms()
}
const alone = { documents: 1, countDocuments: () => 1 }
const ranked = (text: string) => rankTerms(counted(text), alone).map(({ form }) => form)

describe("the words of a document", () => {
  // Catches function words, numbers and single letters among the terms, in each of these languages.
  test.for([
    [
      "The lease of the warehouse is signed. The tenant of the warehouse pays 5 x 3 times for it.",
      "warehouse",
      "the",
    ],
    [
      "Il contratto di locazione è firmato. Il locatore e il conduttore del magazzino pagano il magazzino.",
      "magazzino",
      "del",
    ],
    [
      "Der Mieter zahlt die Miete für das Lager. Die Miete für das Lager ist nicht hoch, und der Mieter zahlt.",
      "Miete",
      "für",
    ],
  ] as const)("%s", ([text, term, grammar]) => {
    const terms = ranked(text)
    expect(terms).toContain(term)
    expect(terms.map((one) => one.toLowerCase())).not.toContain(grammar)
    for (const one of terms) expect(one).toMatch(/^\p{L}{2,}(?: \p{L}{2,})?$/u)
  })

  // Catches a pair whose words are also listed separately, two forms of one word, and a name in lower case.
  test("merges words that often occur together, and forms of a word, into one term", () => {
    const terms = ranked(
      "Senior notes are debts. The senior notes pay. Our senior notes end. Contracts bind; a contract binds. Bolzano and Bolzano.",
    )
    expect(terms).toContain("senior notes")
    expect(terms).not.toContain("senior")
    expect(terms).not.toContain("notes")
    expect(terms.filter((term) => /^contract/i.test(term))).toHaveLength(1)
    expect(terms).toContain("Bolzano")
  })

  test("keeps the first positions of each term", () => {
    const counter = createTermCounter()
    for (let number = 0; number < 5; number++)
      counter.visit({ kind: "paragraph", text: "A warehouse here.", location: { page: number + 1 } }, number)
    const term = counter.terms().find(({ key }) => key === "warehouse")
    expect(term?.count).toBe(5)
    expect(term?.occurrences.map(({ number, start, end }) => [number, start, end])).toEqual([
      [0, 2, 11],
      [1, 2, 11],
      [2, 2, 11],
    ])
  })
})

// Catches terms found in every document of the folder that rank above those of this document alone.
test("ranks terms that are rare in the folder first", () => {
  const folder = createFolderCounter()
  const lease = counted("company harbour. company harbour. company harbour. company.")
  for (const terms of [lease, ...Array.from({ length: 9 }, () => counted("company report. company report."))])
    folder.add(terms)
  const { terms: all, spread } = folder.result()
  expect(rankTerms(lease, spread)[0]?.form).toMatch(/harbour/)
  expect(all.find(({ term }) => term.includes("harbour"))).toMatchObject({ count: 3, files: 1 })
})
