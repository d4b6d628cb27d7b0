import { inflateSync } from "node:zlib"
import { reason } from "../../../shared/contract/file-reasons.ts"
import type { PageArea } from "../../../shared/contract/location.ts"
import { ParseFailure, type Block, type ParseContext, OcrNeeded } from "../parser.ts"

/** Stored with every piece of text, so it has only as many digits as a screen can show. */
const share = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000

/** Returns the area with these opposite corners, as fractions of the page, clipped to the page. */
export function areaBetween([x1, y1]: [number, number], [x2, y2]: [number, number]): PageArea {
  const [left, right] = [share(Math.min(x1, x2)), share(Math.max(x1, x2))]
  const [top, bottom] = [share(Math.min(y1, y2)), share(Math.max(y1, y2))]
  return { left, top, width: share(right - left), height: share(bottom - top) }
}

/** Returns the smallest area that contains both. */
export function mergeAreas(a: PageArea | undefined, b: PageArea | undefined): PageArea | undefined {
  if (!a || !b) return a ?? b
  return areaBetween(
    [Math.min(a.left, b.left), Math.min(a.top, b.top)],
    [Math.max(a.left + a.width, b.left + b.width), Math.max(a.top + a.height, b.top + b.height)],
  )
}

/** An image with one byte per pixel, row by row from the top; 0 is black. */
export interface GreyImage {
  width: number
  height: number
  pixels: Uint8Array
}

/** Returns the brightness, with the colour weights of ITU-R BT.601. */
export function toGreyLevel(red: number, green: number, blue: number): number {
  return (red * 77 + green * 150 + blue * 29) >> 8
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

/** An image in a format that Tesseract reads, and its size as displayed, in pixels. */
export interface ScannedPage {
  image: Uint8Array
  width: number
  height: number
}

/** More pixels than an A4 page at 600 dots per inch. Tesseract needs about 10 bytes per pixel. */
export const maxPixels = 40_000_000

const maxPages = 1000
const maxMs = 30 * 60_000

/** OCR of the pages of one document, within limits, and the notes about it. */
export class PageRecognition {
  readonly #context: ParseContext
  #tried = 0
  #legible = 0
  #failed = 0
  #failure: ParseFailure | undefined
  #leftOut = 0
  #spentMs = 0

  constructor(context: ParseContext) {
    this.#context = context
  }

  /** Returns the paragraphs of a page. Throws `OcrNeeded` if OCR isn't allowed. */
  async read(render: () => ScannedPage): Promise<Pick<Block, "text" | "area">[]> {
    const { ocr } = this.#context
    if (!ocr) throw new OcrNeeded()
    if (this.#tried >= maxPages || this.#spentMs > maxMs) {
      this.#leftOut++
      return []
    }
    this.#tried++
    const started = performance.now()
    try {
      const { image, width, height } = render()
      const paragraphs = await ocr.recognize(image)
      if (paragraphs.length > 0) this.#legible++
      return paragraphs.map(({ text, area }) => {
        if (!area) return { text }
        const { left, top } = area
        const end: [number, number] = [(left + area.width) / width, (top + area.height) / height]
        return { text, area: areaBetween([left / width, top / height], end) }
      })
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error
      this.#failed++
      this.#failure = error
      return []
    } finally {
      this.#spentMs += performance.now() - started
    }
  }

  /** Adds notes on what OCR could and couldn't read. Throws `ParseFailure` when no page of the document could be read. */
  conclude(pageCount: number): void {
    if (this.#failure && this.#failed === pageCount) throw this.#failure
    const note = (
      code: "pages_by_ocr" | "pages_unread_by_ocr" | "pages_without_ocr",
      pages: number,
    ): void => {
      if (pages > 0) this.#context.note(reason(code, { pages, count: pageCount }))
    }
    note("pages_by_ocr", this.#legible)
    note("pages_unread_by_ocr", this.#failed)
    note("pages_without_ocr", this.#leftOut)
  }
}
