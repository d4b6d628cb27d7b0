import { expect, test } from "vitest"
import { parseBlock } from "./parse-block.ts"
import { parseAnyBlock } from "./parse-maths.ts"

const table = (cell: string) => `| Document | Payee |\n| --- | --- |\n| a.md | ${cell} |\n`

// Catches a link that a document puts into a table of facts, in any form that Markdown links automatically.
test.each([
  "https://evil.example/pay",
  "Pay at http://evil.example:8080/a?b=c [1]",
  "www.evil.example",
  "**www.evil.example**",
  "me@evil.example",
  "xmpp:me@evil.example",
  String.raw`\<https://evil.example>`,
  "<https://evil.example>",
  "https://EVIL.example/%61",
  "https://evil.example/è",
])("doesn't link %s in a cell", (cell) => {
  for (const parse of [parseBlock, parseAnyBlock]) {
    const tree = parse({ text: table(`${cell} $$x$$`), coloured: false })
    expect(JSON.stringify(tree)).toContain("xample")
    expect(JSON.stringify(tree)).not.toContain('"tagName":"a"')
  }
})

// Catches the loss of links that were written as links, or of links outside tables.
test("keeps explicit links and citations", () => {
  const links = (text: string) =>
    JSON.stringify(parseBlock({ text, coloured: false })).match(/"tagName":"a"/g)
  expect(links("See https://example.org/a")).toHaveLength(1)
  expect(links(table("[the site](https://example.org)"))).toHaveLength(1)
  expect(JSON.stringify(parseBlock({ text: table("www.evil.example [3]"), coloured: false }))).toContain(
    "casella-citation",
  )
})
