import { createMemoryFile } from "../document/document-file.ts"
import type { GreyImage } from "../ocr/page-recognition.ts"
import { PdfDocument } from "../pdf/pdf-document.ts"
import { makePdf } from "./make-pdf.ts"

/** Creates an image of these lines in large letters, as from a scanner. */
export async function drawPicture(...lines: readonly string[]): Promise<GreyImage> {
  const pdf = makePdf([{ lines: lines.map((text) => ({ text, size: 24 })) }])
  using document = await PdfDocument.open(createMemoryFile(pdf))
  using page = document.page(1)
  if (!page) throw new Error("the page can't be opened")
  return page.render(100, 10_000_000)
}

/** Rotates an image clockwise by 90°. */
export function quarterTurn({ width, height, pixels }: GreyImage): GreyImage {
  const turned = new Uint8Array(pixels.length)
  let at = 0
  for (let column = 0; column < width; column++) {
    for (let row = height - 1; row >= 0; row--) turned[at++] = pixels[row * width + column] ?? 0
  }
  return { width: height, height: width, pixels: turned }
}

/** Encodes an image as a Windows bitmap with 24 bits per pixel. */
export function encodeBmp({ width, height, pixels }: GreyImage): Buffer {
  const stride = Math.ceil((width * 3) / 4) * 4
  const bytes = Buffer.alloc(54 + stride * height)
  bytes.write("BM")
  bytes.writeUInt32LE(54, 10)
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(width, 18)
  bytes.writeInt32LE(-height, 22)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      bytes.fill(
        pixels[row * width + column] ?? 0,
        54 + row * stride + column * 3,
        57 + row * stride + column * 3,
      )
    }
  }
  return bytes
}

/** Encodes images as the pages of an uncompressed TIFF with one byte per pixel. */
export function encodeTiff(...pages: readonly GreyImage[]): Buffer {
  const parts: Buffer[] = [Buffer.from("II*\0\0\0\0\0", "latin1")]
  let length = 8
  let link = 4
  for (const { width, height, pixels } of pages) {
    const tags = [
      [256, width],
      [257, height],
      [258, 8],
      [259, 1],
      [262, 1],
      [273, length],
      [277, 1],
      [278, height],
      [279, pixels.length],
    ] as const
    const directory = Buffer.alloc(2 + tags.length * 12 + 4)
    directory.writeUInt16LE(tags.length, 0)
    for (const [index, [tag, value]] of tags.entries()) {
      directory.writeUInt16LE(tag, 2 + index * 12)
      directory.writeUInt16LE(4, 4 + index * 12)
      directory.writeUInt32LE(1, 6 + index * 12)
      directory.writeUInt32LE(value, 10 + index * 12)
    }
    parts.push(Buffer.from(pixels), directory)
    const whole = Buffer.concat(parts)
    whole.writeUInt32LE(length + pixels.length, link)
    link = whole.length - 4
    length = whole.length
    parts.splice(0, parts.length, whole)
  }
  return Buffer.concat(parts)
}
