import { describe, expect, test } from "vitest"
import { docx } from "./docx.ts"
import { maxBlockCharacters, ParseFailure } from "../parser.ts"
import { docxBytes, relationships, zipBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const paragraph = (text: string, style = ""): string =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${run(text)}</w:p>`
const row = (...cells: string[]): string =>
  `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join("")}</w:tr>`

async function lines(bytes: Uint8Array): Promise<string[]> {
  const { blocks } = await parseBytes(docx, bytes, "a.docx")
  return blocks.map(({ kind, text, location }) => `${kind} [${location.heading ?? ""}] ${text}`)
}

// Catches headings that are only found by their English ids, and citations without the location of a text.
test("headings by style, also inherited or in another language, form the path of the text below", async () => {
  const styles =
    '<w:styles><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>' +
    '<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift2"/></w:style>' +
    '<w:style w:styleId="berschrift2"><w:name w:val="whatever"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>'
  const bytes = docxBytes(
    paragraph("Guide", "berschrift1") + paragraph("Install", "Mine") + paragraph("Do it."),
    {
      "word/_rels/document.xml.rels": relationships({ s: ["styles", "styles.xml"] }),
      "word/styles.xml": styles,
    },
  )
  expect(await lines(bytes)).toEqual([
    "heading [Guide] Guide",
    "heading [Guide › Install] Install",
    "paragraph [Guide › Install] Do it.",
  ])
})

test("a table's header row is marked, and a table that contains a table is treated as layout", async () => {
  const table = `<w:tbl>${row("Name", "Price")}${row("Oak", "12")}</w:tbl>`
  expect(await lines(docxBytes(table))).toEqual(["table-header [] Name | Price", "table-row [] Oak | 12"])
  const nested = `<w:tbl><w:tr><w:tc>${paragraph("Around")}${table}</w:tc></w:tr></w:tbl>`
  expect(await lines(docxBytes(nested))).toEqual([
    "paragraph [] Around",
    "table-header [] Name | Price",
    "table-row [] Oak | 12",
  ])
})

test("deleted and moved text, field codes and fallback drawings are left out; text boxes are kept", async () => {
  const body =
    `<w:p>${run("keep ")}<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>` +
    `<w:moveFrom>${run("moved")}</w:moveFrom><w:r><w:instrText>PAGE</w:instrText></w:r>${run("this")}` +
    `<mc:AlternateContent><mc:Choice><w:txbxContent>${paragraph("boxed")}</w:txbxContent></mc:Choice>` +
    `<mc:Fallback><w:txbxContent>${paragraph("boxed")}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:p>`
  expect(await lines(docxBytes(body))).toEqual(["paragraph [] boxed", "paragraph [] keep this"])
})

test("notes, unique headers, charts and diagrams follow the body", async () => {
  const bytes = docxBytes(paragraph("Body"), {
    "word/_rels/document.xml.rels": relationships({
      a: ["footnotes", "footnotes.xml"],
      b: ["header", "header1.xml"],
      c: ["header", "/word/header2.xml"],
      d: ["chart", "charts/chart1.xml"],
      e: ["diagramData", "diagrams/data1.xml"],
    }),
    "word/footnotes.xml": `<w:footnotes>${paragraph("A note")}</w:footnotes>`,
    "word/header1.xml": `<w:hdr>${paragraph("ACME")}${paragraph("7")}</w:hdr>`,
    "word/header2.xml": `<w:hdr>${paragraph("ACME")}</w:hdr>`,
    "word/charts/chart1.xml":
      "<c:chartSpace><c:chart><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title><c:ser><c:tx><c:pt><c:v>2024</c:v></c:pt></c:tx>" +
      '<c:cat><c:pt idx="0"><c:v>Spring</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>8.200000000000001</c:v></c:pt></c:val></c:ser></c:chart></c:chartSpace>',
    "word/diagrams/data1.xml":
      "<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>Step one</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>",
  })
  expect(await lines(bytes)).toEqual([
    "paragraph [] Body",
    "paragraph [Footnotes] A note",
    "paragraph [Page header] ACME",
    "paragraph [Chart] Sales",
    "table-header [Chart] | 2024",
    "table-row [Chart] Spring | 8.2",
    "paragraph [Diagram] Step one",
  ])
})

test("accepts other prefixes, UTF-16 and extra bytes after the archive", async () => {
  const xml =
    '<?xml version="1.0" encoding="utf-16"?><x:document><x:body><x:p><x:r><x:t>Zażółć</x:t></x:r></x:p></x:body></x:document>'
  const bytes = docxBytes("", {
    "word/document.xml": Buffer.from(`\ufeff${xml}`, "utf16le") as unknown as string,
  })
  expect(await lines(Buffer.concat([bytes, Buffer.alloc(5000, 0x20)]))).toEqual(["paragraph [] Zażółć"])
})

describe("fails with a reason", () => {
  const cases: [string, Uint8Array, string][] = [
    ["truncated", docxBytes(paragraph("word ".repeat(1000))).subarray(0, 400), "incomplete"],
    ["no document inside", zipBytes({ "a.txt": "a" }), "isn't a Word document"],
    [
      "entities",
      docxBytes("", {
        "word/document.xml": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
      }),
      "entities",
    ],
    ["nesting", docxBytes("<w:p>".repeat(20_000)), "too deeply"],
    ["a text of 100 MB", docxBytes(`<w:p><w:r><w:t>${" ".repeat(100_000_000)}`), "64 MB"],
  ]
  test.for(cases)("%s", async ([, bytes, reason]) => {
    const failure = await lines(bytes).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ParseFailure)
    expect((failure as ParseFailure).message).toContain(reason)
  })
})

test("reads a damaged part as far as possible, with a note", async () => {
  const { text, notes } = await parseBytes(docx, docxBytes(`${paragraph("One")}<w:p><w:r><w:t>Two`), "a.docx")
  expect(text).toContain("One")
  expect(notes).toHaveLength(1)
})

test("splits a paragraph of 100,000 characters into blocks", async () => {
  const { blocks } = await parseBytes(docx, docxBytes(paragraph("word ".repeat(20_000))), "a.docx")
  expect(blocks.every(({ text }) => text.length <= maxBlockCharacters)).toBe(true)
  expect(blocks.reduce((sum, { text }) => sum + text.split(" ").length, 0)).toBe(20_000)
})
