import { expect, test } from "vitest"
import { semanticWeight } from "./ranking.ts"

/** A number of passages. The first one leads the second by this share of the whole distance. */
const leading = (lead: number, count = 50) =>
  Array.from({ length: count }, (_, rank) => ({
    id: `p${rank}`,
    similarity: rank === 0 ? 0.8 : 0.8 - 0.5 * (lead + (1 - lead) * ((rank - 1) / Math.max(1, count - 2))),
  }))
const words = (id: string) => [{ id: "other" }, { id }]

// Catches a strong model that can't correct the keyword ranking.
test("a model that singles out one passage gets a weight that grows with the lead", () => {
  const weights = [0.2, 0.4, 0.6].map((lead) => semanticWeight(words("p0"), leading(lead)))
  expect(weights).toEqual(weights.toSorted((a, b) => a - b))
  expect(weights[0]).toBeCloseTo(0.15)
  expect(semanticWeight(words("p0"), leading(1))).toBe(0.8)
})

// Catches a model that doesn't know the language and spoils the keyword ranking.
test("a model that finds all passages alike gets no weight", () => {
  expect(semanticWeight(words("p0"), leading(0.02))).toBe(0)
  expect(
    semanticWeight(
      words("p0"),
      leading(0.9).map((hit) => ({ ...hit, similarity: 0.4 })),
    ),
  ).toBe(0)
})

// Catches a passage without any of the question's words that comes first by chance.
test("a model gets no weight if its favourite shares no word with the question, or among few passages", () => {
  expect(semanticWeight(words("p7"), leading(0.9))).toBe(0)
  expect(semanticWeight([], leading(0.9))).toBe(0)
  expect(semanticWeight(words("p0"), leading(0.9, 19))).toBe(0)
  expect(semanticWeight(words("p0"), leading(0.9, 20))).toBeGreaterThan(0)
  expect(semanticWeight(words("p0"), [])).toBe(0)
})
