import { expect, test } from "vitest"
import { compoundFile } from "../formats/compound-file.ts"
import { openDocument } from "../formats/open-document.ts"
import { pptx } from "../formats/pptx.ts"
import type { Parser } from "../parser.ts"
import { pptBytes } from "../testing/compound-files.ts"
import { openDocumentBytes, pptxBytes, relationships } from "../testing/office-files.ts"
import { parseBytes } from "../testing/parse-bytes.ts"

const shape = (text: string) => `<p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
const pptxFile = pptxBytes([shape("One"), "", shape("Three")], {
  "ppt/slides/slide2.xml": `<p:sld show="0">${shape("Two")}</p:sld>`,
  "ppt/slides/_rels/slide2.xml.rels": relationships({ a: ["notesSlide", "../notesSlides/notesSlide1.xml"] }),
  "ppt/notesSlides/notesSlide1.xml": `<p:notes>${shape("Secret")}</p:notes>`,
})

const frame = (text: string) =>
  `<draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`
const notes = "<presentation:notes><text:p>Secret</text:p></presentation:notes>"
const odpFile = openDocumentBytes("presentation", "", {
  "content.xml":
    '<office:document-content><office:automatic-styles><style:style style:name="dp1" style:family="drawing-page"/>' +
    '<style:style style:name="dp2" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style></office:automatic-styles>' +
    `<office:body><office:presentation><draw:page draw:style-name="dp1">${frame("One")}</draw:page><draw:page draw:style-name="dp2">${frame("Two")}${notes}<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></draw:page><draw:page draw:style-name="dp1">${frame("Three")}</draw:page></office:presentation></office:body></office:document-content>`,
  "Object 1/content.xml":
    "<office:document-content><chart:title><text:p>Sales</text:p></chart:title></office:document-content>",
})

async function read(parser: Parser, bytes: Uint8Array, marksHidden: boolean) {
  const { blocks, notes } = await parseBytes(parser, bytes, "a", undefined, undefined, marksHidden)
  return [blocks.map(({ text, location }) => `${location.slide ?? "-"} ${text}`), notes]
}

// Catches slides that people don't see in the presentation, and folders that want them and don't get them.
test("hidden slides are left out and named, or marked", async () => {
  expect(await read(pptx, pptxFile, false)).toEqual([
    ["1 One", "3 Three"],
    ["1 hidden slide was skipped (2)."],
  ])
  const marked = ["1 hidden part was read and is marked “(hidden)”."]
  expect(await read(pptx, pptxFile, true)).toEqual([
    ["1 One", "2 (hidden) Two", "2 (hidden) Secret", "3 Three"],
    marked,
  ])
  expect(await read(openDocument, odpFile, false)).toEqual([
    ["1 One", "3 Three"],
    ["1 hidden slide was skipped (2)."],
  ])
  expect(await read(openDocument, odpFile, true)).toEqual([
    ["1 One", "2 (hidden) Two", "2 (hidden) Secret", "3 Three", "- (hidden) Sales"],
    marked,
  ])
  const ppt = pptBytes({ hidesFirst: true })
  expect(await read(compoundFile, ppt, false)).toEqual([
    ["2 In a shape, zażółć", "- ACME"],
    ["1 hidden slide was skipped (1)."],
  ])
  expect(await read(compoundFile, ppt, true)).toEqual([
    [
      "1 (hidden) Welcome",
      "1 (hidden) First",
      "1 (hidden) Second",
      "1 (hidden) Say hello",
      "2 In a shape, zażółć",
      "- ACME",
    ],
    marked,
  ])
})

test("names a limited number of hidden slides", async () => {
  const slides = Array.from({ length: 12 }, (_, index) => index + 1)
  const parts = slides.map(
    (slide) => [`ppt/slides/slide${slide}.xml`, `<p:sld show="false">${shape("x")}</p:sld>`] as const,
  )
  const bytes = pptxBytes(
    slides.map(() => ""),
    Object.fromEntries(parts),
  )
  expect(await read(pptx, bytes, false)).toEqual([
    [],
    ["12 hidden slides were skipped (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)."],
  ])
})
