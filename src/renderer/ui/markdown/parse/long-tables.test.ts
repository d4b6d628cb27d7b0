import { expect, test } from "vitest"
import { cutPiece } from "./cut-piece.ts"
import { parseBlock } from "./parse-block.ts"

// Would catch: a long table of short cells that is shown as the signs it is written with, because a piece of it is too much.
test.each([1, 3, 5, 12])("all pieces of a long table with %i cited columns are drawn as one", (columns) => {
  const heading = `| Document | Place |${" Column |".repeat(columns)}\n|${" --- |".repeat(columns + 2)}\n`
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
