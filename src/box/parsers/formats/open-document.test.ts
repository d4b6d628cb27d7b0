import { describe, expect, test } from "vitest"
import { ods, openDocument } from "./open-document.ts"
import { ParseFailure } from "../parser.ts"
import type { Parser } from "../parser.ts"
import { openDocumentBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

async function lines(parser: Parser, bytes: Uint8Array): Promise<string[]> {
  const { blocks } = await parseBytes(parser, bytes, "a.odt")
  return blocks.map(({ kind, text, location: { slide, sheet, row, heading } }) =>
    [slide, sheet, row, kind, heading && `[${heading}]`, text].filter((part) => part !== undefined).join(" "),
  )
}

test("reads text: headings, lists, tables and notes in paragraphs, without deleted text, note numbers or authors", async () => {
  const content =
    "<text:tracked-changes><text:changed-region><text:p>deleted</text:p></text:changed-region></text:tracked-changes>" +
    '<text:h text:outline-level="1">Guide</text:h><text:h text:outline-level="2">Install</text:h>' +
    '<text:p>One<text:s text:c="3"/>two<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note</text:p></text:note-body></text:note> three' +
    "<office:annotation><dc:creator>Ada</dc:creator><dc:date>2024</dc:date><text:p>Hm</text:p></office:annotation></text:p>" +
    "<text:list><text:list-item><text:p>Item</text:p></text:list-item></text:list>" +
    "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>1990</text:p></table:table-cell><table:table-cell><text:p>2000</text:p></table:table-cell></table:table-row></table:table-header-rows>" +
    "<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>"
  const styles =
    "<office:document-styles><style:header-style/><style:header><text:p>Top</text:p></style:header></office:document-styles>"
  expect(await lines(openDocument, openDocumentBytes("text", content, { "styles.xml": styles }))).toEqual([
    "heading [Guide] Guide",
    "heading [Guide › Install] Install",
    "paragraph [Guide › Install] A note",
    "paragraph [Guide › Install] Hm",
    "paragraph [Guide › Install] One two three",
    "paragraph [Guide › Install] - Item",
    "table-header [Guide › Install] 1990 | 2000",
    "table-row [Guide › Install] a | b",
    "paragraph [Page header] Top",
  ])
})

test("reads presentations: slides, titles, notes, and a chart in its own folder", async () => {
  const page = (title: string, more = ""): string =>
    `<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>${title}</text:p></draw:text-box></draw:frame>${more}</draw:page>`
  const content =
    page("First", '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>') +
    page("Second", "<presentation:notes><text:p>Say hello</text:p></presentation:notes>")
  const chart =
    "<office:document-content><chart:title><text:p>Sales</text:p></chart:title></office:document-content>"
  const bytes = openDocumentBytes("presentation", content, { "Object 1/content.xml": chart })
  expect(await lines(openDocument, bytes)).toEqual([
    "1 heading [First] First",
    "2 heading [Second] Second",
    "2 paragraph [Notes] Say hello",
    "paragraph [Object] Sales",
  ])
})

test("reads spreadsheets: repeated rows are counted, and a million empty cells cost nothing", async () => {
  const cell = (text: string, repeated = 1): string =>
    `<table:table-cell table:number-columns-repeated="${repeated}">${text && `<text:p>${text}</text:p>`}</table:table-cell>`
  const row = (cells: string, repeated = 1): string =>
    `<table:table-row table:number-rows-repeated="${repeated}">${cells}</table:table-row>`
  const content =
    `<table:table table:name="Stock">${row(cell("Item") + cell("Price"))}${row(cell("same") + cell("1"), 3)}` +
    `${row(cell("", 1_000_000), 1_000_000)}${row(cell("") + cell("9", 2) + cell("", 16_000))}</table:table>`
  expect(await lines(ods, openDocumentBytes("spreadsheet", content))).toEqual([
    "Stock 1 table-header Item | Price",
    "Stock 2 table-row same | 1",
    "Stock 1000005 table-row | 9 | 9",
  ])
})

describe("fails with a reason", () => {
  const manifest =
    "<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
  test.for([
    ["encrypted", openDocumentBytes("text", "", { "META-INF/manifest.xml": manifest }), "encrypted"],
    [
      "entities",
      openDocumentBytes("text", "", { "content.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' }),
      "entities",
    ],
    ["cut", openDocumentBytes("text", "<text:p>a</text:p>").subarray(0, 200), "incomplete"],
  ] as const)("%s", async ([, bytes, reason]) => {
    const failure = await lines(openDocument, bytes).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ParseFailure)
    expect((failure as ParseFailure).message).toContain(reason)
  })
})
