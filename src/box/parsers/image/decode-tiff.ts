import UTIF from "utif2"
import type { IFD } from "utif2"
import type { GreyImage } from "../ocr/grey-image.ts"
import { ParseFailure } from "../parser.ts"
import { greyOf } from "./decode-bmp.ts"

const thumbnail = 1

/** The pages of a TIFF, decoded when asked for. Throws `ParseFailure` when there are none. */
export function tiffPages(bytes: Uint8Array, maxPixels: number): (() => GreyImage)[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const directories = orDamaged(() => UTIF.decode(file))
  const pages = directories.filter(
    (page) => numberAt(page, "t256") > 0 && !(numberAt(page, "t254") & thumbnail),
  )
  if (pages.length === 0) throw new ParseFailure("This TIFF is damaged: it holds no picture.")
  return pages.map((page) => () => {
    if (numberAt(page, "t256") * numberAt(page, "t257") > maxPixels) {
      throw new ParseFailure("A picture in this TIFF is too large for OCR.")
    }
    return orDamaged(() => {
      UTIF.decodeImage(file, page)
      return toGrey(page)
    })
  })
}

function toGrey(page: IFD): GreyImage {
  const { width, height } = page
  const colours = UTIF.toRGBA8(page)
  const pixels = new Uint8Array(width * height)
  for (let index = 0, at = 0; index < pixels.length; index++, at += 4) {
    pixels[index] = greyOf(colours[at] ?? 0, colours[at + 1] ?? 0, colours[at + 2] ?? 0)
  }
  page.data = new Uint8Array() // the decoder keeps what it decoded
  return { width, height, pixels }
}

function numberAt(page: IFD, tag: string): number {
  const value = page[tag]
  return Array.isArray(value) && typeof value[0] === "number" ? value[0] : 0
}

/** The decoder trusts what it reads, and fails in many ways on damage. */
function orDamaged<T>(decode: () => T): T {
  try {
    return decode()
  } catch {
    throw new ParseFailure("This TIFF is damaged, or compressed in a way that can't be read.")
  }
}
