import { imageSize } from "image-size"
import { readWhole } from "../document/document-file.ts"
import { readExifDate } from "../document/document-properties.ts"
import { decodeBmp, tiffPages } from "../image/decode-image.ts"
import { toScannedPage, maxPixels, PageRecognition, type ScannedPage } from "../ocr/page-recognition.ts"
import { OcrNeeded, failure, type Parser } from "../parser.ts"

/** The whole file is held in memory, in addition to its pixels. */
const maxBytes = 256 * 2 ** 20

/** Reads the text in images, page by page if there are several. */
export const image: Parser = {
  async *parse({ file, scan }, context) {
    if (!context.ocr && !context.leaveScans) throw new OcrNeeded()
    if (file.size > maxBytes) throw failure("picture_too_large")
    const bytes = await readWhole(file)
    const pages = readPictures(bytes)
    context.describe({ date: readExifDate(bytes) })
    if (context.leaveScans) {
      context.leaveScans({ scans: pages.map((_, index) => ({ page: index + 1 })), pageCount: pages.length })
      return
    }
    const recognition = new PageRecognition(context)
    for (const [index, picture] of pages.entries()) {
      if (scan && scan.page !== index + 1) continue
      const location = pages.length > 1 ? { page: index + 1 } : {}
      for (const paragraph of await recognition.read(picture)) {
        yield { kind: "paragraph", ...paragraph, location }
      }
    }
    recognition.conclude(scan ? 1 : pages.length)
  },
}

/** Returns the images of a file in formats that Tesseract decodes, created on request. Throws `ParseFailure` if it isn't an image. */
export function readPictures(bytes: Buffer): (() => ScannedPage)[] {
  const start = bytes.toString("latin1", 0, 4)
  if (start === "II*\0" || start === "MM\0*") {
    return tiffPages(bytes, maxPixels).map((page) => () => toScannedPage(page()))
  }
  // Tesseract reads the other formats itself. Bitmaps are decoded here because tesseract.js turns every byte of a bitmap into an object's
  // property.
  if (start.startsWith("BM")) return [() => toScannedPage(decodeBmp(bytes, maxPixels))]
  const size = checkedSize(bytes)
  return [() => ({ image: bytes, ...size })]
}

/** Returns the size as displayed. Refuses an image by the size in its header, before anything is decoded. */
function checkedSize(bytes: Buffer): { width: number; height: number } {
  const { width, height, orientation = 1 } = getSize(bytes)
  const pixels = width * height
  if (pixels <= maxPixels)
    return orientation >= lyingOnItsSide ? { width: height, height: width } : { width, height }
  const millions = (count: number): number => Math.round(count / 1e6)
  throw failure("picture_too_many_pixels", { count: millions(pixels), most: millions(maxPixels) })
}

/** From this value on, Exif orientations rotate an image by 90°. */
const lyingOnItsSide = 5

function getSize(bytes: Buffer) {
  try {
    return imageSize(bytes)
  } catch {
    throw failure("picture_damaged")
  }
}
