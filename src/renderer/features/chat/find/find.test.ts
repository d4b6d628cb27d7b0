import { expect, it, test } from "vitest"
import { countMatches, findingPattern, firstFrom, findMatchAt, toRenderedText } from "./FindBar.tsx"

const count = (text: string, query: string) => countMatches([text], findingPattern(query) ?? /(?!)/g)[0]

// Catches Markdown syntax that is found or that splits words, and code characters that aren't found.
it.each([
  ["a **bold** word", "bold word", 1],
  ["[a link](https://example.com/hidden)", "hidden", 0],
  ["| one | two |\n| - | - |\n| three | four |", "one two", 1],
  ["```py\nf(*args, **kwargs)\n```\nand **after**", "*args, **kwargs", 1],
  ["```py\nf()\n```\nand **after**", "and after", 1],
  ["~~~\nnever **closed**", "**closed**", 1],
  ["2 \\* 3", "2 * 3", 1],
])("finds in Markdown %j the text %j: %i", (markdown, query, places) => {
  expect(count(toRenderedText(markdown), query)).toBe(places)
})

// Catches a search that depends on case or accents, or that interprets the query as a regular expression.
it.each([
  ["Perché PERCHE perche\u0301", "perche", 3],
  ["end of\nline", "of line", 1],
  ["a+b (c) aab", "a+b (c)", 1],
])("finds in text %j the query %j: %i", (text, query, places) => {
  expect(count(text, query)).toBe(places)
})

// Catches a step past the end of a message that goes to a different match than the one counted.
test("numbers matches across all texts", () => {
  const counts = [0, 2, 0, 1]
  expect([0, 1, 2, 3].map((number) => findMatchAt(counts, number))).toEqual([
    { text: 1, nth: 0 },
    { text: 1, nth: 1 },
    { text: 3, nth: 0 },
    undefined,
  ])
  expect([0, 1, 2, 4].map((text) => firstFrom(counts, text))).toEqual([0, 0, 2, 0])
})

// Catches a regular expression that takes very long for a hostile message.
it.each(["```\n", "~~~", "\\", "```` ```"])("handles many %j quickly", (sign) => {
  expect(toRenderedText(sign.repeat(200_000 / sign.length)).length).toBeLessThanOrEqual(200_000)
})
