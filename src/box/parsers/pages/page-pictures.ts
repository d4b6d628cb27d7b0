import { imageSize } from "image-size"
import { detectType } from "../document/detect-type.ts"
import { type DocumentFile, wholeOf } from "../document/document-file.ts"
import { tiffColours } from "../image/decode-tiff.ts"
import { failure, type ParseFailure, type OpenedInput, skipped } from "../parser.ts"
import { PdfDocument } from "../pdf/pdf-document.ts"
import { encodePng } from "./encode-png.ts"

/** How a page is shown: in points for a PDF, in pixels for a picture. Only the proportions matter. */
export interface PageSize {
  width: number
  height: number
}

export interface PagePicture {
  mediaType: string
  bytes: Uint8Array
}

/** Pages that are listed; a viewer of so many shows the first of them. */
const mostPages = 5_000
/** A picture is read whole. */
const maxBytes = 64 * 2 ** 20
/** Pixels of a page: four bytes each, and three more for the PNG. */
const maxPixels = 16_000_000
/** … and of a picture that the browser decodes, at once where it stands in a chat. */
const maxShownPixels = 50_000_000
/** What browsers show by themselves, by what `image-size` calls it. SVG isn't read as a picture, so it never gets here. */
const shownByBrowsers: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
}
/** From here on, the orientations of Exif turn a picture by a quarter. */
const lyingOnItsSide = 5

/** The pages of a PDF or a picture. Throws `ParseFailure`, `skipped` for formats that have none to show. */
export async function pageSizes(input: OpenedInput): Promise<PageSize[]> {
  if ((await formatOf(input)) === "pdf") {
    using document = await PdfDocument.open(input.file, input.password)
    return document.pageSizes(mostPages)
  }
  const bytes = await readPicture(input.file)
  if (isTiff(bytes)) return tiffColours(bytes, maxPixels).map(({ width, height }) => ({ width, height }))
  const { width, height, orientation = 1 } = describe(bytes)
  return [orientation >= lyingOnItsSide ? { width: height, height: width } : { width, height }]
}

/** A page, counted from 1, at most `width` pixels wide where it has to be drawn. Throws `ParseFailure`. */
export async function pagePicture(input: OpenedInput, number: number, width: number): Promise<PagePicture> {
  if ((await formatOf(input)) === "pdf") {
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

async function formatOf({ file, name }: OpenedInput): Promise<"pdf" | "image"> {
  const detection = await detectType(file, name)
  const format = "format" in detection ? detection.format.name : ""
  if (format === "pdf" || format === "image") return format
  throw skipped("pages_unknown")
}

async function readPicture(file: DocumentFile): Promise<Buffer> {
  if (file.size > maxBytes) throw failure("picture_too_large_to_show")
  return wholeOf(file)
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
