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

// Catches dates and authors of a letter that are taken for those of a comment, powers that become part of a number, and phonetic guides
// that become part of a word.
test("reads fields, raised digits and phonetic guides", async () => {
  const styles = [
    '<style:style style:family="text" style:name="up"><style:text-properties style:text-position="super 58%"/></style:style>',
    '<style:style style:family="text" style:name="high" style:parent-style-name="up"/>',
    '<style:style style:family="text" style:name="low"><style:text-properties style:text-position="-33% 58%"/></style:style>',
  ]
  const span = (style: string, text: string) => `<text:span text:style-name="${style}">${text}</text:span>`
  const content =
    "<text:p>Rome, <text:date>5 March 2024</text:date>, <text:creator>Bo</text:creator>" +
    "<office:annotation><dc:creator>Ada</dc:creator><dc:date>2024</dc:date><text:p>Since <text:date>1 May</text:date></text:p></office:annotation></text:p>" +
    `<text:p>10${span("up", "3")} and 10${span("high", "4")} m${span("up", "2")}, CO${span("low", "2")}, 10${span("low", "2")}</text:p>` +
    "<text:p><text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby></text:p>"
  const bytes = openDocumentBytes("text", content, {
    "styles.xml": `<office:document-styles><office:styles>${styles.join("")}</office:styles></office:document-styles>`,
  })
  expect(await lines(openDocument, bytes)).toEqual([
    "paragraph Since 1 May",
    "paragraph Rome, 5 March 2024, Bo",
    "paragraph 10^3 and 10^4 m2, CO2, 102",
    "paragraph 東京(とうきょう)",
  ])
})

// Catches comments that become part of a cell, or of a value in its table.
test("reads comments of a spreadsheet apart from their cells", async () => {
  const comment = (text: string) =>
    `<office:annotation><dc:creator>Ada</dc:creator><dc:date>2024</dc:date><text:p>${text}</text:p><text:p>Really</text:p></office:annotation>`
  const table = `<table:table table:name="Stock"><table:table-row><table:table-cell>${comment("Check")}<text:p>Oak</text:p></table:table-cell><table:table-cell>${comment("Empty")}</table:table-cell></table:table-row><table:table-row table:visibility="collapse"><table:table-cell>${comment("Secret")}<text:p>Elm</text:p></table:table-cell></table:table-row></table:table>`
  expect(await lines(ods, openDocumentBytes("spreadsheet", table))).toEqual([
    "Stock 1 table-row Oak",
    "Stock 1 paragraph Comment on A1: Check Really",
    "Stock 1 paragraph Comment on B1: Empty Really",
  ])
})

// Catches forms without what was chosen in them, and equations that are left out or far from their sentence.
test("reads values of older forms, and equations where they are", async () => {
  const field = (type: string, values: [name: string, value: string][]) =>
    `<field:fieldmark field:type="vnd.oasis.opendocument.field.${type}">${values
      .map(([name, value]) => `<field:param field:name="${name}" field:value="${value}"/>`)
      .join("")}</field:fieldmark>`
  const choices: [string, string][] = [
    ["Dropdown_ListEntry", "Oak"],
    ["Dropdown_ListEntry", "Elm"],
    ["Dropdown_Selected", "1"],
  ]
  const content =
    `<text:p>${field("FORMCHECKBOX", [["Checkbox_Checked", "true"]])}yes ${field("FORMCHECKBOX", [])}no ${field("FORMDROPDOWN", choices)}</text:p>` +
    '<text:p>Rate <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame> a year</text:p>'
  const formula =
    "<math><semantics><mrow><mi>r</mi><mo>=</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><msqrt><mi>b</mi></msqrt></mfrac></mrow>" +
    '<annotation encoding="StarMath 5.0">r = {a+1} over sqrt b</annotation></semantics></math>'
  const bytes = openDocumentBytes("text", content, { "Object 1/content.xml": formula })
  expect(await lines(openDocument, bytes)).toEqual([
    "paragraph [x] yes [ ] no Elm",
    "paragraph Rate r=(a+1)/(sqrt(b)) a year",
  ])
})

const listStyle = (name: string, levels: string): string =>
  `<text:list-style style:name="${name}">${levels}</text:list-style>`
const level = (at: number, format: string, more = ""): string =>
  `<text:list-level-style-number text:level="${at}" style:num-format="${format}" ${more}/>`
const list = (items: string, more = ""): string => `<text:list ${more}>${items}</text:list>`
const item = (content: string, more = ""): string => `<text:list-item ${more}>${content}</text:list-item>`
const text = (content: string, style = ""): string => `<text:p text:style-name="${style}">${content}</text:p>`
/** Creates a text with these styles of its own and of the whole document. */
const styledText = (content: string, automatic: string, styles = ""): Buffer =>
  openDocumentBytes("text", "", {
    "content.xml": `<office:document-content><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:text>${content}</office:text></office:body></office:document-content>`,
    "styles.xml": `<office:document-styles><office:styles>${styles}</office:styles></office:document-styles>`,
  })

