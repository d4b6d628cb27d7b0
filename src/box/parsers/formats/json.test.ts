import { expect, test } from "vitest"
import { json } from "./json.ts"
import { maxBlockCharacters, ParseFailure } from "../parser.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const text = async (content: string): Promise<string> => (await parseBytes(json, content)).text

test("every value has its path", async () => {
  const orders = {
    orders: [{ id: 7, customer: { name: "Ada" }, tags: ["new", "gift"], paid: true, note: null }],
  }
  for (const content of [JSON.stringify(orders), JSON.stringify(orders, null, 2)]) {
    expect(await text(content)).toBe(
      [
        "orders[0].id: 7",
        "orders[0].customer.name: Ada",
        "orders[0].tags: new, gift",
        "orders[0].paid: true",
        "orders[0].note: null",
      ].join("\n"),
    )
  }
})

test("reads escapes, also at the end of a chunk", async () => {
  const value = `${"x".repeat(256 * 1024 - 12)}\\u00e9\\ud83d\\ude42\\"\\\\ tab\\tend`
  const read = await text(`{"a":"${value}"}`)
  expect(read.replaceAll("\n", "").endsWith('xé🙂"\\ tab\tend')).toBe(true)
})

test("reads JSON Lines, comments, single quotes, and missing or trailing commas", async () => {
  expect(await text('{"a":1}\n{"a":2}')).toBe("a: 1\na: 2")
  expect(await text("{ // why\n a: 'x', /* not: this */ b: [1, 2,], }")).toBe("a: x\nb: 1, 2")
  expect(await text('{"a": 1 "b": 2}')).toBe("a: 1\nb: 2")
})

test("reads invalid JSON as well: a truncated file, a missing quote, prose", async () => {
  expect(await text('{"a": {"b": "deep va')).toBe("a.b: deep va")
  expect(await text('{"a": "no end,\n"b": "two"}')).toContain("b: two")
  expect(await text("just some words")).toBe("just, some, words")
})

test("blocks are located at the line of their first value", async () => {
  const list = Array.from({ length: 200 }, (_, index) => ({ index, text: "about something ".repeat(10) }))
  const { blocks } = await parseBytes(json, JSON.stringify(list, null, 1))
  for (const block of blocks) {
    const index = Number(/^\[(\d+)\]\.index/.exec(block.text)?.[1])
    expect(block.location.line).toBe(index * 4 + 3)
  }
  expect(blocks.length).toBeGreaterThan(50)
})

test("splits a string of 5 MB into blocks without losing any of it", async () => {
  const { blocks } = await parseBytes(json, JSON.stringify({ body: "word ".repeat(1_000_000) }))
  expect(blocks.every((block) => block.text.length <= maxBlockCharacters)).toBe(true)
  expect(blocks.reduce((sum, block) => sum + (block.text.match(/word/g)?.length ?? 0), 0)).toBe(1_000_000)
})

test("endless nesting is refused", async () => {
  await expect(parseBytes(json, "[".repeat(2_000_000))).rejects.toThrow(ParseFailure)
  await expect(parseBytes(json, '{"a":'.repeat(500_000))).rejects.toThrow(ParseFailure)
})
