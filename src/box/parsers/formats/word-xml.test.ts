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

// Catches numbers of lists in the format of Word 2003, whose definitions have other names.
test("numbers lists as they are defined after the text", async () => {
  const item = (level: number, text: string) =>
    `<w:p><w:pPr><w:listPr><w:ilvl w:val="${level}"/><w:ilfo w:val="1"/></w:listPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
  const lists =
    '<w:lists><w:listDef w:listDefId="4"><w:lvl w:ilvl="0"><w:start w:val="2"/><w:lvlText w:val="%1."/></w:lvl>' +
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:nfc w:val="4"/><w:lvlText w:val="%2)"/></w:lvl></w:listDef>' +
    '<w:list w:ilfo="1"><w:ilst w:val="4"/></w:list></w:lists>'
  const content = `<w:wordDocument><w:body>${item(0, "One")}${item(1, "Two")}${item(0, "Three")}</w:body>${lists}</w:wordDocument>`
  const { text } = await parseBytes(wordXml, content, "a.doc")
  expect(text).toBe("2. One\na) Two\n3. Three")
})
