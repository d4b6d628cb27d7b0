import { crc32, deflateSync } from "node:zlib"

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const eightBits = 8
const trueColour = 2
/** Compression level. Most of a page is usually white, so a higher level hardly reduces its size. */
const effort = 3

/** An image with four bytes per pixel, row by row from the top. */
export interface ColourImage {
  width: number
  height: number
  pixels: Uint8Array
}

/** Encodes an image as PNG (RFC 2083). `channels` names its byte order; opacity is left out. */
export function encodePng({ width, height, pixels }: ColourImage, channels: "rgba" | "bgra"): Buffer {
  const [red, blue] = channels === "rgba" ? [0, 2] : [2, 0]
  const rows = Buffer.alloc(height * (width * 3 + 1)) // Each row starts with its filter, which is none.
  let to = 0
  let from = 0
  for (let row = 0; row < height; row++) {
    to++
    for (let column = 0; column < width; column++, from += 4) {
      rows[to++] = pixels[from + red] ?? 0
      rows[to++] = pixels[from + 1] ?? 0
      rows[to++] = pixels[from + blue] ?? 0
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = eightBits
  header[9] = trueColour
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: effort })),
    chunk("IEND", Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
