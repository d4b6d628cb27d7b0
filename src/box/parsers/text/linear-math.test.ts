import { expect, test } from "vitest"
import { docx } from "../formats/docx.ts"
import { html } from "../formats/html.ts"
import { openDocument } from "../formats/open-document.ts"
import { pptx } from "../formats/pptx.ts"
import { rtf } from "../formats/rtf.ts"
import { xlsx } from "../formats/xlsx.ts"
import { docxBytes, openDocumentBytes, pptxBytes, xlsxBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { readWithPictures } from "../testing/read-with-pictures.ts"
import { joinShifted, separateFractions } from "./linear-math.ts"

// Catches two and a half that is read and found as 21/2, and fractions that are torn apart.
test.each([
  ["2½ cups and ½ cup", "2 ½ cups and ½ cup"],
  ["12⅓", "12 ⅓"],
  ["2¹/₂ and ¹/₂", "2 1/2 and 1/2"],
  ["3²⁄₃", "3 2/3"],
  ["10³ m² and CO₂ and 1/2", "10³ m² and CO₂ and 1/2"],
  ["x½", "x½"],
])("separates the fractions of %s", (text, expected) => {
  expect(separateFractions(text, 100)).toBe(expected)
  expect(separateFractions(text, text.length)).toHaveLength(Math.min(text.length, expected.length))
})

test.each([
  ["2^1/", "2", "lowered", "2 1/2"],
  ["12^11⁄", "16", "lowered", "12 11⁄16"],
  ["10^3/", "5", undefined, "10^3/5"],
  ["a^1/", "2", "lowered", "a^1/2"],
  ["2^1/", "n", "lowered", "2^1/n"],
  ["CO", "2", "lowered", "CO2"],
  ["10", "3", "raised", "10^3"],
] as const)("joins %s and %s", (before, text, shift, expected) => {
  expect(joinShifted(before, text, shift)).toBe(expected)
})

const docxRun = (text: string, align = "baseline") =>
  `<w:r><w:rPr><w:vertAlign w:val="${align}"/></w:rPr><w:t>${text}</w:t></w:r>`
const pptxRun = (text: string, baseline = 0) => `<a:r><a:rPr baseline="${baseline}"/><a:t>${text}</a:t></a:r>`
const xlsxRun = (text: string, align = "baseline") =>
  `<r><rPr><vertAlign val="${align}"/></rPr><t>${text}</t></r>`
const style = (name: string, position: string) =>
  `<style:style style:name="${name}" style:family="text"><style:text-properties style:text-position="${position}"/></style:style>`
const span = (name: string, text: string) => `<text:span text:style-name="${name}">${text}</text:span>`

// Catches a format whose lowered digits aren't told from others.
test("mixed fractions of shifted digits are read in each format", async () => {
  const files = [
    [
      docx,
      docxBytes(
        `<w:p>${docxRun("2")}${docxRun("1", "superscript")}${docxRun("/")}${docxRun("2", "subscript")}</w:p>`,
      ),
    ],
    [
      pptx,
      pptxBytes([
        `<p:sp><p:txBody><a:p>${pptxRun("2")}${pptxRun("1", 30_000)}${pptxRun("/")}${pptxRun("2", -25_000)}</a:p></p:txBody></p:sp>`,
      ]),
    ],
    [
      xlsx,
      xlsxBytes('<row r="1"><c r="A1" t="s"><v>0</v></c></row>', {
        "xl/sharedStrings.xml": `<sst><si>${xlsxRun("2")}${xlsxRun("1", "superscript")}${xlsxRun("/")}${xlsxRun("2", "subscript")}</si></sst>`,
      }),
    ],
    [rtf, Buffer.from("{\\rtf1 2{\\super 1}/{\\sub 2}\\par}")],
    [html, Buffer.from("<p>2<sup>1</sup>/<sub>2</sub></p>")],
    [
      openDocument,
      openDocumentBytes("text", "", {
        "content.xml": `<office:document-content><office:automatic-styles>${style("A", "super 58%")}${style("B", "-33% 58%")}</office:automatic-styles><office:body><office:text><text:p>2${span("A", "1")}/${span("B", "2")}</text:p></office:text></office:body></office:document-content>`,
      }),
    ],
  ] as const
  for (const [parser, bytes] of files) expect((await parseBytes(parser, bytes, "a")).text).toBe("2 1/2")
})

test("separates fractions in any format, but not in code", async () => {
  expect((await readWithPictures(Buffer.from("Add 2½ cups.\n\n```\n2½\n```\n"), "a.md")).texts).toEqual([
    "Add 2 ½ cups.",
    "2½",
  ])
})