// Catches clauses that can't be found by their number, because the program creates it and doesn't store it.
test("numbers of lists and headings precede the text", async () => {
  const outline =
    '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/>' +
    '<text:outline-level-style text:level="2" style:num-format="a" text:display-levels="2"/></text:outline-style>' +
    '<style:style style:name="Bare" style:family="paragraph" style:list-style-name=""/>'
  const automatic =
    listStyle(
      "L1",
      level(1, "1", 'style:num-suffix="." text:start-value="3"') +
        level(2, "a", 'style:num-prefix="(" style:num-suffix=")"'),
    ) +
    listStyle(
      "L2",
      level(1, "I", 'style:num-list-format="Art. %1%"') + level(2, "1", 'style:num-list-format="%1%.%2%"'),
    ) +
    listStyle("L3", '<text:list-level-style-bullet text:level="1" text:bullet-char="•"/>')
  const heading = (at: number, content: string, more = "") =>
    `<text:h text:outline-level="${at}" ${more}>${content}</text:h>`
  const content =
    list(
      item(text("a") + list(item(text("b")) + item(text("c")))) + item(text("d")),
      'text:style-name="L1" xml:id="x"',
    ) +
    list(
      `<text:list-header>${text("e")}</text:list-header>${item(text("f") + text("g"))}`,
      'text:style-name="L1" text:continue-list="x"',
    ) +
    list(item(text("h")) + item(text("i"), 'text:start-value="9"'), 'text:style-name="L1"') +
    list(item(list(item(text("j")))) + item(text("k")), 'text:style-name="L2"') +
    list(item(text("l")), 'text:style-name="L3"') +
    heading(1, "Scope") +
    heading(2, "Terms") +
    heading(2, "Law") +
    heading(1, "Annex", 'text:style-name="Bare"') +
    heading(1, "End")
  const { blocks } = await parseBytes(openDocument, styledText(content, automatic, outline), "a.odt")
  expect(blocks.map((block) => block.text)).toEqual([
    "3. a",
    "(a) b",
    "(b) c",
    "4. d",
    "e",
    "5. f",
    "g",
    "3. h",
    "9. i",
    "I.1 j",
    "Art. II k",
    "- l",
    "1. Scope",
    "1.a Terms",
    "1.b Law",
    "Annex",
    "2. End",
  ])
})

// Catches instructions that no reader of the document sees.
test("hidden text and sections are left out, and check boxes and targets of links are shown", async () => {
  const style = (family: string, name: string, display: string) =>
    `<style:style style:name="${name}" style:family="${family}"><style:text-properties text:display="${display}"/></style:style>`
  const automatic = style("text", "T1", "none") + style("text", "T2", "true")
  const span = (name: string, content: string) =>
    `<text:span text:style-name="${name}">${content}</text:span>`
  const content =
    text(`a${span("T1", `no${span("T2", "b")}no`)}c`) +
    text(`no${span("T2", "d")}`, "Note") +
    `<text:section text:display="none">${text("no")}</text:section><text:section>${text("e")}</text:section>` +
    text('<loext:content-control loext:checkbox="true" loext:checked="true">☒</loext:content-control>Yes') +
    text('<text:a xlink:href="mailto:info@example.org">write us</text:a>')
  const bytes = styledText(content, automatic, style("paragraph", "Note", "none"))
  expect(await lines(openDocument, bytes)).toEqual(
    ["abc", "d", "e", "[x] Yes", "write us (info@example.org)"].map((each) => `paragraph ${each}`),
  )
})

// Catches rows that lose the value of a cell that covers several rows or columns.
test("merged cells are repeated in the rows and columns that they cover", async () => {
  const cell = (content: string, more = "") => `<table:table-cell ${more}>${text(content)}</table:table-cell>`
  const row = (...cells: string[]) => `<table:table-row>${cells.join("")}</table:table-row>`
  const covered = "<table:covered-table-cell/>"
  const content = `<table:table>${row(cell("Region"), cell("City"), cell("Staff"))}${row(cell("Bavaria", 'table:number-rows-spanned="2"'), cell("Augsburg"), cell("12"))}${row(covered, cell("Passau"), cell("7"))}${row(cell("Total", 'table:number-columns-spanned="2"'), covered, cell("19"))}</table:table>`
  expect(await lines(openDocument, openDocumentBytes("text", content))).toEqual([
    "table-header Region | City | Staff",
    "table-row Bavaria | Augsburg | 12",
    "table-row Bavaria | Passau | 7",
    "table-row Total | Total | 19",
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

// Catches a date with day and month swapped, an article number that is shortened, and a column that is too narrow to show its numbers.
test("reads dates and long numbers of spreadsheets from their values", async () => {
  const cell = (type: string, value: string, text: string): string =>
    `<table:table-cell office:value-type="${type}" office:${type === "date" ? "date-value" : "value"}="${value}"><text:p>${text}</text:p></table:table-cell>`
  const cells = [
    cell("date", "2024-03-05", "05/03/24"),
    cell("date", "2024-03-05", "5. März 2024"),
    cell("date", "2024-03-05T14:30:00", "03/05/24 02:30 PM"),
    cell("date", "2024-03-05", "###"),
    cell("float", "4006381333931", "4.00638E+12"),
    cell("float", "12.5", "###"),
    cell("float", "12.5", "12,50"),
  ]
  const row = `<table:table-row>${cells.join("")}</table:table-row>`
  const content = `<table:table table:name="Stock">${row}</table:table>`
  expect(await lines(ods, openDocumentBytes("spreadsheet", content))).toEqual([
    "Stock 1 table-row 2024-03-05 | 2024-03-05 (5. März 2024) | 2024-03-05 14:30 | 2024-03-05 | 4006381333931 | 12.5 | 12,50",
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
