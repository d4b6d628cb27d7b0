import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import { en } from "../../locales/en/en.ts"
import type { FileBlock } from "../../../shared/contract/files.ts"
import { documentRows } from "./document-rows.ts"
import { locatePassage } from "./locate-passage.ts"

beforeAll(() => i18next.init({ lng: "en", resources: { en } }))

const blocks: FileBlock[] = [
  { kind: "heading", text: "Title", location: { page: 1 } },
  {
    kind: "paragraph",
    text: "Payment is due within 30 days.\nLate payment costs 5 %.",
    location: { page: 1 },
  },
  { kind: "paragraph", text: "Payment is due within 30 days.", location: { page: 2 } },
  { kind: "paragraph", text: "The agreement ends\n\nin December.", location: { page: 3 } },
]

const marked = (text: string, location: FileBlock["location"] = {}) =>
  locatePassage(blocks, { text, location }).map(({ block, start, end }) => [
    block,
    blocks[block]?.text.slice(start, end),
  ])

test("finds a passage regardless of the whitespace between its words", () => {
  expect(marked("The agreement ends in December.")).toEqual([[3, "The agreement ends\n\nin December."]])
  expect(marked("payment costs")).toEqual([[1, "payment costs"]])
})

test("highlights each block of a passage that spans several", () => {
  expect(marked("5 %.\n\nPayment is due within 30 days.\n\nThe agreement")).toEqual([
    [1, "5 %."],
    [2, "Payment is due within 30 days."],
    [3, "The agreement"],
  ])
})

// Catches a citation that opens the first of two equal paragraphs.
test("highlights the passage at the given location if several are equal", () => {
  expect(marked("Payment is due within 30 days.", { page: 2 })).toEqual([
    [2, "Payment is due within 30 days."],
  ])
  expect(marked("Payment is due within 30 days.")).toEqual([[1, "Payment is due within 30 days."]])
})

test("finds lines one by one if the whole passage isn't there", () => {
  expect(marked("A heading that was put before\nLate payment costs 5 %.")).toEqual([
    [1, "Late payment costs 5 %."],
  ])
})

// Catches a citation of a long table that opens at the column names, far above the cited row, which isn't highlighted.
test("finds a row at its location, whatever its passage repeats before it", () => {
  const table = [row("Month | Sold", 1, "table-header"), row("January | 12", 2), row("February | 120", 3)]
  const text = "Month | Sold\nFebruary | 120"
  const quoted: [number, number] = [text.indexOf("February"), text.length]
  const ranges = locatePassage(table, { text, location: { sheet: "Sales", row: 3 } }, [[0, 5], quoted])
  expect(ranges).toEqual([
    { block: 2, start: 0, end: 14 },
    { block: 2, start: 0, end: 14, quoted: true },
  ])
})

test("highlights nothing if nothing is found", () => {
  expect(marked("Words that no document of this kind has")).toEqual([])
  expect(marked("  \n ")).toEqual([])
  expect(locatePassage([], { text: "x", location: {} })).toEqual([])
})

// Catches text that is lost or doubled where rows and highlights meet.
test("covers the whole document once, with the highlights in place", () => {
  const long: FileBlock[] = [
    { kind: "paragraph", text: "word ".repeat(2000), location: { page: 1 } },
    ...blocks,
  ]
  const ranges = locatePassage(long, { text: "Late payment costs 5 %.", location: {} })
  const rows = documentRows(long, ranges)
  const text = rows.flatMap((row) => row.cells.flat().map((stretch) => stretch.text)).join("")
  expect(text).toBe(long.map((block) => block.text).join(""))
  expect(rows.filter((row) => row.marked)).toHaveLength(1)
  expect(rows.flatMap((row) => row.cells.flat().filter((stretch) => stretch.mark))).toEqual([
    { text: "Late payment costs 5 %.", mark: "strong" },
  ])
  expect(rows.map((row) => row.place).filter(Boolean)).toEqual(["Page 1", "Page 2", "Page 3"])
})

// Catches a citation that opens another row because an edit has moved the sheet's first column.
test("ignores the column where a row's text begins", () => {
  const sheet = (row: number, column: number): FileBlock => ({
    kind: "table-row",
    text: "same | row",
    location: { sheet: "S", row, column },
  })
  const passage = { text: "same | row", location: { sheet: "S", row: 2, column: 3 } }
  expect(locatePassage([sheet(1, 1), sheet(2, 1)], passage)).toMatchObject([{ block: 1 }])
})

const row = (text: string, number: number, kind: FileBlock["kind"] = "table-row"): FileBlock => ({
  kind,
  text,
  location: { sheet: "Sales", row: number },
})

// Catches cells in the wrong column, highlighted cell borders, and numbers that differ from the sheet's.
test("puts the cells of table rows in columns, with the sheet's row numbers", () => {
  const table = [row("Month | Sold", 1, "table-header"), row("January | 12 | late", 3), row("| 7", 4)]
  const rows = documentRows(table, locatePassage(table, { text: "January | 12", location: { row: 3 } }))
  expect(rows.map(({ number }) => number)).toEqual([1, 3, 4])
  expect(rows.map(({ cells }) => cells.map((cell) => cell.map(({ text }) => text).join("")))).toEqual([
    ["Month", "Sold"],
    ["January", "12", "late"],
    ["", "7"],
  ])
  expect(rows.flatMap(({ cells }) => cells.flat().filter(({ mark }) => mark))).toEqual([
    { text: "January", mark: "strong" },
    { text: "12", mark: "strong" },
  ])
  expect(rows.map((shown) => shown.table?.widths)).toEqual(table.map(() => [7, 5, 5]))
})

// Catches lines that are numbered from the block instead of the file.
test("renders code line by line with its line numbers", () => {
  const code: FileBlock[] = [{ kind: "code", text: "if (a)\n  b()", location: { line: 12 } }]
  const rows = documentRows(code, locatePassage(code, { text: "b()", location: { line: 12 } }))
  expect(
    rows.map(({ number, cells, marked }) => [number, cells[0]?.map(({ text }) => text), marked]),
  ).toEqual([
    [12, ["if (a)"], false],
    [13, ["  ", "b()"], true],
  ])
})
