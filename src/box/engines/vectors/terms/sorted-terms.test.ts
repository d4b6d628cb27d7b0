import { expect, test } from "vitest"
import { holdsTerm, nearTerms, mergeTerms } from "./sorted-terms.ts"

const pause = () => Promise.resolve()
/** All words of up to six letters from an alphabet of three, so that nearly all have similar ones, and some are prefixes of others. */
const words = Array.from({ length: 729 }, (_, number) =>
  number
    .toString(3)
    .padStart(6, "0")
    .slice(0, 1 + (number % 6)),
).map((digits) => Array.from(digits, (digit) => "abc"[Number(digit)]).join(""))
const vocabulary = [...new Set(words)].sort()

// Catches terms that are lost or duplicated when they are merged with others.
test("new terms are merged with the existing ones in order", async () => {
  const half = vocabulary.filter((_, number) => number % 2 === 0)
  const rest = vocabulary.filter((_, number) => number % 2 === 1)
  const all = await mergeTerms(await mergeTerms("", half, pause), rest, pause)
  expect(all).toBe(vocabulary.map((term) => `${term}\n`).join(""))
  expect(vocabulary.every((term) => holdsTerm(all, term))).toBe(true)
  expect(["", "a b", "abcabca", "d", "\n"].some((term) => holdsTerm(all, term))).toBe(false)
})

// Catches a tree branch that is left too early, so that similar words in it aren't found.
test.each([1, 2])("finds the same terms that differ in up to %i letters as comparing all of them", (max) => {
  const terms = vocabulary.map((term) => `${term}\n`).join("")
  for (const word of ["a", "bacab", "cabbac", "abcabca", "aaaaaa", "ccb"]) {
    const compared = vocabulary.filter((term) => term[0] === word[0] && wrongLetters(word, term) <= max)
    const found = nearTerms(terms, word, max, { left: Infinity })
    expect(
      found.map(({ term }) => term),
      word,
    ).toEqual(compared)
    expect(found.every(({ term, distance }) => distance === wrongLetters(word, term))).toBe(true)
  }
})

// Catches a document with a million similar words that blocks everyone when one of them is searched for.
test("no more terms are compared than the allowance permits", () => {
  const terms = vocabulary.map((term) => `${term}\n`).join("")
  const allowance = { left: 10 }
  expect(nearTerms(terms, "bacab", 6, allowance)).toHaveLength(10)
  expect(nearTerms(terms, "bacab", 6, allowance)).toEqual([])
})

// Catches a binary search that never ends and blocks the box.
test("terms that start with an empty one are searched to the end", () => {
  expect(holdsTerm("\n", "a")).toBe(false)
  expect(holdsTerm("\na\n", "a")).toBe(true)
})

/** The textbook method: optimal string alignment of two whole words. */
function wrongLetters(a: string, b: string): number {
  const cost: number[][] = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  const at = (i: number, j: number) => cost[i]?.[j] ?? Infinity
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const min = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same)
      ;(cost[i] ?? [])[j] = swapped ? Math.min(min, at(i - 2, j - 2) + 1) : min
    }
  }
  return at(a.length, b.length)
}
