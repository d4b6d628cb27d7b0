import { expect, test } from "vitest"
import { semanticWeight } from "./semantic-weight.ts"

/** So many passages, of which the first is ahead of the second by a share of the whole distance. */
const leading = (lead: number, count = 50) =>
  Array.from({ length: count }, (_, rank) => ({
    id: `p${rank}`,
    similarity: rank === 0 ? 0.8 : 0.8 - 0.5 * (lead + (1 - lead) * ((rank - 1) / Math.max(1, count - 2))),
  }))
const words = (id: string) => [{ id: "other" }, { id }]

// Would catch: a strong model that can't correct the words.
test("a model that sets one passage apart counts, the more the farther", () => {
  const weights = [0.2, 0.4, 0.6].map((lead) => semanticWeight(words("p0"), leading(lead)))
  expect(weights).toEqual(weights.toSorted((a, b) => a - b))
  expect(weights[0]).toBeCloseTo(0.15)
  expect(semanticWeight(words("p0"), leading(1))).toBe(0.8)
})

// Would catch: a model that doesn't know the language and spoils what the words have found.
test("a model to which all passages are alike counts for nothing", () => {
  expect(semanticWeight(words("p0"), leading(0.02))).toBe(0)
  expect(
    semanticWeight(
      words("p0"),
      leading(0.9).map((hit) => ({ ...hit, similarity: 0.4 })),
    ),
  ).toBe(0)
})

// Would catch: a passage far from all of the question's words that is put first by chance.
test("a model counts for nothing where it sets apart what no word finds, or among few passages", () => {
  expect(semanticWeight(words("p7"), leading(0.9))).toBe(0)
  expect(semanticWeight([], leading(0.9))).toBe(0)
  expect(semanticWeight(words("p0"), leading(0.9, 19))).toBe(0)
  expect(semanticWeight(words("p0"), leading(0.9, 20))).toBeGreaterThan(0)
  expect(semanticWeight(words("p0"), [])).toBe(0)
})
