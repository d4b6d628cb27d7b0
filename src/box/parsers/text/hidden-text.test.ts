import { describe, expect, test } from "vitest"
import { findFormatByFileName } from "../registry.ts"
import { docxBytes, openDocumentBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { HiddenText, isBlank } from "./hidden-text.ts"

async function read(name: string, bytes: Uint8Array, marksHidden: boolean) {
  const parser = (await findFormatByFileName(name)?.load()) ?? expect.unreachable()
  const { blocks, notes } = await parseBytes(parser, bytes, name, undefined, undefined, marksHidden)
  return { lines: blocks.map(({ kind, text }) => `${kind} ${text}`), notes }
}

const run = (text: string, isHidden = false): string =>
  `<w:r>${isHidden ? "<w:rPr><w:vanish/></w:rPr>" : ""}<w:t>${text}</w:t></w:r>`
const docx = docxBytes(
  `<w:p>${run("Price 100")}${run(" for ", true)}${run("friends 80", true)}${run(" EUR")}</w:p>` +
    `<w:p>${run("Secret clause", true)}</w:p><w:p>${run("End")}</w:p>`,
)

const styles =
  '<office:automatic-styles><style:style style:name="h" style:family="text"><style:text-properties text:display="none"/></style:style>' +
  '<style:style style:name="H" style:family="paragraph"><style:text-properties text:display="none"/></style:style></office:automatic-styles>'
const odt = openDocumentBytes("text", "", {
  "content.xml":
    `<office:document-content>${styles}<office:body><office:text>` +
    '<text:p>Price 100<text:span text:style-name="h"> for friends 80</text:span> EUR</text:p>' +
    '<text:p text:style-name="H">Secret clause</text:p><text:p>End</text:p></office:text></office:body></office:document-content>',
})

const rtf = Buffer.from("{\\rtf1 Price 100{\\v  for friends 80} EUR\\par {\\v Secret clause}\\par End\\par}")

// Catches hidden text that is lost although its folder includes it, or that looks like text that people see.
describe.each([
  ["docx", docx],
  ["odt", odt],
  ["rtf", rtf],
])("hidden text of %s", (type, bytes) => {
  test("is left out, with a note", async () => {
    expect(await read(`a.${type}`, bytes, false)).toEqual({
      lines: ["paragraph Price 100 EUR", "paragraph End"],
      notes: ["The hidden text of 2 paragraphs was skipped."],
    })
  })

  test("is marked if the folder includes it", async () => {
    expect(await read(`a.${type}`, bytes, true)).toEqual({
      lines: [
        "paragraph Price 100 (hidden: for friends 80) EUR",
        "paragraph (hidden) Secret clause",
        "paragraph End",
      ],
      notes: ["2 hidden parts were read and are marked “(hidden)”."],
    })
  })
})

// Catches a hidden section that is read unmarked, counts as list items, or loses its tables.
test("marks the paragraphs and cells of a hidden section", async () => {
  const item = (text: string) => `<text:list-item><text:p>${text}</text:p></text:list-item>`
  const bytes = openDocumentBytes(
    "text",
    '<text:section text:display="none"><text:h text:outline-level="1">Draft</text:h><text:p>Not final</text:p>' +
      "<table:table><table:table-row><table:table-cell><text:p>Margin</text:p></table:table-cell>" +
      "<table:table-cell><text:p>12</text:p></table:table-cell></table:table-row></table:table></text:section>" +
      `<text:list>${item("Shown")}</text:list>`,
  )
  expect((await read("a.odt", bytes, true)).lines).toEqual([
    "heading (hidden) Draft",
    "paragraph (hidden) Not final",
    "table-row (hidden) Margin | (hidden) 12",
    "paragraph - Shown",
  ])
  expect(await read("a.odt", bytes, false)).toEqual({
    lines: ["paragraph - Shown"],
    notes: ["The hidden text of 1 paragraph was skipped."],
  })
})

// Catches numbers of lists that a hidden item shifts.
test("hidden items of a list aren't numbered", async () => {
  const numbering =
    '<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>' +
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
  const item = (text: string, isHidden = false) =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>${isHidden ? "<w:rPr><w:vanish/></w:rPr>" : ""}</w:pPr>${run(text, isHidden)}</w:p>`
  const bytes = docxBytes(item("One") + item("Secret", true) + item("Two"), {
    "word/numbering.xml": numbering,
    "word/_rels/document.xml.rels":
      '<Relationships><Relationship Id="n" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering" Target="numbering.xml"/></Relationships>',
  })
  expect((await read("a.docx", bytes, true)).lines).toEqual([
    "paragraph 1. One",
    "paragraph (hidden) Secret",
    "paragraph 2. Two",
  ])
})

// Catches text that is lost because a document contains the characters that enclose hidden text inside the program.
test("text between reserved characters is kept", () => {
  for (const marksHidden of [false, true]) {
    const hidden = new HiddenText({ marksHidden })
    expect(hidden.show("a \uFDD0b\uFDD1 c \uFDD1\uFDD0d")).toMatch(/^a .*b.* c .*d$/)
    expect(hidden.show(`${hidden.enclose("x")}y`)).not.toMatch(/[\uFDD0\uFDD1]/)
  }
  expect(isBlank(" \uFDD0b\uFDD1 ")).toBe(true)
})
