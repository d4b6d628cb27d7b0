import { expect, test } from "vitest"
import { cutPiece, GrowingText } from "./growing-text.ts"
import { parseBlock } from "./parse-block.ts"

// Catches a long table with short cells that is shown as raw Markdown because one of its pieces is too much.
test.each([1, 3, 5, 12])("renders all pieces of a long table with %i cited columns as a table", (columns) => {
  const heading = `| Document | Location |${" Column |".repeat(columns)}\n|${" --- |".repeat(columns + 2)}\n`
  const rows = Array.from(
    { length: 500 },
    (_, index) => `| a.pdf | page ${index} |${` x${index} [${index}] |`.repeat(columns)}\n`,
  )
  const text = heading + rows.join("")
  let drawn = 0
  for (let [start, repeated] = [0, ""]; start < text.length;) {
    const cut = cutPiece(text, start, repeated)
    const tree = parseBlock({ text: repeated + text.slice(start, cut.end), coloured: false })
    if (tree === "too-much") throw new Error("a piece is too much")
    drawn += JSON.stringify(tree.root).match(/"tagName":"tr"/g)?.length ?? 0
    drawn -= 1
    ;[start, repeated] = [cut.next, cut.heading]
  }
  expect(drawn).toBe(rows.length)
})

const heading = "| Document | Location |\n| --- | --- |\n"
const getRows = (count: number) =>
  Array.from({ length: count }, (_, index) => `| lease.pdf | page ${index} |\n`).join("")

// Catches a table that can't be rendered as a single one because one of its pieces includes the text before or after it.
test.each([
  ["alone", ""],
  ["after a line", "All of them:\n"],
  ["after a paragraph", "All of them:\n\n"],
  ["far down", "Some words of an answer.\n\n".repeat(400)],
  ["far down after a line", `${"Some words of an answer.\n\n".repeat(400)}All of them:\n`],
])("cuts a long table %s into its own pieces, each with its header", (_, before) => {
  for (const count of [240, 400]) {
    const table = heading + getRows(count)
    const { pieces } = new GrowingText().pieces(
      `${before}${table}\nThat is all.\n\n${"And more. ".repeat(300)}`,
    )
    const first = pieces.findIndex(({ text }) => text.startsWith(heading))
    const tablePieces = pieces.filter(({ repeats }, index) => index === first || repeats > 0)
    expect(tablePieces.length).toBeGreaterThan(1)
    expect(
      tablePieces
        .map(({ text, repeats }) => text.slice(repeats))
        .join("")
        .trim(),
    ).toBe(table.trim())
    expect(tablePieces.map(({ repeats }) => repeats)).toEqual(
      tablePieces.map((_, index) => (index === 0 ? 0 : heading.length)),
    )
  }
})

// Catches code after a table that is taken for a row, and lines that are wrongly taken for a header.
test("gives no table header to text after a table or text that only looks like one", () => {
  const repeats = (text: string) => new GrowingText().pieces(text).pieces.map((piece) => piece.repeats)
  expect(repeats(`${heading}${getRows(100)}\`\`\`\n${"code\n".repeat(1_000)}\`\`\`\n`)).toEqual([0, 0])
  expect(new Set(repeats(`| a | b |\n| --- |\n${getRows(1_000)}`))).toEqual(new Set([0]))
})
