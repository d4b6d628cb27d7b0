import { reason } from "../../../shared/contract/file-reasons.ts"
import { toScannedPage } from "../ocr/grey-image.ts"
import { maxPixels, PageRecognition } from "../ocr/page-recognition.ts"
import { failure } from "../parser.ts"
import type { Block, Parser, Scan } from "../parser.ts"
import { PageOutline } from "../pdf/page-outline.ts"
import { PdfDocument } from "../pdf/pdf-document.ts"
import type { PdfPage } from "../pdf/pdf-page.ts"

const maxPages = 20_000
/** Timeout for reading text, in ms. Text read before it is kept. Time spent waiting for OCR or for the reader isn't included. */
const maxMs = 45_000

const scanResolution = 300
/** A page with fewer letters and digits than this, and images on at least this fraction of it, is a scan. */
const fewCharacters = 20
const pictureShare = 0.05

/** Reads PDF files page by page: text and form fields, and scanned pages by OCR. */
export const pdf: Parser = {
  async *parse({ file, scan, password }, context) {
    using document = await PdfDocument.open(file, password)
    const { pageCount } = document
    if (pageCount === 0) throw failure("no_pages")
    const recognition = new PageRecognition(context)
    if (scan) return yield* readScan(document, scan.page, recognition)
    const outline = new PageOutline()
    const left: Scan[] = []
    let missing = 0
    let spentMs = 0
    let number = 1
    for (; number <= Math.min(pageCount, maxPages) && spentMs < maxMs; number++) {
      const started = performance.now()
      using page = document.page(number)
      const blocks = page ? readPage(page, number, outline) : []
      spentMs += performance.now() - started
      if (!page) missing++
      else if (!isScan(blocks, page)) yield* blocks
      else if (context.leaveScans) {
        left.push({ page: number })
        yield* blocks
      } else {
        const paragraphs = await recognition.read(() => picture(page))
        yield* paragraphs.length > 0 ? recognised(paragraphs, number) : blocks
      }
    }
    if (missing * 2 >= number - 1) {
      throw failure("pdf_pages_damaged", { pages: missing, count: pageCount })
    }
    if (missing > 0) context.note(reason("pages_left_out", { pages: missing, count: pageCount }))
    if (number <= pageCount) context.note(reason("pages_not_read", { pages: number - 1, count: pageCount }))
    recognition.conclude(pageCount)
    if (left.length > 0) context.leaveScans?.({ scans: left, pageCount })
  },
}

async function* readScan(
  document: PdfDocument,
  number: number,
  recognition: PageRecognition,
): AsyncGenerator<Block, void, undefined> {
  using page = document.page(number)
  if (!page) throw failure("page_damaged", { page: number })
  yield* recognised(await recognition.read(() => picture(page)), number)
  recognition.conclude(1)
}

const picture = (page: PdfPage) => toScannedPage(page.render(scanResolution, maxPixels))

function readPage(page: PdfPage, number: number, outline: PageOutline): Block[] {
  return [...outline.blocks(page.lines(), number)]
}

function isScan(blocks: readonly Block[], page: PdfPage): boolean {
  let legible = 0
  for (const { text } of blocks) {
    legible += text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
    if (legible >= fewCharacters) return false
  }
  return page.hasImages(pictureShare)
}

function* recognised(
  paragraphs: readonly Pick<Block, "text" | "area">[],
  page: number,
): Generator<Block, void, undefined> {
  for (const paragraph of paragraphs) yield { kind: "paragraph", ...paragraph, location: { page } }
}
