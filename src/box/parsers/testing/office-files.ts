import { zipBytes } from "./zip-bytes.ts"

const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

/** Creates a relationships part, from ids to the last segment of the type and the target. */
export function relationships(list: Record<string, readonly [type: string, target: string]>): string {
  const lines = Object.entries(list).map(
    ([id, [type, target]]) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`,
  )
  return `<?xml version="1.0"?><Relationships>${lines.join("")}</Relationships>`
}

/** Creates a Word document with this body and further parts. */
export function docxBytes(body: string, parts: Record<string, string> = {}): Buffer {
  return zipBytes({
    "[Content_Types].xml":
      '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": relationships({ a: ["officeDocument", "word/document.xml"] }),
    "word/document.xml": `<w:document><w:body>${body}</w:body></w:document>`,
    ...parts,
  })
}

/** Creates a presentation with these slides, each as the XML of its shapes. */
export function pptxBytes(slides: readonly string[], parts: Record<string, string> = {}): Buffer {
  const ids = slides.map((_, index) => index + 1)
  return zipBytes({
    "[Content_Types].xml":
      '<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>',
    "_rels/.rels": relationships({ a: ["officeDocument", "ppt/presentation.xml"] }),
    "ppt/presentation.xml": `<p:presentation><p:sldIdLst>${ids
      .map((id) => `<p:sldId id="${255 + id}" r:id="rId${id}"/>`)
      .join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships(
      Object.fromEntries(ids.map((id) => [`rId${id}`, ["slide", `slides/slide${id}.xml`] as const])),
    ),
    ...Object.fromEntries(
      slides.map((shapes, index) => [`ppt/slides/slide${index + 1}.xml`, `<p:sld>${shapes}</p:sld>`]),
    ),
    ...parts,
  })
}

/** Creates a workbook with one sheet. */
export function xlsxBytes(rows: string, parts: Record<string, string> = {}): Buffer {
  return zipBytes({
    "[Content_Types].xml":
      '<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    "_rels/.rels": relationships({ a: ["officeDocument", "xl/workbook.xml"] }),
    "xl/workbook.xml": '<workbook><sheets><sheet name="Stock" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": relationships({
      rId1: ["worksheet", "worksheets/sheet1.xml"],
      rId2: ["sharedStrings", "sharedStrings.xml"],
      rId3: ["styles", "styles.xml"],
    }),
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    ...parts,
  })
}

/** Creates an OpenDocument file with this content and further parts. */
export function openDocumentBytes(
  type: "text" | "presentation" | "spreadsheet",
  content: string,
  parts: Record<string, string> = {},
): Buffer {
  return zipBytes({
    mimetype: `application/vnd.oasis.opendocument.${type}`,
    "content.xml": `<office:document-content><office:body><office:${type}>${content}</office:${type}></office:body></office:document-content>`,
    ...parts,
  })
}
