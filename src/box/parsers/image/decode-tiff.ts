import UTIF from "utif2"
import type { IFD } from "utif2"
import type { GreyImage } from "../ocr/grey-image.ts"
import type { ColourImage } from "../pages/encode-png.ts"
import { failure } from "../parser.ts"
import { toGreyLevel } from "./decode-bmp.ts"

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
