import iconv from "iconv-lite"
import { describe, expect, test } from "vitest"
import { html } from "./html.ts"
import { maxBlockCharacters, ParseFailure } from "../parser.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const outline = async (content: string | Uint8Array): Promise<string[]> =>
  (await parseBytes(html, content)).blocks.map(
    ({ kind, text, location }) => `${kind} [${location.heading ?? ""}] ${text}`,
  )

test("reads a page as its reader sees it", async () => {
  const content = `<!doctype html><title>Site &mdash; page</title><style>p{}</style>
    <h1>Guide</h1><p>Some <b>bold</b>\n text,<br>two lines.<script>alert("no")</script>
    <h2>Install</h2><ul><li>one<li>two <img alt="picture of a cat" src=x></ul>
    <pre>  keep\n    this</pre><noscript>Enable it</noscript><svg><text>no</text></svg>`
  expect(await outline(content)).toEqual([
    "heading [] Site — page",
    "heading [Guide] Guide",
    "paragraph [Guide] Some bold text,\ntwo lines.",
    "heading [Guide › Install] Install",
    "paragraph [Guide › Install] - one",
    "paragraph [Guide › Install] - two picture of a cat",
    "code [Guide › Install]   keep\n    this",
  ])
})

test("data tables have headers and rows", async () => {
  const content =
    "<table><thead><tr><th>Name<th>Age</thead><tr><td>Ada <i>L.</i><td><p>36</p></tr><tr><td>Bob</td><td></td></tr></table>after"
  expect(await outline(content)).toEqual([
    "table-header [] Name | Age",
    "table-row [] Ada L. | 36",
    "table-row [] Bob |",
    "paragraph [] after",
  ])
})

test("layout tables aren't read as rows", async () => {
  const content = `<table><tr><td><h1>Title</h1><p>Text of the page.</p><table><tr><td>a<td>b</table>more</td></tr></table>`
  expect(await outline(content)).toEqual([
    "heading [Title] Title",
    "paragraph [Title] Text of the page.",
    "table-row [Title] a | b",
    "paragraph [Title] more",
  ])
})

describe("navigation", () => {
  const menu = "<nav><a>Home</a><a>About us</a></nav>"
  test("is left out of a page with text", async () => {
    expect(await outline(`${menu}<main><p>${"Long text. ".repeat(30)}</p></main>`)).toEqual([
      `paragraph [] ${"Long text. ".repeat(30).trim()}`,
    ])
  })
  test("is kept if there is nothing else", async () => {
    expect(await outline(`${menu}<p>x</p>`)).toEqual(["paragraph [] x", "paragraph [] HomeAbout us"])
  })
})

test.for([
  '<meta charset="windows-1251">',
  "<meta content='text/html; charset = windows-1251' http-equiv=Content-Type>",
  '<meta charset="utf-8">', // A wrong declaration, which is detected.
])("charset of %s", async (meta) => {
  const sentence = "Привет, как дела? Это небольшой текст на русском языке."
  expect(await outline(iconv.encode(`${meta}<p>${sentence}`, "windows-1251"))).toEqual([
    `paragraph [] ${sentence}`,
  ])
})

describe("hostile HTML", () => {
  test("endless nesting is refused", async () => {
    await expect(parseBytes(html, "<div>".repeat(300_000))).rejects.toThrow(ParseFailure)
  })
  test("reads 3 MB without a tag, and a script that is never closed", async () => {
    const { blocks } = await parseBytes(html, "word ".repeat(600_000))
    expect(blocks.every((block) => block.text.length <= maxBlockCharacters)).toBe(true)
    expect(blocks.reduce((sum, block) => sum + (block.text.match(/word/g)?.length ?? 0), 0)).toBe(600_000)
    expect(await outline(`<p>text<script>${"x ".repeat(500_000)}`)).toEqual(["paragraph [] text"])
  })
})
