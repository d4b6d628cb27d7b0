import { inflateSync } from "node:zlib"
import type { ScannedPage } from "./page-recognition.ts"

/** An image with one byte per pixel, row by row from the top; 0 is black. */
export interface GreyImage {
  width: number
  height: number
  pixels: Uint8Array
}

/** Encodes an image as a PGM file, the simplest format that Tesseract reads. */
export function encodePgm({ width, height, pixels }: GreyImage): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels])
}

/** Decodes a file from `encodePgm`; returns undefined for any other. */
export function decodePgm(bytes: Uint8Array): GreyImage | undefined {
  const header = /^P5\n(\d+) (\d+)\n255\n/.exec(Buffer.from(bytes.subarray(0, 40)).toString("latin1"))
  if (!header) return undefined
  return { width: Number(header[1]), height: Number(header[2]), pixels: bytes.subarray(header[0].length) }
}

/** Decodes a PNG with one or eight bits of grey, not interlaced, as created by Tesseract. */
export function decodeGreyPng(png: Buffer): GreyImage {
  const [width, height, bits] = [png.readUInt32BE(16), png.readUInt32BE(20), png.readUInt8(24)]
  if ((bits !== 1 && bits !== 8) || png.readUInt8(25) !== 0) throw new Error("This PNG isn't grey.")
  const parts: Buffer[] = []
  for (let at = 8; at + 8 <= png.length; at += png.readUInt32BE(at) + 12) {
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(data)
  }
  const rowBytes = Math.ceil((width * bits) / 8)
  const filtered = inflateSync(Buffer.concat(parts), { maxOutputLength: (rowBytes + 1) * height })
  const bytes = unfilter(filtered, rowBytes, height)
  if (bits === 8) return { width, height, pixels: bytes }
  const pixels = new Uint8Array(width * height)
  for (let row = 0, at = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const packed = bytes[row * rowBytes + (column >> 3)] ?? 0
      pixels[at++] = (packed >> (7 - (column & 7))) & 1 ? 255 : 0
    }
  }
  return { width, height, pixels }
}

function unfilter(filtered: Uint8Array, rowBytes: number, height: number): Uint8Array {
  const bytes = new Uint8Array(rowBytes * height)
  for (let row = 0, at = 0; row < height; row++) {
    const filter = filtered[row * (rowBytes + 1)]
    for (let column = 0; column < rowBytes; column++, at++) {
      const left = column > 0 ? (bytes[at - 1] ?? 0) : 0
      const above = row > 0 ? (bytes[at - rowBytes] ?? 0) : 0
      const corner = column > 0 && row > 0 ? (bytes[at - rowBytes - 1] ?? 0) : 0
      bytes[at] = (filtered[at + row + 1] ?? 0) + predicted(filter, left, above, corner)
    }
  }
  return bytes
}

/** Returns the value that a PNG row filter (RFC 2083, 6) predicts for a pixel from the previous ones. */
function predicted(filter: number | undefined, left: number, above: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  if (filter !== 4) return 0
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)]
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}

/** Prepares an image for OCR without rotating it. */
export const toScannedPage = (picture: GreyImage): ScannedPage => ({
  image: encodePgm(picture),
  width: picture.width,
  height: picture.height,
})
