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

// Catches hidden instructions that are read, and lists and choices that are read differently from what the browser shows.
test("hidden elements are left out, lists are numbered, and the chosen entry is read", async () => {
  const content =
    '<div style="color:red; display: none"><p>quoll<br></p></div><p hidden>quoll</p><span style="visibility:hidden">quoll</span>' +
    "<ol start=3><li>third<ul><li>inner</ul><li value=7>seventh<ol type=a><li>letter</ol></ol>" +
    "<p>Tree: <select><option>Oak<option selected>Elm</select>, all <select multiple><option>A<option selected>B</select>"
  expect(await outline(content)).toEqual([
    "paragraph [] 3. third",
    "paragraph [] - inner",
    "paragraph [] 7. seventh",
    "paragraph [] a. letter",
    "paragraph [] Tree: Elm , all [ ] A\n[x] B",
  ])
})

// Catches items without their numbers, which stand in another passage, and empty items.
test("the number of an item precedes its first paragraph or heading", async () => {
  const content =
    "<ol><li><p>one</p><p>more</p></li>\n<li>\n<div>two</div></li><li></li><li><h2>Four</h2></li><li><ol type=a><li><p>inner</p></li></ol></li></ol><ul><li><p>dot</p></li></ul>"
  expect(await outline(content)).toEqual([
    "paragraph [] 1. one",
    "paragraph [] more",
    "paragraph [] 2. two",
    "heading [4. Four] 4. Four",
    "paragraph [4. Four] 5. a. inner",
    "paragraph [4. Four] - dot",
  ])
})

// Catches powers and marks of notes that become part of a number, and readings that become part of a word.
test("raised digits and phonetic guides stand apart", async () => {
  const content =
    "<p>10<sup>3</sup> m<sup>2</sup>, the 5<sup>th</sup> in 2023<sup><a href=#n>1</a></sup> in <ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>"
  expect(await outline(content)).toEqual(["paragraph [] 10^3 m2, the 5th in 2023^1 in 東京(とうきょう)"])
})

// Catches fractions and powers whose digits run together.
test("equations are a line of text", async () => {
  const content =
    "<p>Tax <math><mfrac><mn>22</mn><mn>100</mn></mfrac><mo>×</mo><msup><mi>x</mi><mn>2</mn></msup><annotation>no</annotation></math> due"
  expect(await outline(content)).toEqual(["paragraph [] Tax 22/100×x^2 due"])
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

// Catches rows that lose the region or year that a cell states for several rows or columns.
test("a cell that covers several rows or columns is repeated in each", async () => {
  const content =
    "<table><tr><th rowspan=2>Region<th colspan=2>2024</tr><tr><th>City<th>Staff</tr>" +
    "<tbody><tr><td rowspan=0>Bavaria<td>Augsburg<td>12</tr><tr><td>Passau<td>7</tr></tbody>" +
    "<tbody><tr><td colspan=3>Note</tr><tr><td colspan=2>Total<td>19</tr></tbody></table>"
  expect(await outline(content)).toEqual([
    "table-header [] Region | 2024 | 2024",
    "table-header [] Region | City | Staff",
    "table-row [] Bavaria | Augsburg | 12",
    "table-row [] Bavaria | Passau | 7",
    "paragraph [] Note",
    "table-row [] Total | Total | 19",
  ])
})

// Catches a small page whose spans create gigabytes of text.
test("spans are limited", async () => {
  const cell = `<td colspan=999999 rowspan=999999>${"x".repeat(200)}`
  const { text } = await parseBytes(html, `<table><tr>${cell.repeat(20)}${"<tr><td>y".repeat(5000)}`)
  expect(text.length).toBeLessThan(5_000_000)
})

// Catches pages of frames that are read as empty.
test("a page of frames has their titles and addresses", async () => {
  const content =
    '<frameset><frame name="menu" src="menu.html"><frame src="main.html" title="Contents"><noframes><p>Go to the <a href="main.html">contents</a></noframes></frameset>'
  expect(await outline(content)).toEqual([
    "paragraph [] menu (menu.html)",
    "paragraph [] Contents (main.html)",
    "paragraph [] Go to the contents",
  ])
})

// Catches words that no search finds because of a soft hyphen or another invisible character.
test("invisible characters inside words are removed", async () => {
  expect(
    await outline("<h1>Wert&shy;papier</h1><p>no&#8288;break&#65279;word, &#1605;&#1740;&#8204;&#1582;"),
  ).toEqual(["heading [Wertpapier] Wertpapier", "paragraph [Wertpapier] nobreakword, می\u200cخ"])
})

// Catches an address that only the link's target has, and a text full of targets that it shows anyway.
test("shows targets of links outside headings and navigation, and the state of fields", async () => {
  const content =
    '<h2><a href="https://example.org/a">Prices</a></h2><p><a href="mailto:info@example.org?subject=x">write us</a>, ' +
    '<a href="https://example.org/tariff.pdf">tariff</a>, <a href="https://www.example.org/">example.org</a>, <a href="/b">b</a></p>' +
    "<form><label><input type=checkbox checked>Yes</label><br><label><input type=checkbox>No</label><br>Date <input type=date value=2024-03-05><input type=hidden value=no></form>"
  expect(await outline(content)).toEqual([
    "heading [Prices] Prices",
    "paragraph [Prices] write us (info@example.org), tariff (https://example.org/tariff.pdf), example.org, b",
    "paragraph [Prices] [x] Yes\n[ ] No\nDate 2024-03-05",
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
