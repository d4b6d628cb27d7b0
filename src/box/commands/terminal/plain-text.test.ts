import { expect, it, test } from "vitest"
import { formatLocation, isPlain, plainJson, plainLine, plainText } from "../terminal.ts"

/** Colours, titles, the clipboard, overwriting earlier text, terminal responses typed as input, and reversed writing. */
const attacks = [
  "\u001b[31mred",
  "\u001b]0;title\u0007",
  "\u001b]52;c;ZXZpbA==\u0007",
  "\u001b[2J\u001b[H",
  "\u001b[6n",
  "\u009b31m",
  "\u009d0;title\u009c",
  "good\rEVIL",
  "\b\b\b",
  "\u007f",
  "exe.\u202efdp",
  "\u2066hidden\u2069",
  "line\u2028line",
]
// oxlint-disable-next-line no-control-regex -- what must not be left
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/

// Catches a document or a model that recolours, retitles or rewrites the user's terminal.
it.each(attacks)("shows %j as text only", (attack) => {
  for (const text of [plainText(attack), plainLine(attack), plainJson({ text: attack })])
    expect(text).not.toMatch(obeyed)
  expect(isPlain(attack)).toBe(false)
})

it("leaves ordinary text unchanged, also in JSON", () => {
  const text = "Größe\t→ 30 €\nשלום 日本語 👩‍💻"
  expect(plainText(text)).toBe(text)
  expect(plainText("a\r\nb")).toBe("a\nb")
  expect(plainLine("a\n\tb")).toBe("a b")
  for (const attack of attacks) expect(JSON.parse(plainJson({ text: attack }))).toEqual({ text: attack })
})

// Catches a passage of a mailbox or an archive whose message or member isn't named.
test.each([
  [{ message: 12, line: 3 }, "a.mbox, message 12, line 3"],
  [{ entry: "2024/b.pdf", page: 2 }, "a.mbox, 2024/b.pdf, page 2"],
  [{}, "a.mbox"],
])("the location %j is named after its file", (location, expected) => {
  expect(formatLocation({ fileName: "a.mbox", location })).toBe(expected)
})
