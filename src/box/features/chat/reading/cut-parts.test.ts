import { expect, test } from "vitest"
import { cutParts, halve, type Part } from "./documents.ts"
import { testBlock, testDocument } from "./testing/documents.ts"

const room = 1_000
const getText = (part: Part) =>
  part.map(({ document, block }) => `${document.file.id}:${block.text}`).join("|")

// Catches a block that is in no part or in two parts, and a part too large for the model.
test("puts every block in exactly one part, and no part exceeds the limit", () => {
  const documents = Array.from({ length: 60 }, (_, index) =>
    testDocument(
      `d${index}`,
      Array.from({ length: 1 + (index % 7) }, (_, at) => testBlock(`${at}`.padEnd(20 * index, "x"))),
    ),
  )
  const parts = cutParts(documents, room)
  const placed = parts.flat().map(({ document, index }) => `${document.file.id}/${index}`)
  const all = documents.flatMap(({ file, blocks }) => blocks.map((_, index) => `${file.id}/${index}`))
  expect(placed).toEqual(all)
  for (const part of parts.filter(({ length }) => length > 1))
    expect(part.reduce((sum, { block }) => sum + block.text.length, 0)).toBeLessThanOrEqual(room)
})

// Catches parts that end in the middle of a chapter although a page ends nearby.
test("cuts a long document before a heading or a page", () => {
  const page = (number: number) =>
    Array.from({ length: 4 }, (_, at) =>
      testBlock(`${number}.${at}`.padEnd(60), { location: { page: number } }),
    )
  const parts = cutParts([testDocument("long", [1, 2, 3, 4, 5].flatMap(page))], room)
  expect(parts.map((part) => part.at(-1)?.block.location.page)).toEqual([3, 5])
})

// Catches a changed, added or removed file that makes all small files be read again, and parts that are half empty.
test("changes few shared parts when a small file is added, changed or removed", () => {
  const small = (getLength: (index: number) => number) =>
    Array.from({ length: 400 }, (_, index) =>
      testDocument(`d${index}`, getLength(index) === 0 ? [] : [testBlock("x".repeat(getLength(index)))]),
    )
  const before = cutParts(
    small(() => 40),
    room,
  ).map(getText)
  expect(before.length).toBeLessThan((400 * 52) / room / 0.65)
  const countChangedParts = (offset: number, length: number) =>
    cutParts(
      small((index) => (index === offset ? length : 40)),
      room,
    ).filter((part) => !before.includes(getText(part))).length
  expect(countChangedParts(200, 90)).toBeLessThanOrEqual(3)
  const offsets = Array.from({ length: 40 }, (_, index) => index * 10)
  for (const length of [0, 90, 400]) {
    const counts = offsets.map((offset) => countChangedParts(offset, length))
    expect(counts.reduce((sum, count) => sum + count, 0) / counts.length).toBeLessThanOrEqual(2.5)
    expect(Math.max(...counts)).toBeLessThanOrEqual(8)
  }
})

// Catches text that is lost when a single block is larger than the model's limit.
test("loses no text when halving a part, even one with a single block", () => {
  const [part = []] = cutParts([testDocument("one", [testBlock("some words 😀".repeat(30))])], 10_000)
  const [one, other] = halve(part) ?? []
  expect([one, other].map((half) => half?.[0]?.block.text).join("")).toBe(part[0]?.block.text)
  expect(halve([])).toBeNull()
})
