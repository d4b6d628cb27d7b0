import { crc32, deflateRawSync } from "node:zlib"

/** Creates a zip file with these entries, compressed. */
export function zipBytes(entries: Record<string, string | Uint8Array>): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const bytes = Buffer.from(content as string)
    const file = entryBytes(name, deflateRawSync(bytes), crc32(bytes), bytes.length)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(20, 4)
    file.copy(central, 6, 4, 30)
    central.writeUInt32LE(offset, 42)
    directory.push(central, Buffer.from(name))
    files.push(file)
    offset += file.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, list, end])
}

function entryBytes(name: string, compressed: Buffer, checksum: number, size: number): Buffer {
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(20, 4)
  head.writeUInt16LE(8, 8)
  head.writeUInt32LE(checksum, 14)
  head.writeUInt32LE(compressed.length, 18)
  head.writeUInt32LE(size, 22)
  head.writeUInt16LE(Buffer.byteLength(name), 26)
  return Buffer.concat([head, Buffer.from(name), compressed])
}

const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

/** Creates a relationships part, from ids to the last segment of the type and the target. */
export function relationships(list: Record<string, readonly [type: string, target: string]>): string {
  const lines = Object.entries(list).map(
    ([id, [type, target]]) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`,
  )
  return `<?xml version="1.0"?><Relationships>${lines.join("")}</Relationships>`
}

/** Creates a Word document with this body and further parts. */
export function docxBytes(body: string, parts: Record<string, string | Uint8Array> = {}): Buffer {
  return zipBytes({
    "[Content_Types].xml":
      '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": relationships({ a: ["officeDocument", "word/document.xml"] }),
    "word/document.xml": `<w:document><w:body>${body}</w:body></w:document>`,
    ...parts,
  })
}

/** Creates a presentation with these slides, each as the XML of its shapes. */
export function pptxBytes(
  slides: readonly string[],
  parts: Record<string, string | Uint8Array> = {},
): Buffer {
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
export function xlsxBytes(rows: string, parts: Record<string, string | Uint8Array> = {}): Buffer {
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
  parts: Record<string, string | Uint8Array> = {},
): Buffer {
  return zipBytes({
    mimetype: `application/vnd.oasis.opendocument.${type}`,
    "content.xml": `<office:document-content><office:body><office:${type}>${content}</office:${type}></office:body></office:document-content>`,
    ...parts,
  })
}
