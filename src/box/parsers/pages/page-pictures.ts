import { imageSize } from "image-size"
import { detectType } from "../document/detect-type.ts"
import { type DocumentFile, readWhole } from "../document/document-file.ts"
import { tiffColours } from "../image/decode-image.ts"
import { failure, type ParseFailure, type OpenedInput, skipped } from "../parser.ts"
import { PdfDocument } from "../pdf/pdf-document.ts"
import { encodePng } from "./encode-png.ts"

/** Size of a page: in points for a PDF, in pixels for an image. Only the proportions matter. */
export interface PageSize {
  width: number
  height: number
}

export interface PagePicture {
  mediaType: string
  bytes: Uint8Array
}

/** Maximum pages listed. A viewer shows the first ones of a longer document. */
const maxPages = 5_000
/** Maximum size of an image file, because it is read as a whole. */
const maxBytes = 64 * 2 ** 20
/** Maximum pixels of a page. Each needs four bytes, and three more for the PNG. */
const maxPixels = 16_000_000
/** Maximum pixels of an image that the browser decodes, which happens as soon as it appears in a chat. */
const maxShownPixels = 50_000_000
/** Formats that browsers display, by their name in `image-size`. SVG isn't read as an image, so it never gets here. */
const shownByBrowsers: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
}
/** From this value on, Exif orientations rotate an image by 90°. */
const lyingOnItsSide = 5

/** Returns the page sizes of a PDF or an image. Throws `ParseFailure`, `skipped` for formats without pages to show. */
export async function pageSizes(input: OpenedInput): Promise<PageSize[]> {
  if ((await getFormat(input)) === "pdf") {
    using document = await PdfDocument.open(input.file, input.password)
    return document.pageSizes(maxPages)
  }
  const bytes = await readPicture(input.file)
  if (isTiff(bytes)) return tiffColours(bytes, maxPixels).map(({ width, height }) => ({ width, height }))
  const { width, height, orientation = 1 } = describe(bytes)
  return [orientation >= lyingOnItsSide ? { width: height, height: width } : { width, height }]
}

/** Returns a page, counted from 1. If it has to be rendered, it is at most `width` pixels wide. Throws `ParseFailure`. */
export async function pagePicture(input: OpenedInput, number: number, width: number): Promise<PagePicture> {
  if ((await getFormat(input)) === "pdf") {
    using document = await PdfDocument.open(input.file, input.password)
    using page = document.page(number)
    if (!page) throw missing()
    return { mediaType: "image/png", bytes: encodePng(page.renderColours(width, maxPixels), "bgra") }
  }
  const bytes = await readPicture(input.file)
  if (isTiff(bytes)) {
    const page = tiffColours(bytes, maxPixels)[number - 1]
    if (!page) throw missing()
    return { mediaType: "image/png", bytes: encodePng(page.decode(), "rgba") }
  }
  const { type = "", width: columns, height: rows } = describe(bytes)
  const mediaType = shownByBrowsers[type]
  if (number !== 1 || mediaType === undefined) throw missing()
  if (columns * rows > maxShownPixels) throw failure("picture_too_large_to_show")
  return { mediaType, bytes }
}

async function getFormat({ file, name }: OpenedInput): Promise<"pdf" | "image"> {
  const detection = await detectType(file, name)
  const format = "format" in detection ? detection.format.name : ""
  if (format === "pdf" || format === "image") return format
  throw skipped("pages_unknown")
}

async function readPicture(file: DocumentFile): Promise<Buffer> {
  if (file.size > maxBytes) throw failure("picture_too_large_to_show")
  return readWhole(file)
}

function isTiff(bytes: Buffer): boolean {
  const start = bytes.toString("latin1", 0, 4)
  return start === "II*\0" || start === "MM\0*"
}

function describe(bytes: Buffer) {
  try {
    return imageSize(bytes)
  } catch {
    throw failure("picture_damaged")
  }
}

function missing(): ParseFailure {
  return failure("page_missing")
}
