import { expect, test } from "vitest"
import { escapeMarkdown } from "./combining/cited-notes.ts"

// Catches a cell, column or file name that displays a misleading link, or loads an image when an answer is saved and opened.
test.each([
  ["[Pay here](https://evil.example/)", String.raw`\[Pay here\](https://evil.example/)`],
  ["![](https:evil.example).pdf", String.raw`!\[\](https:evil.example).pdf`],
  ["[here][1]", String.raw`\[here\](1)`],
  ["a note[^1]", String.raw`a note\[^1\]`],
  ["one\ntwo | <img src=x>", String.raw`one two \| \<img src=x>`],
])("%s stays plain text", (text, words) => {
  expect(escapeMarkdown(text)).toBe(words)
})
