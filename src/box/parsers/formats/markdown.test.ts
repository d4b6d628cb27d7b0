import { expect, test } from "vitest"
import { markdown } from "./markdown.ts"
import { maxBlockCharacters } from "../parser.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const outline = async (content: string): Promise<string[]> =>
  (await parseBytes(markdown, content)).blocks.map(
    ({ kind, text, location }) => `${location.line} ${kind} [${location.heading ?? ""}] ${text}`,
  )

test("blocks have their line and the headings above them", async () => {
  const content = [
    "Before.",
    "",
    "# Guide",
    "Intro",
    "on two lines.",
    "## Install **now**",
    "Do it.",
    "### `npm`",
    "Run it.",
    "Other",
    "-----",
    "Text ##",
    "# Next #",
    "Bye.",
  ]
  expect(await outline(content.join("\n"))).toEqual([
    "1 paragraph [] Before.",
    "3 heading [Guide] Guide",
    "4 paragraph [Guide] Intro\non two lines.",
    "6 heading [Guide › Install now] Install now",
    "7 paragraph [Guide › Install now] Do it.",
    "8 heading [Guide › Install now › npm] npm",
    "9 paragraph [Guide › Install now › npm] Run it.\nOther\n-----\nText ##",
    "13 heading [Next] Next",
    "14 paragraph [Next] Bye.",
  ])
})

test("reads underlined headings", async () => {
  expect(await outline("Title\n=====\n\nPart\n---\ntext")).toEqual([
    "1 heading [Title] Title",
    "4 heading [Title › Part] Part",
    "6 paragraph [Title › Part] text",
  ])
})

test("code fences hide headings and blank lines, even if they are never closed", async () => {
  expect(await outline("````js\n# no heading\n\n```\nx\n````\nafter\n~~~\nopen\n\n# end")).toEqual([
    "2 code [] # no heading\n\n```\nx",
    "7 paragraph [] after",
    "9 code [] open\n\n# end",
  ])
})

test("tables have a header and rows", async () => {
  expect(await outline("| a | b |\n|---|:-:|\n| 1 | 2 \\| 3 |\n| 4 | 5 |\nafter")).toEqual([
    "1 table-header [] a | b",
    "3 table-row [] 1 | 2 \\| 3",
    "4 table-row [] 4 | 5",
    "5 paragraph [] after",
  ])
})

test("front matter is separate text, and a rule elsewhere isn't front matter", async () => {
  expect(await outline("---\ntitle: Plan\ntags: [a]\n---\n# Plan\n\n---\n\ntext")).toEqual([
    "2 paragraph [] title: Plan\ntags: [a]",
    "5 heading [Plan] Plan",
    "9 paragraph [Plan] text",
  ])
})

// Catches a file that is taken for front matter to its end, because its first line is a rule.
test.for([
  [
    "an empty line",
    "---\n\n# Plan\n\ntext\n\n---\n\n## Next",
    ["3 [Plan] Plan", "5 [Plan] text", "9 [Plan › Next] Next"],
  ],
  ["a heading", "---\n# Plan\ntext\n---\n", ["2 [Plan] Plan", "3 [Plan › text] text"]],
  ["front matter that never ends", "---\ntitle: Plan\n\n# Guide\n", ["2 [] title: Plan", "4 [Guide] Guide"]],
] as const)("a rule in the first line is followed by text: %s", async ([, content, expected]) => {
  const { blocks } = await parseBytes(markdown, content)
  expect(blocks.map(({ text, location }) => `${location.line} [${location.heading ?? ""}] ${text}`)).toEqual(
    expected,
  )
})

// Catches tables in HTML read as their source, and comments, which aren't shown, read as text.
test("tables in HTML are rows, comments are left out, and a rule can be followed by an underlined heading", async () => {
  const content =
    "***\nPlan\n====\n<!-- internal\nnote -->\n<table><tr><th>Region<th>City</tr>\n<tr><td rowspan=2>Bavaria<td>Passau</tr>\n<tr><td>Hof</tr></table>\nafter"
  expect(await outline(content)).toEqual([
    "2 heading [Plan] Plan",
    "6 table-header [Plan] Region | City",
    "6 table-row [Plan] Bavaria | Passau",
    "6 table-row [Plan] Bavaria | Hof",
    "9 paragraph [Plan] after",
  ])
})

test("empty rows and images without a description create no empty blocks", async () => {
  expect(await outline("| a |\n|---|\n|   |\n\n![](data:image/gif;base64,R0lG)")).toEqual([
    "1 table-header [] a",
  ])
})

// An image pasted into a note is one line of megabytes. Indexed, it would become thousands of meaningless passages.
test("images inside the text are dropped, wherever a chunk ends", async () => {
  const picture = `![cat](data:image/png;base64,${"iVBORw0KGgo".repeat(100_000)}=)`
  const { text } = await parseBytes(markdown, `before ${picture} after ${picture}\n\ndata: is a word`)
  expect(text).toBe("before cat after cat\ndata: is a word")
})

test("splits a line of 2 MB and a paragraph of 50,000 lines into blocks", async () => {
  const { blocks } = await parseBytes(markdown, `${"word ".repeat(400_000)}\n\n${"line\n".repeat(50_000)}`)
  expect(blocks.every(({ text }) => text.length <= maxBlockCharacters)).toBe(true)
  expect(blocks.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0)).toBe(450_000)
})
