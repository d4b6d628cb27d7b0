import { deflateSync } from "node:zlib"
import type { GreyImage } from "../ocr/grey-image.ts"

export interface PageSpec {
  /** Lines with their font size in points. An empty text leaves a line blank. */
  lines?: readonly { text: string; size?: number }[]
  /** An image that fills the page. */
  picture?: GreyImage
  /** Clockwise rotation when displayed, in degrees. */
  rotate?: 90 | 180 | 270
}

/** Creates a small PDF with A4 pages in Helvetica. */
export function makePdf(pages: readonly PageSpec[]): Buffer {
  const objects: Buffer[] = []
  const add = (dictionary: string, stream?: Uint8Array): number => {
    const content = stream
      ? [`<< ${dictionary} /Length ${stream.length} >>\nstream\n`, stream, "\nendstream"]
      : [dictionary]
    objects.push(Buffer.concat(content.map((part) => Buffer.from(part))))
    return objects.length
  }
  const catalog = add("<< /Type /Catalog /Pages 2 0 R >>")
  add("") // The page tree, filled in when its pages are known.
  const font = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
  const kids = pages.map(({ lines = [], picture, rotate = 0 }) => {
    const image = picture ? add(imageDictionary(picture), deflateSync(picture.pixels)) : 0
    const content = add(
      "",
      Buffer.from((picture ? "q 595 0 0 842 0 0 cm /Im Do Q\n" : "") + getText(lines), "latin1"),
    )
    const pictures = picture ? `/XObject << /Im ${image} 0 R >>` : ""
    const resources = `<< /Font << /F ${font} 0 R >> ${pictures} >>`
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate ${rotate} /Resources ${resources} /Contents ${content} 0 R >>`,
    )
  })
  const references = kids.map((kid) => `${kid} 0 R`).join(" ")
  objects[1] = Buffer.from(`<< /Type /Pages /Count ${kids.length} /Kids [${references}] >>`)
  return assemble(objects, catalog)
}

function imageDictionary({ width, height }: GreyImage): string {
  return `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`
}

function getText(lines: NonNullable<PageSpec["lines"]>): string {
  let height = 800
  return lines
    .map(({ text, size = 11 }) => {
      height -= size * 1.3
      return `BT /F ${size} Tf 60 ${height} Td (${text.replace(/[\\()]/g, "\\$&")}) Tj ET`
    })
    .join("\n")
}

function assemble(objects: readonly Buffer[], catalog: number): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  const push = (part: Buffer): void => {
    parts.push(part)
    length += part.length
  }
  for (const [index, object] of objects.entries()) {
    offsets.push(length)
    push(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]))
  }
  const start = length
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const count = objects.length + 1
  push(Buffer.from(`xref\n0 ${count}\n0000000000 65535 f \n${entries}`))
  push(Buffer.from(`trailer\n<< /Size ${count} /Root ${catalog} 0 R >>\nstartxref\n${start}\n%%EOF\n`))
  return Buffer.concat(parts)
}
