import type { Element, Root } from "hast"
import { expect, test } from "vitest"
import { maxDepth, maxBlockLength, maxWordLength, maxNodes, isCheap } from "./bounds.ts"
import { GrowingText } from "./growing-text.ts"
import { parseBlock } from "./parse-block.ts"

const getPieces = (text: string) => new GrowingText().pieces(text).pieces

const hostile: Record<string, (length: number) => string> = {
  "beginnings of links": (length) => "[a](".repeat(length / 4),
  brackets: (length) => "[".repeat(length),
  emphasis: (length) => "**a_".repeat(length / 4),
  "quotes in quotes": (length) => ">".repeat(length),
  "lists in lists": (length) => "- ".repeat(length / 2),
  comments: (length) => "a <!--".repeat(length / 6),
  "table cells": (length) => `${"|a".repeat(length / 4)}|\n${"|-".repeat(length / 4)}|`,
  "list items": (length) => "-\n".repeat(length / 2),
  "code in Perl": (length) => `\`\`\`perl\n${"[a](".repeat(length / 4)}`,
  "code in C": (length) => `\`\`\`c\n${"fn a".repeat(length / 4)}`,
}

const hostileWithFewSigns: Record<string, (length: number) => string> = {
  "ends of lines of old": (length) => "\réh".repeat(length / 3),
  "addresses with underscores": (length) => "www.a_".repeat(length / 6),
  "addresses in a row": (length) => "https://a".repeat(length / 9),
  "one address a word": (length) => "a www.".repeat(length / 6),
}

// Catches slow text without Markdown characters on the page's thread: 2,000 characters of it took 230 ms.
test.each(Object.entries(hostileWithFewSigns))(
  "reads %s on the page's thread only while they are short",
  (_, make) => {
    expect(isCheap(make(36))).toBe(true)
    expect(isCheap(make(1800))).toBe(false)
  },
)

// Catches text with quadratic reading time on the page's own thread, where nothing can stop it.
test.each(Object.entries(hostile))("reads %s on the page's thread only while there are few", (_, make) => {
  expect(isCheap(make(24))).toBe(true)
  for (const length of [2400, 12_000, 120_000]) expect(isCheap(make(length)), `${length}`).toBe(false)
})

test("treats usual text by people and models as cheap", () => {
  expect(isCheap("Some **words** of a `text` that [leads](https://example.com) somewhere. ".repeat(20))).toBe(
    true,
  )
  expect(isCheap(`\`\`\`ts\n${"const value = compute(1, 'text')\n".repeat(30)}\`\`\``)).toBe(true)
  expect(isCheap(`| a | b |\n| - | - |\n${"| 1 | 2 |\n".repeat(30)}`)).toBe(true)
})

// Catches a piece without a maximum length, text that is lost or doubled by cutting, and table rows that lose their header.
test.each(Object.entries(hostile))("cuts a megabyte of %s into pieces of limited length", (name, make) => {
  const text = make(1_000_000)
  const pieces = getPieces(text)
  if (!name.startsWith("code"))
    for (const piece of pieces) expect(piece.text.length).toBeLessThanOrEqual(maxBlockLength)
  if (!name.startsWith("table")) expect(pieces.map((piece) => piece.text).join("")).toBe(text)
})

test("keeps the header of a long table in every piece", () => {
  const heading = "| a | b |\n| - | - |\n"
  const pieces = getPieces(heading + "| 1 | 2 |\n".repeat(10_000))
  expect(pieces.length).toBeGreaterThan(4)
  for (const { text } of pieces) expect(text.startsWith(heading)).toBe(true)
})

test("cuts a long list between its items, and doesn't cut long code", () => {
  const items = Array.from({ length: 5000 }, (_, index) => `- item ${index}\n  goes on`).join("\n")
  for (const { text } of getPieces(items)) expect(text).toMatch(/^- item/)
  const code = `\`\`\`js\n${"a\n\n".repeat(20_000)}\`\`\``
  expect(getPieces(`Before:\n${code}\nAfter.`).map((piece) => piece.text)).toEqual([
    "Before:\n",
    `${code}\n`,
    "After.",
  ])
})

