import { describe, expect, test } from "vitest"
import { fuse } from "./ranking.ts"

const keyword = [
  { id: "a", score: 20, coverage: 0.9 },
  { id: "b", score: 10, coverage: 0.5 },
]
const semantic = [
  { id: "b", similarity: 0.8 },
  { id: "c", similarity: 0.7 },
  { id: "a", similarity: 0.2 },
]
const ids = (weight: number) => fuse(keyword, semantic, weight).map((passage) => passage.id)

describe("fuse", () => {
  test("without weight the keyword ranking stays and the rest follows", () => {
    expect(ids(0)).toEqual(["a", "b", "c"])
  })

  test("with weight the semantic ranking moves passages", () => expect(ids(1)[0]).toBe("b"))

  test("scores are between 0 and 1 and descend", () => {
    for (const weight of [0, 0.3, 1]) {
      const scores = fuse(keyword, semantic, weight).map((passage) => passage.score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      expect(Math.max(...scores)).toBeLessThanOrEqual(1)
      expect(Math.min(...scores)).toBeGreaterThanOrEqual(0)
    }
  })

  test("the semantic ranking decides alone if no word is found", () => {
    expect(fuse([], semantic, 0)).toMatchObject([
      { id: "b", score: 0.8, rank: { semantic: 1 } },
      { id: "c" },
      { id: "a" },
    ])
  })

  test("returns nothing for empty rankings", () => expect(fuse([], [], 1)).toEqual([]))
})
