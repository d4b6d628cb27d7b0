import type { GreyImage } from "../ocr/grey-image.ts"
import { PdfiumBuffer } from "./pdfium.ts"
import type { Pdfium } from "./pdfium.ts"

/** A line of text with the box of its first character, in points from the bottom left of the page. */
export interface PageLine {
  text: string
  left: number
  top: number
  bottom: number
}

const flattened = 1
const image = 3
const form = 5
const greyBitmap = 1
const drawAnnotations = 0x01
const pointsPerInch = 72
const maxObjects = 10_000
const maxFormDepth = 4

/** An open page. What people filled into its form fields is part of its text. */
export class PdfPage implements Disposable {
  readonly #pdfium: Pdfium
  readonly #handle: number

  static open(pdfium: Pdfium, document: number, index: number): PdfPage | undefined {
    const { functions } = pdfium
    let handle = functions.FPDF_LoadPage(document, index)
    if (handle === 0) return undefined
    // PDFium finds text in the page's own content only: form fields and notes are made a part of it
    if (functions.FPDFPage_GetAnnotCount(handle) > 0 && functions.FPDFPage_Flatten(handle, 0) === flattened) {
      functions.FPDF_ClosePage(handle)
      handle = functions.FPDF_LoadPage(document, index)
      if (handle === 0) return undefined
    }
    return new PdfPage(pdfium, handle)
  }

  private constructor(pdfium: Pdfium, handle: number) {
    this.#pdfium = pdfium
    this.#handle = handle
  }

  /** The lines in the order of the page's content, which is the reading order in nearly all files. */
  lines(): PageLine[] {
    const { functions, runtime } = this.#pdfium
    const textPage = functions.FPDFText_LoadPage(this.#handle)
    if (textPage === 0) return []
    using resources = new DisposableStack()
    resources.defer(() => functions.FPDFText_ClosePage(textPage))
    const box = resources.use(new PdfiumBuffer(runtime, 16))
    const lines: PageLine[] = []
    let index = 0
    for (const raw of this.#text(textPage).split("\r\n")) {
      const first = index + (/\S/.exec(raw)?.index ?? 0)
      const character = functions.FPDFText_GetCharIndexFromTextIndex(textPage, first)
      index += raw.length + 2
      const found = character >= 0 && functions.FPDFText_GetLooseCharBox(textPage, character, box.pointer)
      // FS_RECTF: left, top, right, bottom
      const [left, top, bottom] = found
        ? [box.view.getFloat32(0, true), box.view.getFloat32(4, true), box.view.getFloat32(12, true)]
        : [0, 0, 0]
      lines.push({ text: raw, left, top, bottom })
    }
    return lines
  }

  /** Whether pictures cover at least this share of the page. */
  hasImages(share: number): boolean {
    const { functions } = this.#pdfium
    const area = functions.FPDF_GetPageWidthF(this.#handle) * functions.FPDF_GetPageHeightF(this.#handle)
    return this.#imageArea() >= area * share
  }

  /** The page as a picture, coarser where it would have more than `maxPixels`. */
  render(dotsPerInch: number, maxPixels: number): GreyImage {
    const { functions, runtime } = this.#pdfium
    const width = functions.FPDF_GetPageWidthF(this.#handle)
    const height = functions.FPDF_GetPageHeightF(this.#handle)
    const scale = Math.min(dotsPerInch / pointsPerInch, Math.sqrt(maxPixels / (width * height)))
    const columns = Math.max(1, Math.floor(width * scale))
    const rows = Math.max(1, Math.floor(height * scale))
    using pixels = new PdfiumBuffer(runtime, columns * rows)
    const bitmap = functions.FPDFBitmap_CreateEx(columns, rows, greyBitmap, pixels.pointer, columns)
    if (bitmap === 0) throw new Error("PDFium has no memory left for a page")
    try {
      functions.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, 0xff_ff_ff_ff)
      functions.FPDF_RenderPageBitmap(bitmap, this.#handle, 0, 0, columns, rows, 0, drawAnnotations)
      const { pointer } = pixels
      const grey = runtime.HEAPU8.slice(pointer, pointer + columns * rows)
      return { width: columns, height: rows, pixels: grey }
    } finally {
      functions.FPDFBitmap_Destroy(bitmap)
    }
  }

  [Symbol.dispose](): void {
    this.#pdfium.functions.FPDF_ClosePage(this.#handle)
  }

  #text(textPage: number): string {
    const { functions, runtime } = this.#pdfium
    const count = functions.FPDFText_CountChars(textPage)
    if (count <= 0) return ""
    using buffer = new PdfiumBuffer(runtime, (count + 1) * 2)
    const written = functions.FPDFText_GetText(textPage, 0, count, buffer.pointer)
    const { view } = buffer
    const length = Math.max(0, written - 1) * 2
    return Buffer.from(view.buffer, view.byteOffset, length).toString("utf16le")
  }

  #imageArea(): number {
    const { functions, runtime } = this.#pdfium
    using bounds = new PdfiumBuffer(runtime, 16)
    let area = 0
    const count = Math.min(functions.FPDFPage_CountObjects(this.#handle), maxObjects)
    for (let index = 0; index < count; index++) {
      const object = functions.FPDFPage_GetObject(this.#handle, index)
      if (!this.#holdsImage(object, maxFormDepth)) continue
      const { pointer } = bounds
      if (!functions.FPDFPageObj_GetBounds(object, pointer, pointer + 4, pointer + 8, pointer + 12)) continue
      const [left = 0, bottom = 0, right = 0, top = 0] = [0, 4, 8, 12].map((at) =>
        bounds.view.getFloat32(at, true),
      )
      area += (right - left) * (top - bottom)
    }
    return area
  }

  #holdsImage(object: number, depth: number): boolean {
    const { functions } = this.#pdfium
    const type = functions.FPDFPageObj_GetType(object)
    if (type !== form || depth === 0) return type === image
    const count = Math.min(functions.FPDFFormObj_CountObjects(object), maxObjects)
    for (let index = 0; index < count; index++) {
      if (this.#holdsImage(functions.FPDFFormObj_GetObject(object, index), depth - 1)) return true
    }
    return false
  }
}
