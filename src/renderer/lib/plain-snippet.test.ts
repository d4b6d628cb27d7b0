import { expect, test } from "vitest"
import { plainSnippet } from "./plain-snippet.ts"

// Would catch signs of Markdown in lists of hits, and words that are lost with them.
test.each([
  ["You have **25 days** of leave", "You have 25 days of leave"],
  ["Run `npm start` first", "Run npm start first"],
  ["# Leave\n> quoted", "Leave\nquoted"],
  ["**cut at the end of a pie", "cut at the end of a pie"],
  ["2 * 3 > 5 # no heading", "2 * 3 > 5 # no heading"],
])("%j reads %j", (text, plain) => expect(plainSnippet(text)).toBe(plain))
