import { describe, expect, it } from "vitest"
import type { Location } from "../../../shared/contract/location.ts"
import type { Block } from "../parser.ts"
import { parsePosition, readRange } from "./read-range.ts"

const block = (text: string, location: Location, kind: Block["kind"] = "paragraph"): Block => ({
  kind,
  text,
  location,
})
const opened = (blocks: Block[]) => async () =>
  (async function* () {
    // Blocks arrive singly, because a stored text may be split anywhere.
    for (const one of blocks) yield [one]
  })()

const read = (blocks: Block[], from: number | string = 1, to = 1e9, limit = 1e6) =>
  readRange(opened(blocks), { from: parsePosition(from) ?? { number: 0, offset: 0 }, to, limit })

/** Reads a whole document in answers with a maximum number of characters. */
async function readAll(blocks: Block[], limit: number): Promise<string[]> {
  const texts: string[] = []
  for (let from: string | null = "1"; from !== null;) {
    const { text, next } = await read(blocks, from, 1e9, limit)
    expect(text.length).toBeLessThanOrEqual(limit)
    expect(next, "it goes on").not.toBe(from)
    texts.push(text)
    from = next
  }
  return texts
}

const pages = [
  block("Title", { page: 1 }, "heading"),
  block("First.", { page: 1 }),
  block("Second.", { page: 2 }),
  block("Third.", { page: 4 }),
]

describe("pages", () => {
  // Catches page 1 of one document in an archive that is read together with page 1 of another.
  it("aren't counted in archives, where each member has its own", async () => {
    const { units } = await read([
      block("First.", { entry: "a.pdf", page: 1 }),
      block("Other.", { entry: "b.pdf", page: 1 }),
    ])
    expect(units).toMatchObject({ unit: "line", last: 3 })
  })

  // Catches pages counted from 0, `to` excluded, or the text of one page reported as another's.
  it("are read by their numbers, including the last one", async () => {
    const part = await read(pages, 2, 4)
    expect(part.text).toBe("Second.\n\n--- page 4 ---\n\nThird.")
    expect(part).toMatchObject({ units: { unit: "page", last: 4 }, read: { from: 2, to: 4 }, next: null })
    expect((await read(pages, 1, 1)).text).toBe("Title\n\nFirst.")
    expect((await read(pages, 3, 3)).read).toBeNull()
    expect((await read(pages, 9)).read).toBeNull()
  })

  // Catches an answer that ends within a page and isn't continued by the next.
  it("continue where the previous answer ended", async () => {
    const texts = await readAll(pages, 8)
    const separators = /\n\n--- page \d ---\n\n/g
    expect(texts.join("").replaceAll(separators, "")).toBe("Title\n\nFirst.Second.Third.")
    const half = await read([block("a🙂b", { page: 1 })], 1, 1, 2)
    expect([half.text, half.next]).toEqual(["a", "1+1"])
  })
})

it("sheets are counted in order and named", async () => {
  const row = (sheet: string, number: number) =>
    block(`${sheet} ${number}`, { sheet, row: number }, "table-row")
  const sheets = [row("Costs", 1), row("Costs", 2), row("Income", 1)]
  const whole = await read(sheets)
  expect(whole.text).toBe("Costs 1\nCosts 2\n\n--- sheet 2 (Income) ---\n\nIncome 1")
  expect(whole.units).toMatchObject({ unit: "sheet", last: 2, sheets: ["Costs", "Income"] })
  expect((await read(sheets, 2)).text).toBe("Income 1")
  // Catches a large sheet of which only the start can be read.
  expect((await readAll(sheets, 7)).join("")).toBe("Costs 1\nCosts 2Income 1")
})

describe("lines", () => {
  const own = [block("one\ntwo", { line: 1 }), block("five", { line: 5 }), block("six", { line: 6 })]

  it("are the file's own if it has any", async () => {
    expect((await read(own)).text).toBe("one\ntwo\n\nfive\nsix")
    expect((await read(own, 2, 5)).text).toBe("two\n\nfive")
    expect((await read(own)).units).toMatchObject({ unit: "line", last: 6, hasOwnLines: true })
  })

  // Catches a document without locations that can't be read in parts.
  it("are those of the extracted text otherwise", async () => {
    const blocks = [block("one\ntwo", {}), block("four", {}), block("row", {}, "table-row")]
    const whole = await read(blocks)
    expect(whole.text).toBe("one\ntwo\n\nfour\n\nrow")
    expect(whole.units).toMatchObject({ unit: "line", last: 6, hasOwnLines: false })
    expect((await read(blocks, 4, 4)).text).toBe("four")
    expect((await read(blocks, 6)).text).toBe("row")
  })

  it("of a mixed document are those of its text", async () => {
    const units = (await read([block("a", { page: 1 }), block("b", {})])).units
    expect(units).toMatchObject({ unit: "line", last: 3 })
  })
})

it("an empty document has no text", async () => {
  expect(await read([])).toMatchObject({ text: "", read: null, next: null, units: { last: 0 } })
})

it("accepts only numbers and positions from a previous answer", () => {
  expect(parsePosition(3)).toEqual({ number: 3, offset: 0 })
  expect(parsePosition("3+40")).toEqual({ number: 3, offset: 40 })
  for (const wrong of [0, -1, 1.5, "", "a", "3+", "+4", "3+4+5"]) expect(parsePosition(wrong)).toBeNull()
})
