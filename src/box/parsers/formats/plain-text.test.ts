import { expect, test } from "vitest"
import { plainText, sourceCode } from "./plain-text.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

test("paragraphs of plain text are located at their first line", async () => {
  const { blocks } = await parseBytes(plainText, "\n\none\nstill one\r\n\r\n \t\ntwo\n")
  expect(blocks.map(({ text, location }) => [location.line, text])).toEqual([
    [3, "one\nstill one"],
    [7, "two"],
  ])
})

test("an empty file, or one with only white space, has no text", async () => {
  expect((await parseBytes(plainText, "")).blocks).toEqual([])
  expect((await parseBytes(plainText, " \n\t\r\n\n")).blocks).toEqual([])
})

test("removes NUL characters and keeps the words around them", async () => {
  const { text } = await parseBytes(plainText, `before${"\0".repeat(500_000)} after`)
  expect(text).toBe("before after")
})

// Catches words that run together because only NULs separate them, also at the border of two chunks.
test("replaces NUL characters between words by a space", async () => {
  const { text } = await parseBytes(plainText, `one\0two\0\0three${"\0".repeat(500_000)}four\0, five`)
  expect(text).toBe("one two three four , five")
})

test("splits code before each top-level item with its comment", async () => {
  const code = [
    "import os",
    "",
    "# adds",
    "def add(a, b):",
    "    c = a",
    "",
    "    return c + b",
    "",
    "class Calm {",
    "",
    "}",
    "",
    "x = 1",
  ]
  const { blocks } = await parseBytes(sourceCode, code.join("\n"))
  expect(blocks.map(({ kind, text, location }) => [kind, location.line, text])).toEqual([
    ["code", 1, "import os"],
    ["code", 3, "# adds\ndef add(a, b):\n    c = a\n\n    return c + b"],
    ["code", 9, "class Calm {\n\n}"],
    ["code", 13, "x = 1"],
  ])
})

test("keeps the indentation of the first line", async () => {
  expect((await parseBytes(sourceCode, "\n    indented:\n      more")).blocks[0]).toMatchObject({
    text: "    indented:\n      more",
    location: { line: 2 },
  })
})
