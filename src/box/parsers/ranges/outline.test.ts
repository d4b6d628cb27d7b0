import { expect, test } from "vitest"
import type { Location } from "../../../shared/contract/location.ts"
import type { Block } from "../parser.ts"
import { createOutline } from "./outline.ts"

const getOutline = (blocks: [text: string, location: Location, kind?: Block["kind"]][]) => {
  const outline = createOutline()
  for (const [number, [text, location, kind = "paragraph"]] of blocks.entries())
    outline.visit({ kind, text, location }, number)
  return outline.outline
}

// Catches headings that are all on one level, and a document without headings that has no outline.
test("headings have levels; without headings, pages, slides or sheets are listed by their first text", () => {
  const headings = getOutline([
    ["Guide", { page: 1, heading: "Guide" }, "heading"],
    ["Words", { page: 1, heading: "Guide" }],
    [" Install\n it ", { page: 2, heading: "Guide › Install it" }, "heading"],
  ])
  expect(headings.of).toBe("headings")
  expect(headings.entries.map(({ title, level, block }) => [title, level, block])).toEqual([
    ["Guide", 1, 0],
    ["Install it", 2, 2],
  ])
  const pages = getOutline([
    [" ", { page: 1 }],
    ["First", { page: 1 }],
    ["Second", { page: 1 }],
    ["Third", { page: 3 }],
  ])
  expect(pages.of).toBe("pages")
  expect(pages.entries.map(({ title, location }) => [title, location.page])).toEqual([
    ["First", 1],
    ["Third", 3],
  ])
  const sheets = getOutline([
    ["a | b", { sheet: "Costs", row: 1 }, "table-header"],
    ["1 | 2", { sheet: "Costs", row: 2 }, "table-row"],
    ["x", { sheet: "Income", row: 1 }, "table-row"],
  ])
  expect(sheets).toMatchObject({
    of: "sheets",
    entries: [
      { title: "Costs", sentence: "a | b" },
      { title: "Income", sentence: "x" },
    ],
  })
  expect(getOutline([["Plain", { line: 1 }]])).toEqual({ of: "headings", entries: [], truncated: false })
})

// Catches an archive in which the headings of its members look like members.
test("the headings of an archive's members are below their paths", () => {
  const { entries } = getOutline([
    ["a/b.md", { entry: "a/b.md" }, "heading"],
    ["Prices", { entry: "a/b.md", heading: "Prices" }, "heading"],
  ])
  expect(entries.map(({ title, level }) => [title, level])).toEqual([
    ["a/b.md", 1],
    ["Prices", 2],
  ])
})

// Catches a document of headings only that fills the memory.
test("limits the number of entries", () => {
  const many = getOutline(
    Array.from({ length: 1500 }, (_, n) => [`${n} ${"x".repeat(500)}`, { page: n + 1 }, "heading"]),
  )
  expect(many.entries).toHaveLength(1000)
  expect(many.truncated).toBe(true)
  expect(many.entries.every(({ title }) => title.length <= 200)).toBe(true)
  expect(getOutline(Array.from({ length: 1500 }, (_, n) => ["x", { page: n + 1 }])).truncated).toBe(true)
})