// Catches code that is cut together with the text around it, and code that absorbs the text after it.
test("keeps code within a long block whole", () => {
  const code = `\`\`\`js\n${"a\n\n".repeat(1500)}\`\`\`\n`
  const text = Array.from({ length: 20 }, (_, index) => `- item ${index}\n${code}`).join(
    "- more\n".repeat(200),
  )
  const pieces = getPieces(text).map((piece) => piece.text)
  expect(pieces.join("")).toBe(text)
  for (const piece of pieces) expect((piece.match(/^```/gm)?.length ?? 0) % 2, piece.slice(0, 50)).toBe(0)
})

// Catches a megabyte that is cut completely before its first line is shown.
test("cuts a text only as far as requested and continues from there", () => {
  const text = "Some words of a paragraph.\n\n".repeat(30_000)
  const growing = new GrowingText()
  const first = growing.pieces(text, 10_000)
  expect(first.complete).toBe(false)
  expect(first.cost).toBeLessThan(20_000)
  const more = growing.pieces(text, 20_000)
  first.pieces.forEach((piece, index) => expect(more.pieces[index]).toBe(piece))
  expect(more.pieces.length).toBeGreaterThan(first.pieces.length)
  expect(growing.pieces(text).pieces).toEqual(getPieces(text))
})

test("doesn't split a surrogate pair", () => {
  for (const { text } of getPieces(`a${"😀".repeat(30_000)}`)) expect(text.isWellFormed()).toBe(true)
})

// Catches hundreds of thousands of elements for as many single-letter blocks.
test("combines small blocks of a long text in pieces, also while it grows", () => {
  const text = "a\n\n".repeat(30_000)
  const pieces = getPieces(text)
  expect(pieces.length).toBeLessThan(2000)
  expect(pieces.map((piece) => piece.text).join("\n")).toBe(text)
  const growing = new GrowingText()
  for (let end = 0; end <= text.length; end += 997) {
    expect(growing.pieces(text.slice(0, end)).pieces).toEqual(getPieces(text.slice(0, end)))
  }
})

test("cuts a text again if it is replaced by another one", () => {
  const growing = new GrowingText()
  growing.pieces("See [x].\n\n[x]: https://example.com")
  expect(growing.pieces("One.\n\nTwo.").pieces.map((piece) => piece.text)).toEqual(["One.\n", "Two."])
})

const getDepth = (node: Root | Element): number =>
  1 + Math.max(0, ...node.children.map((child) => (child.type === "element" ? getDepth(child) : 0)))

// Catches unlimited nesting, which overflows the browser's own stack.
test("flattens text nested too deeply into the deepest level", () => {
  const tree = parseBlock({ text: `${"> ".repeat(200)}the end`, coloured: false })
  if (tree === "too-much") throw new Error("It was not read.")
  expect(getDepth(tree.root)).toBeLessThanOrEqual(maxDepth + 2)
  expect(JSON.stringify(tree.root)).toContain("the end")
})

test("reports text with too many elements or too much nesting as too much", () => {
  expect(parseBlock({ text: "`a".repeat(maxNodes), coloured: false })).toBe("too-much")
  expect(parseBlock({ text: ">".repeat(20_000), coloured: false })).toBe("too-much")
})

// Catches an endless word that is laid out as a single one: combining marks piled on a letter took 0.9 s for each new token.
test.each(["a" + "\u0301".repeat(8000), "\u0645\u0640\u0651".repeat(2600), "x+".repeat(3000)])(
  "splits endless words into pieces without losing text",
  (word) => {
    const tree = parseBlock({ text: `before **${word}** after`, coloured: false })
    if (tree === "too-much") throw new Error("It wasn't read.")
    const texts: string[] = []
    const open: (Root | Element)[] = [tree.root]
    for (let next = open.pop(); next; next = open.pop())
      for (const child of next.children.toReversed()) {
        if (child.type === "text") texts.push(child.value)
        if (child.type === "element") open.push(child)
      }
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(maxWordLength)
    expect(texts.toSorted((a, b) => b.length - a.length).join("")).toContain(word.slice(0, 1000))
    expect(texts.join("")).toHaveLength(`before ${word} after`.length)
  },
)
