import { expect, test } from "vitest"
import type { Block } from "../../../../parsers/parser.ts"
import { createSources, type CitedNote } from "../combining/cited-notes.ts"
import { testBlock, testDocument } from "../testing/documents.ts"
import { factTable, type TableEvent } from "./fact-table.ts"
import { placeInWords, tableWords } from "./table-words.ts"

const placed = (id: string, blocks: Block[]) => {
  const document = testDocument(id, blocks)
  return blocks.map((block, index) => ({ document, index, block }))
}

async function tableOf(columns: string[], rows: CitedNote[]) {
  const sources = createSources({ passageOf: () => Promise.resolve(null) }, "http://127.0.0.1")
  const events: TableEvent[] = []
  for await (const event of factTable({ columns, words: tableWords.en, sources }, rows)) events.push(event)
  return {
    text: events.flatMap((event) => (event.type === "text-delta" ? event.textDelta : [])).join(""),
    cited: events.flatMap((event) => (event.type === "source" ? event.text : [])),
    notices: events.flatMap((event) => (event.type === "notice" ? [event] : [])),
  }
}
const row = (cells: string[], at: CitedNote["at"]): CitedNote => ({ text: cells.join(" | "), cells, at })

// Would catch: a cell that cites another place than where it stands, and a place that the model told.
test("each cell cites the block that holds it, and the place is the box's", async () => {
  const [heading, due, sum] = placed("lease", [
    testBlock("Rent", { location: { page: 2 } }),
    testBlock("It is due on\n1 March.", { location: { page: 3 } }),
    testBlock("900 EUR", { location: { page: 3 } }),
  ])
  if (!heading || !due || !sum) throw new Error("no blocks")
  const { text, cited } = await tableOf(
    ["What", "Due", "Amount"],
    [row(["The rent", "due on 1 march", "900 EUR"], [heading, due, sum]), row(["Rent", "", ""], [])],
  )
  expect(text).toBe(
    [
      "| Document | Place | What | Due | Amount |",
      "| --- | --- | --- | --- | --- |",
      "| lease.md | page 2; page 3 | The rent [1] | due on 1 march [2] | 900 EUR [3] |",
      "|  |  | Rent |  |  |",
      "",
    ].join("\n"),
  )
  expect(cited).toEqual(["Rent", "It is due on\n1 March.", "900 EUR"])
})

// Would catch: a row of which nobody can tell in which document to look for it.
test("a row without a place names the documents that were read for it", async () => {
  const [one, other] = ["lease", "annex"].map((id) => testDocument(id, [testBlock("Rent")]))
  if (!one || !other) throw new Error("no documents")
  const { text } = await tableOf(
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

// Would catch: a fact of one document that is lost because another one tells the same, and nobody knows where in it.
test("equal rows without a place stay one for each document", async () => {
  const [one, other] = ["lease", "annex"].map((id) => testDocument(id, [testBlock("Rent")]))
  if (!one || !other) throw new Error("no documents")
  const from = (document: typeof one): CitedNote => ({ ...row(["The rent"], []), from: [document] })
  const { text } = await tableOf(["What"], [from(one), from(other), from(one)])
  expect(text.split("\n").slice(2)).toEqual(["| lease.md |  | The rent |", "| annex.md |  | The rent |", ""])
})

// Would catch: a number that cites another one, of which it is a part.
test("a cell cites the block in which it stands by itself", async () => {
  const [year, price, few] = placed("a", [
    testBlock("Since 2015"),
    testBlock("at 1.500 EUR"),
    testBlock("for 5 people"),
  ])
  if (!year || !price || !few) throw new Error("no blocks")
  const { cited } = await tableOf(["A", "B"], [row(["5", "201"], [year, price, few])])
  expect(cited).toEqual(["for 5 people", "Since 2015"])
})

// Would catch: thousands of cells, each looked for in all of a part, while the box answers nobody.
test("gives way to other work between rows", async () => {
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
  await tableOf(columns, rows)
  clearImmediate(next)
  expect(turns).toBeGreaterThan(1)
})

// Would catch: a cell that ends early, makes a heading of a row, or passes for a citation.
test("what a cell holds stays in it, as text", async () => {
  const [block] = placed("a_b", [testBlock("x")])
  if (!block) throw new Error("no block")
  const cell = String.raw`a|b \| **c** [7] <b> $5` + "\n| new | row |"
  const { text } = await tableOf(["It|s\nname"], [row([cell], [block])])
  expect(text.split("\n")).toEqual([
    String.raw`| Document | Place | It\|s name |`,
    "| --- | --- | --- |",
    String.raw`| a_b.md |  | a\|b \\\| \*\*c\*\* (7) \<b> \$5 \| new \| row \| [1] |`,
    "",
  ])
})

// Would catch: a row that is told twice by parts that overlap, and two facts taken for one.
test("a row of the same place is told once, of another one again", async () => {
  const [one, other] = placed("d", [testBlock("Due 1 March"), testBlock("Due 1 March")])
  if (!one || !other) throw new Error("no blocks")
  const { text } = await tableOf(
    ["Due"],
    [row(["1 March"], [one]), row(["1 March"], [one]), row(["1 March"], [other])],
  )
  expect(text.split("\n").filter((line) => line.includes("1 March"))).toHaveLength(2)
})

// Would catch: a table without an end, and rows that are left out without a word.
test("a table that is too long is cut, which is said", async () => {
  const blocks = placed(
    "d",
    Array.from({ length: 2_010 }, (_, index) => testBlock(`Row ${index}.`)),
  )
  const { text, notices } = await tableOf(
    ["Row"],
    blocks.map((block, index) => row([`Row ${index}`], [block])),
  )
  expect(text.split("\n").length).toBe(2_003)
  expect(notices).toMatchObject([{ code: "table_cut", sentence: { values: { count: 10 } } }])
  expect((await tableOf(["Row"], [])).text).toBe(tableWords.en.nothing)
})

test("places are told in words of the question's language", () => {
  expect(placeInWords({ sheet: "Costs", row: 4 }, tableWords.it)).toBe("foglio Costs, riga 4")
  expect(placeInWords({ page: 2, heading: "Rent" }, tableWords.de)).toBe("Seite 2")
  expect(placeInWords({ heading: "Rent" }, tableWords.en)).toBe("Rent")
})
