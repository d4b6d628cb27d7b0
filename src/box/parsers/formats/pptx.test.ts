import { expect, test } from "vitest"
import { ParseFailure } from "../parser.ts"
import { pptx } from "./pptx.ts"
import { pptxBytes, relationships, zipBytes } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const paragraph = (text: string): string => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`
const shape = (text: string, placeholder = "body"): string =>
  `<p:sp><p:nvPr><p:ph type="${placeholder}"/></p:nvPr><p:txBody>${text.split("\n").map(paragraph).join("")}</p:txBody></p:sp>`

async function lines(bytes: Uint8Array): Promise<string[]> {
  const { blocks } = await parseBytes(pptx, bytes, "a.pptx")
  return blocks.map(
    ({ kind, text, location }) => `${location.slide} ${kind} [${location.heading ?? ""}] ${text}`,
  )
}

// Catches slides in the order of their files, titles that aren't headings, and slide numbers read as text.
test("reads slides in presentation order, under their titles", async () => {
  const bytes = pptxBytes([
    shape("Welcome", "ctrTitle") + shape("First point\nSecond point") + shape("1", "sldNum"),
    shape("Thanks", "title"),
  ])
  expect(await lines(bytes)).toEqual([
    "1 heading [Welcome] Welcome",
    "1 paragraph [Welcome] First point",
    "1 paragraph [Welcome] Second point",
    "2 heading [Thanks] Thanks",
  ])
})

// Catches powers that become part of a number.
test("raised digits stand apart", async () => {
  const run = (text: string, baseline = 0) => `<a:r><a:rPr baseline="${baseline}"/><a:t>${text}</a:t></a:r>`
  const content = `<p:sp><p:txBody><a:p>${run("10")}${run("3", 30_000)}${run(" m")}${run("2", 30_000)} ${run("10")}${run("2", -25_000)}</a:p></p:txBody></p:sp>`
  expect(await lines(pptxBytes([content]))).toEqual(["1 paragraph [] 10^3 m2102"])
})

test("keeps tables, notes, comments and diagrams with their slide", async () => {
  const cell = (text: string): string => `<a:tc><a:txBody>${paragraph(text)}</a:txBody></a:tc>`
  const table = `<a:tbl><a:tr>${cell("City")}${cell("People")}</a:tr><a:tr>${cell("Rome")}${cell("3")}</a:tr></a:tbl>`
  const bytes = pptxBytes([shape("One"), table], {
    "ppt/slides/_rels/slide2.xml.rels": relationships({
      a: ["notesSlide", "../notesSlides/notesSlide1.xml"],
      b: ["comments", "../comments/comment1.xml"],
      c: ["diagramData", "../diagrams/data1.xml"],
    }),
    "ppt/notesSlides/notesSlide1.xml": `<p:notes>${shape("Say hello")}</p:notes>`,
    "ppt/comments/comment1.xml": "<p:cmLst><p:cm><p:text>Check this</p:text></p:cm></p:cmLst>",
    "ppt/diagrams/data1.xml": `<dgm:dataModel><dgm:pt><dgm:t>${paragraph("A step")}</dgm:t></dgm:pt></dgm:dataModel>`,
  })
  expect(await lines(bytes)).toEqual([
    "1 paragraph [] One",
    "2 table-header [] City | People",
    "2 table-row [] Rome | 3",
    "2 paragraph [] A step",
    "2 paragraph [Notes] Say hello",
    "2 paragraph [Comments] Check this",
  ])
})

test("refuses a zip file without slides", async () => {
  await expect(lines(zipBytes({ "a.txt": "a" }))).rejects.toThrow(ParseFailure)
})
