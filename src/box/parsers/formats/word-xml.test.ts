import { expect, test } from "vitest"
import { detectUpload } from "../document/detect-type.ts"
import { parseBytes } from "../testing/parse-bytes.ts"
import { wordXml } from "./docx.ts"

const document =
  '<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?>\n<w:wordDocument><w:body><w:p><w:pPr><w:pStyle w:val="U1"/></w:pPr>' +
  "<w:r><w:t>Guide</w:t></w:r></w:p><w:p><w:r><w:t>Text</w:t></w:r></w:p><w:binData>AAAA</w:binData></w:body>" +
  '<w:styles><w:style w:styleId="U1"><w:name w:val="heading 1"/></w:style></w:styles></w:wordDocument>'

test("recognises a .doc that contains XML and reads it with its headings", async () => {
  const detection = await detectUpload(Buffer.from(document), "a.doc", "full")
  expect("format" in detection && detection.format.name).toBe("word-xml")
  const { blocks } = await parseBytes(wordXml, document, "a.doc")
  expect(blocks).toEqual([
    { kind: "heading", text: "Guide", location: { heading: "Guide" } },
    { kind: "paragraph", text: "Text", location: { heading: "Guide" } },
  ])
})
