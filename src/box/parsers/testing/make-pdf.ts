import { createHash } from "node:crypto"
import { deflateSync } from "node:zlib"
import type { ColourImage } from "../pages/encode-png.ts"
import type { GreyImage } from "../ocr/page-recognition.ts"
import { rc4Stream, xor } from "../passwords/block-keys.ts"

/** A text at a place in points from the bottom left; its size is 11 points unless given. */
export interface PlacedText {
  text: string
  x: number
  y: number
  size?: number
  /** Direction of its line, counterclockwise in degrees. */
  angle?: 0 | 90 | 180 | 270
}

export interface PageSpec {
  /** Lines with their font size in points. An empty text leaves a line blank. */
  lines?: readonly { text: string; size?: number }[]
  /** Texts at their places, in the order in which they are drawn. */
  placed?: readonly PlacedText[]
  /** Filled boxes, such as the rules of a table, in points from the bottom left. */
  boxes?: readonly { x: number; y: number; width: number; height: number }[]
  /** Dictionaries of annotations without appearances, without their brackets. */
  annotations?: readonly string[]
  /** An image that fills the page, or a box in points from the bottom left. */
  picture?: GreyImage | ColourImage
  pictureBox?: { x: number; y: number; width: number; height: number }
  /** Clockwise rotation when displayed, in degrees. */
  rotate?: 90 | 180 | 270
}

/**
 * Creates a small PDF with A4 pages in Helvetica.
 *
 * @param created its creation date, such as `D:20240305`
 */
export function makePdf(pages: readonly PageSpec[], created?: string): Buffer {
  const objects: Buffer[] = []
  const add = (dictionary: string, stream?: Uint8Array): number => {
    const content = stream
      ? [`<< ${dictionary} /Length ${stream.length} >>\nstream\n`, stream, "\nendstream"]
      : [dictionary]
    objects.push(Buffer.concat(content.map((part) => Buffer.from(part))))
    return objects.length
  }
  const catalog = add("")
  add("") // The page tree, filled in when its pages are known.
  const font = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
  const fields: number[] = []
  const kids = pages.map((page) => {
    const { lines = [], placed = [], boxes = [], annotations = [], picture, rotate = 0 } = page
    const { x, y, width, height } = page.pictureBox ?? { x: 0, y: 0, width: 595, height: 842 }
    const image = picture ? add(imageDictionary(picture), deflateSync(getSamples(picture))) : 0
    const drawn = [
      ...(picture ? [`q ${width} 0 0 ${height} ${x} ${y} cm /Im Do Q`] : []),
      ...boxes.map(({ x, y, width, height }) => `${x} ${y} ${width} ${height} re f`),
      getText(lines),
      ...placed.map(placeText),
    ]
    const content = add("", Buffer.from(drawn.join("\n"), "latin1"))
    const pictures = picture ? `/XObject << /Im ${image} 0 R >>` : ""
    const resources = `<< /Font << /F ${font} 0 R >> ${pictures} >>`
    const added = annotations.map((dictionary) => add(`<< /Type /Annot ${dictionary} >>`))
    fields.push(...added.filter((_, index) => annotations[index]?.includes("/Widget")))
    const annots = added.length > 0 ? `/Annots [${refer(added)}]` : ""
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate ${rotate} /Resources ${resources} /Contents ${content} 0 R ${annots} >>`,
    )
  })
  const form = fields.length > 0 ? `/AcroForm << /Fields [${refer(fields)}] >>` : ""
  objects[0] = Buffer.from(`<< /Type /Catalog /Pages 2 0 R ${form} >>`)
  objects[1] = Buffer.from(`<< /Type /Pages /Count ${kids.length} /Kids [${refer(kids)}] >>`)
  const information = created === undefined ? "" : `/Info ${add(`<< /CreationDate (${created}) >>`)} 0 R`
  return assemble(objects, catalog, information)
}

const isGreyImage = ({ width, height, pixels }: GreyImage | ColourImage): boolean =>
  pixels.length === width * height

/** The bytes of a picture as a PDF stores them, without opacity. */
const getSamples = (picture: GreyImage | ColourImage): Uint8Array =>
  isGreyImage(picture) ? picture.pixels : picture.pixels.filter((_, index) => index % 4 !== 3)

function imageDictionary(picture: GreyImage | ColourImage): string {
  const { width, height } = picture
  return `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /${isGreyImage(picture) ? "DeviceGray" : "DeviceRGB"} /BitsPerComponent 8 /Filter /FlateDecode`
}

const refer = (objects: readonly number[]) => objects.map((object) => `${object} 0 R`).join(" ")

const escapeText = (text: string) => text.replace(/[\\()]/g, "\\$&")

const directions = { 0: "1 0 0 1", 90: "0 1 -1 0", 180: "-1 0 0 -1", 270: "0 -1 1 0" }

const placeText = ({ text, x, y, size = 11, angle = 0 }: PlacedText) =>
  `BT /F ${size} Tf ${directions[angle]} ${x} ${y} Tm (${escapeText(text)}) Tj ET`

function getText(lines: NonNullable<PageSpec["lines"]>): string {
  let height = 800
  return lines
    .map(({ text, size = 11 }) => {
      height -= size * 1.3
      return `BT /F ${size} Tf 60 ${height} Td (${escapeText(text)}) Tj ET`
    })
    .join("\n")
}

function assemble(objects: readonly Buffer[], catalog: number, information = ""): Buffer {
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
  push(
    Buffer.from(
      `trailer\n<< /Size ${count} /Root ${catalog} 0 R ${information} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

const padding = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex")
const padded = (password: string) => Buffer.concat([Buffer.from(password, "latin1"), padding]).subarray(0, 32)
const md5 = (...parts: Buffer[]) => createHash("md5").update(Buffer.concat(parts)).digest()

const rc4 = (key: Buffer, data: Buffer) => xor(Buffer.from(data), rc4Stream(key, data.length))

/** Creates a PDF with one line that opens only with a password (RC4 with 40 bits, as in the first encrypted PDFs). */
export function makeEncryptedPdf(line: string, password: string): Buffer {
  const id = Buffer.alloc(16, 7)
  const rights = Buffer.from([0xfc, 0xff, 0xff, 0xff])
  const owner = rc4(md5(padded(password)).subarray(0, 5), padded(password))
  const key = md5(padded(password), owner, rights, id).subarray(0, 5)
  const user = rc4(key, padding)
  const content = 4
  const stream = rc4(
    md5(key, Buffer.from([content, 0, 0, 0, 0])).subarray(0, 10),
    Buffer.from(`BT /F 11 Tf 60 700 Td (${line}) Tj ET`, "latin1"),
  )
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R >>",
    Buffer.concat([
      Buffer.from(`<< /Length ${stream.length} >>\nstream\n`),
      stream,
      Buffer.from("\nendstream"),
    ]),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${owner.toString("hex")}> /U <${user.toString("hex")}> >>`,
  ]
  const parts = [Buffer.from("%PDF-1.4\n")]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from("\nendobj\n"),
    ])
    offsets.push(length)
    parts.push(part)
    length += part.length
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const hexId = `<${id.toString("hex")}>`
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Encrypt 6 0 R /ID [${hexId} ${hexId}] >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}
