import { expect, test } from "vitest"
import type { Block } from "../../../../parsers/parser.ts"
import { createSources, type CitedNote } from "../combining/cited-notes.ts"
import { testBlock, testDocument } from "../testing/documents.ts"
import { factTable, type TableEvent, describeLocation, tableWords } from "./fact-table.ts"

const placed = (id: string, blocks: Block[]) => {
  const document = testDocument(id, blocks)
  return blocks.map((block, index) => ({ document, index, block }))
}

async function getTable(columns: string[], rows: CitedNote[]) {
  const sources = createSources({ getPassage: () => Promise.resolve(null) }, "http://127.0.0.1")
  const events: TableEvent[] = []
  for await (const event of factTable({ columns, words: tableWords.en, sources }, rows)) events.push(event)
  return {
    text: events.flatMap((event) => (event.type === "text-delta" ? event.textDelta : [])).join(""),
    cited: events.flatMap((event) => (event.type === "source" ? event.text : [])),
    notices: events.flatMap((event) => (event.type === "notice" ? [event] : [])),
  }
}
const row = (cells: string[], at: CitedNote["at"]): CitedNote => ({ text: cells.join(" | "), cells, at })

// Catches a cell that cites a block other than the one it comes from, and a location written by the model.
test("cites the block that contains each cell, and writes the location itself", async () => {
  const [heading, due, sum] = placed("lease", [
    testBlock("Rent", { location: { page: 2 } }),
    testBlock("It is due on\n1 March.", { location: { page: 3 } }),
    testBlock("900 EUR", { location: { page: 3 } }),
  ])
  if (!heading || !due || !sum) throw new Error("no blocks")
  const { text, cited } = await getTable(
    ["What", "Due", "Amount"],
    [row(["The rent", "due on 1 march", "900 EUR"], [heading, due, sum]), row(["Rent", "", ""], [])],
  )
  expect(text).toBe(
    [
      "| Document | Location | What | Due | Amount |",
      "| --- | --- | --- | --- | --- |",
      "| lease.md | page 2; page 3 | The rent [1] | due on 1 march [2] | 900 EUR [3] |",
      "|  |  | Rent |  |  |",
      "",
    ].join("\n"),
  )
  expect(cited).toEqual(["Rent", "It is due on\n1 March.", "900 EUR"])
})

// Catches a row whose source document can't be identified.
test("names the documents that were read for a row without a location", async () => {
  const [one, other] = ["lease", "annex"].map((id) => testDocument(id, [testBlock("Rent")]))
  if (!one || !other) throw new Error("no documents")
  const { text } = await getTable(
    ["What"],
    [
      { ...row(["The rent"], []), from: [one] },
      { ...row(["The heating"], []), from: [one, other] },
    ],
  )
  expect(text.split("\n").slice(2)).toEqual([
    "| lease.md |  | The rent |",
    "| lease.md; annex.md |  | The heating |",
    "",
  ])
})

// Catches a fact from one document that is lost because another document states the same and neither location is known.
test("keeps equal rows without a location once for each document", async () => {
  const [one, other] = ["lease", "annex"].map((id) => testDocument(id, [testBlock("Rent")]))
  if (!one || !other) throw new Error("no documents")
  const from = (document: typeof one): CitedNote => ({ ...row(["The rent"], []), from: [document] })
  const { text } = await getTable(["What"], [from(one), from(other), from(one)])
  expect(text.split("\n").slice(2)).toEqual(["| lease.md |  | The rent |", "| annex.md |  | The rent |", ""])
})

// Catches a number that cites a longer number that contains it.
test("cites the block in which a cell's text stands by itself", async () => {
  const [year, price, few] = placed("a", [
    testBlock("Since 2015"),
    testBlock("at 1.500 EUR"),
    testBlock("for 5 people"),
  ])
  if (!year || !price || !few) throw new Error("no blocks")
  const { cited } = await getTable(["A", "B"], [row(["5", "201"], [year, price, few])])
  expect(cited).toEqual(["for 5 people", "Since 2015"])
})

// Catches a search for thousands of cells that blocks the box.
test("yields to other work between rows", async () => {
  const at = placed(
    "a",
    Array.from({ length: 6 }, () => testBlock("some words ".repeat(360))),
  )
  const columns = Array.from({ length: 12 }, (_, index) => `Column ${index}`)
  const rows = Array.from({ length: 2_000 }, (_, index) =>
    row(
      columns.map((name) => `${name} of ${index}`),
      at,
    ),
  )
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  await getTable(columns, rows)
  clearImmediate(next)
  expect(turns).toBeGreaterThan(1)
})

// Catches a cell that ends early, turns its row into a heading, or passes for a citation.
test("keeps the content of a cell inside it, as text", async () => {
  const [block] = placed("a_b", [testBlock("x")])
  if (!block) throw new Error("no block")
  const cell = String.raw`a|b \| **c** [7] <b> $5` + "\n| new | row |"
  const { text } = await getTable(["It|s\nname"], [row([cell], [block])])
  expect(text.split("\n")).toEqual([
    String.raw`| Document | Location | It\|s name |`,
    "| --- | --- | --- |",
    String.raw`| a_b.md |  | a\|b \\\| \*\*c\*\* (7) \<b> \$5 \| new \| row \| [1] |`,
    "",
  ])
})

// Catches a row that overlapping parts list twice, and two facts merged into one.
test("lists a row once per location", async () => {
  const [one, other] = placed("d", [testBlock("Due 1 March"), testBlock("Due 1 March")])
  if (!one || !other) throw new Error("no blocks")
  const { text } = await getTable(
    ["Due"],
    [row(["1 March"], [one]), row(["1 March"], [one]), row(["1 March"], [other])],
  )
  expect(text.split("\n").filter((line) => line.includes("1 March"))).toHaveLength(2)
})

// Catches a table without an end, and rows that are left out without a notice.
test("cuts a table that is too long and says so", async () => {
  const blocks = placed(
    "d",
    Array.from({ length: 2_010 }, (_, index) => testBlock(`Row ${index}.`)),
  )
  const { text, notices } = await getTable(
    ["Row"],
    blocks.map((block, index) => row([`Row ${index}`], [block])),
  )
  expect(text.split("\n").length).toBe(2_003)
  expect(notices).toMatchObject([{ code: "table_cut", sentence: { values: { count: 10 } } }])
  expect((await getTable(["Row"], [])).text).toBe(tableWords.en.nothing)
})

test("writes locations in the language of the question", () => {
  expect(describeLocation({ sheet: "Costs", row: 4 }, tableWords.it)).toBe("foglio Costs, riga 4")
  expect(describeLocation({ page: 2, heading: "Rent" }, tableWords.de)).toBe("Seite 2")
  expect(describeLocation({ heading: "Rent" }, tableWords.en)).toBe("Rent")
  expect(describeLocation({ message: 12, heading: "Rent" }, tableWords.it)).toBe("messaggio 12")
  expect(describeLocation({ entry: "a/b.pdf", page: 3 }, tableWords.en)).toBe("a/b.pdf, page 3")
})
