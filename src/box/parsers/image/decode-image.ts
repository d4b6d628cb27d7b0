import UTIF from "utif2"
import type { IFD } from "utif2"
import { toGreyLevel, type GreyImage } from "../ocr/page-recognition.ts"
import type { ColourImage } from "../pages/encode-png.ts"
import { failure } from "../parser.ts"

const uncompressed = 0
const bitFields = 3
const fileHeader = 14

/** Decodes an uncompressed bitmap with 1, 4, 8, 24 or 32 bits per pixel. Throws `ParseFailure` for others and for damaged ones. */
export function decodeBmp(bytes: Uint8Array, maxPixels: number): GreyImage {
  try {
    return decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), maxPixels)
  } catch (error) {
    if (error instanceof RangeError) throw failure("bitmap_damaged")
    throw error
  }
}

function decode(bytes: Buffer, maxPixels: number): GreyImage {
  const start = bytes.readUInt32LE(10)
  const headerSize = bytes.readUInt32LE(14)
  if (headerSize < 40) throw failure("bitmap_of_os2")
  const width = bytes.readInt32LE(18)
  const signedHeight = bytes.readInt32LE(22)
  const height = Math.abs(signedHeight)
  const depth = bytes.readUInt16LE(28)
  const compression = bytes.readUInt32LE(30)
  const isPlain = compression === uncompressed || (compression === bitFields && depth === 32)
  if (!isPlain || ![1, 4, 8, 24, 32].includes(depth)) {
    throw failure("bitmap_compressed")
  }
  if (width <= 0 || width * height > maxPixels) throw failure("bitmap_damaged_or_too_large")

  const brightness = depth <= 8 ? getPalette(bytes, fileHeader + headerSize, depth) : undefined
  const stride = Math.ceil((width * depth) / 32) * 4
  const pixels = new Uint8Array(width * height)
  for (let row = 0; row < height; row++) {
    // The bottom row comes first, unless the height is negative.
    const line = start + (signedHeight > 0 ? height - 1 - row : row) * stride
    if (line + stride > bytes.length) throw new RangeError("a row is missing")
    for (let column = 0; column < width; column++) {
      const bit = column * depth
      const at = line + (bit >> 3)
      pixels[row * width + column] = brightness
        ? (brightness[((bytes[at] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1)] ?? 0)
        : toGreyLevel(bytes[at + 2] ?? 0, bytes[at + 1] ?? 0, bytes[at] ?? 0)
    }
  }
  return { width, height, pixels }
}

function getPalette(bytes: Buffer, start: number, depth: number): number[] {
  const declared = bytes.readUInt32LE(46)
  const count = declared > 0 && declared <= 2 ** depth ? declared : 2 ** depth
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * 4
    return toGreyLevel(bytes.readUInt8(at + 2), bytes.readUInt8(at + 1), bytes.readUInt8(at))
  })
}

const thumbnail = 1

export interface TiffPage {
  width: number
  height: number
  /** Red, green, blue and opacity. */
  decode(): ColourImage
}

/** Returns the pages of a TIFF in grey, for OCR. Throws `ParseFailure` when there are none. */
export const tiffPages = (bytes: Uint8Array, maxPixels: number): (() => GreyImage)[] =>
  tiffColours(bytes, maxPixels).map(
    ({ decode }) =>
      () =>
        toGrey(decode()),
  )

/** Returns the pages of a TIFF, which are decoded on request. Throws `ParseFailure` when there are none. */
export function tiffColours(bytes: Uint8Array, maxPixels: number): TiffPage[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const directories = orDamaged(() => UTIF.decode(file))
  const pages = directories.filter(
    (page) => numberAt(page, "t256") > 0 && !(numberAt(page, "t254") & thumbnail),
  )
  if (pages.length === 0) throw failure("tiff_empty")
  return pages.map((page) => {
    const [width, height] = [numberAt(page, "t256"), numberAt(page, "t257")]
    return {
      width,
      height,
      decode() {
        if (width * height > maxPixels) throw failure("tiff_too_large")
        return orDamaged(() => {
          UTIF.decodeImage(file, page)
          const colours = { width: page.width, height: page.height, pixels: UTIF.toRGBA8(page) }
          page.data = new Uint8Array() // Frees the decoded data, which the decoder would keep.
          return colours
        })
      },
    }
  })
}

function toGrey({ width, height, pixels: colours }: ColourImage): GreyImage {
  const pixels = new Uint8Array(width * height)
  for (let index = 0, at = 0; index < pixels.length; index++, at += 4) {
    pixels[index] = toGreyLevel(colours[at] ?? 0, colours[at + 1] ?? 0, colours[at + 2] ?? 0)
  }
  return { width, height, pixels }
}

function numberAt(page: IFD, tag: string): number {
  const value = page[tag]
  return Array.isArray(value) && typeof value[0] === "number" ? value[0] : 0
}

/** The decoder trusts its input and fails in many ways if it is damaged. */
function orDamaged<T>(decode: () => T): T {
  try {
    return decode()
  } catch {
    throw failure("tiff_damaged")
  }
}
