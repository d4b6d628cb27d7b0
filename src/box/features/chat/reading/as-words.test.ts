import { expect, test } from "vitest"
import { asWords } from "./as-words.ts"

// Would catch: a cell, a column or a file's name that shows a link that says something else, or fetches a picture when an answer is saved and opened.
test.each([
  ["[Pay here](https://evil.example/)", String.raw`\[Pay here\](https://evil.example/)`],
  ["![](https:evil.example).pdf", String.raw`!\[\](https:evil.example).pdf`],
  ["[here][1]", String.raw`\[here\](1)`],
  ["a note[^1]", String.raw`a note\[^1\]`],
  ["one\ntwo | <img src=x>", String.raw`one two \| \<img src=x>`],
])("%s stays words", (text, words) => {
  expect(asWords(text)).toBe(words)
})
