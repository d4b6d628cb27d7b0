import { reason } from "../../../shared/contract/file-reasons.ts"
import { areaBetween } from "../document/page-area.ts"
import { ParseFailure, type Block, type ParseContext, OcrNeeded } from "../parser.ts"

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
