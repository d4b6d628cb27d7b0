import { expect, test } from "vitest"
import { drawText } from "../testing/draw-text.tsx"
import { definesReferences, GrowingText } from "./growing-text.ts"

const render = (text: string) => drawText(text)
const getPieces = (text: string, of = new GrowingText()) => of.pieces(text).pieces.map((piece) => piece.text)
const removeBreaks = (html: string) => html.replaceAll("\n", "")

const documents = {
  paragraphs: "One.\n\nTwo.\n\n\nThree.",
  headings: "# A\ntext\n\n## B\n\ntext",
  "a fence with blank lines": "Before\n\n```py\na\n\nb\n\n\nc\n```\n\nAfter",
  "a fence that isn't closed": "Before\n\n```py\na\n\nb\n\n# not a heading",
  "a longer fence around a shorter one": "````\n```\n\ninside\n```\n\nstill\n````\n\nAfter",
  "tildes around backticks": "~~~\n```\n\ninside\n~~~\n\nAfter",
  "backticks inside a sentence": "```not a fence``` here\n\nNext",
  "a loose list": "Intro\n\n- a\n\n- b\n\n  more of b\n\n- c\n\nAfter",
  "a numbered list that goes on": "1. a\n\n2. b\n\n3. c",
  "a list with code in it": "- a\n\n  ```js\n  x\n\n  y\n  ```\n\n- b",
  "a nested list": "- a\n\n  - b\n\n    - c\n\nAfter",
  "indented code": "Text\n\n    code\n\n    more\n\nAfter",
  "a table": "| a | b |\n| - | - |\n| 1 | 2 |\n\nAfter",
  "two quotes": "> a\n\n> b\n\nAfter",
  "references defined at the end": "See [x].\n\nMore [y][x].\n\n[x]: https://example.com",
  "a formula with a blank line": "Before\n\n$$\na\n\n+ b\n$$\n\nAfter",
  "a formula in brackets": "Before\n\n\\[\na\n\n+ b\n\\]\n\nAfter",
  "a rule": "a\n\n---\n\nb",
  "bold that starts a line": "**a**\n\n**b**",
}

// Catches a cut within a block that continues after a blank line.
test.each(Object.entries(documents))("keeps the meaning of %s when they are cut into pieces", (_, text) => {
  const pieces = getPieces(text)
  expect(pieces.join("\n")).toBe(text)
  expect(removeBreaks(pieces.map(render).join(""))).toBe(removeBreaks(render(text)))
})

// Catches finished pieces that change and would be rendered again for every token, and pieces that depend on how the text grew.
test.each(Object.entries(documents))("changes only the last two pieces while %s grow", (_, document) => {
  if (definesReferences(document)) return
  const text = `Before.\n\n${document}\n\n- a\n\n- b\n\nAfter.`
  const growing = new GrowingText()
  let before: string[] = []
  for (let end = 1; end <= text.length; end++) {
    const now = getPieces(text.slice(0, end), growing)
    expect(now).toEqual(getPieces(text.slice(0, end)))
    const finished = before.slice(0, -2)
    expect(now.slice(0, finished.length)).toEqual(finished)
    before = now
  }
})
