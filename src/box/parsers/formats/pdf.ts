import { reason } from "../../../shared/contract/file-reasons.ts"
import type { PageArea } from "../../../shared/contract/location.ts"
import { parseDocumentDate } from "../document/document-properties.ts"
import { encodePng } from "../pages/encode-png.ts"
import { encodePgm, mergeAreas, toScannedPage, maxPixels, PageRecognition } from "../ocr/page-recognition.ts"
import {
  maxBlockCharacters,
  type Block,
  failure,
  type ParseContext,
  type Parser,
  type PictureCollector,
  type Scan,
} from "../parser.ts"
import { recognisePicture } from "../pictures/read-picture.ts"
import { getLineHeight, hyphenation, type PageLine, PdfDocument, type PdfPage } from "../pdf/pdf-document.ts"
import { withoutRunningLines } from "../pdf/running-lines.ts"
import { looksLikeHeader, rowBlocks } from "../table/row-blocks.ts"
import { HeadingPath } from "../text/flow-outline.ts"
import { splitText } from "../text/split-text.ts"

/** Lines further apart than this, in line heights, belong to different paragraphs. */
const paragraphDistance = 1.75
/** Minimum height of a heading, relative to most letters of the page. */
const headingHeight = 1.15
const maxHeadingLength = 200

interface Paragraph {
  text: string
  height: number
  area: PageArea | undefined
  /** The cells of a table's row. */
  cells?: string[]
}

/** Finds the paragraphs and headings in the lines of successive pages. Sections continue from one page to the next. */
class PageOutline {
  readonly #headings = new HeadingPath();

  *blocks(lines: readonly PageLine[], page: number): Generator<Block, void, undefined> {
    const body = commonHeight(lines)
    let isTable = false
    for (const { text, height, area, cells } of paragraphs(lines)) {
      if (cells) {
        const kind = !isTable && looksLikeHeader(cells) ? "table-header" : "table-row"
        isTable = true
        const location = { page, ...this.#headings.location }
        for (const block of rowBlocks(kind, cells, location)) yield { ...block, ...(area && { area }) }
        continue
      }
      isTable = false
      const isHeading =
        height >= body * headingHeight && text.length <= maxHeadingLength && /\p{L}{2}/u.test(text)
      // Taller letters mean a higher heading level.
      if (isHeading) this.#headings.enter(-Math.round(height), text.replaceAll("\n", " "))
      const location = { page, ...this.#headings.location }
      for (const part of splitText(text, maxBlockCharacters)) {
        if (part.trim() === "") continue
        const kind = isHeading ? "heading" : "paragraph"
        yield { kind, text: part.trim(), location, ...(area && { area }) }
      }
    }
  }
}

function* paragraphs(lines: readonly PageLine[]): Generator<Paragraph, void, undefined> {
  let open: Paragraph = { text: "", height: 0, area: undefined }
  let previous: PageLine | undefined
  for (const line of lines) {
    const text = clean(line.text)
    if (line.cells) {
      if (open.text !== "") yield finish(open)
      open = { text: "", height: 0, area: undefined }
      previous = undefined
      const cells = line.cells.map((cell) => clean(cell).replaceAll(hyphenation, "").trim())
      yield { text, height: getLineHeight(line), area: line.area, cells }
      continue
    }
    if (text.trim() === "") {
      previous = undefined
      continue
    }
    if (!previous || startsParagraph(previous, line)) {
      if (open.text !== "") yield finish(open)
      open = { text: "", height: getLineHeight(line), area: undefined }
    }
    const isHyphenated = continuesWord(open.text, text)
    open.text = isHyphenated ? open.text.slice(0, -1) + text.trimStart() : `${open.text}\n${text}`
    open.area = mergeAreas(open.area, line.area)
    previous = line
  }
  if (open.text !== "") yield finish(open)
}

/** Whether a word is split between two lines. PDFium marks this only in the order in which the page is drawn. */
const continuesWord = (text: string, next: string): boolean =>
  text.endsWith(hyphenation) || (/\p{L}-$/u.test(text) && /^\p{Ll}/u.test(next))

function startsParagraph(previous: PageLine, line: PageLine): boolean {
  if (continuesWord(previous.text, line.text)) return false
  const height = Math.max(getLineHeight(previous), getLineHeight(line))
  const distance = previous.bottom - line.bottom
  if (Math.abs(distance) < height / 2) return false
  const resized = Math.abs(getLineHeight(previous) - getLineHeight(line)) > height * 0.12
  return resized || distance < 0 || distance > height * paragraphDistance
}

function finish({ text, ...rest }: Paragraph): Paragraph {
  return { text: text.replaceAll(hyphenation, "").trim(), ...rest }
}

/** Removes soft hyphens and control characters, and replaces ligatures with their letters. */
function clean(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\u00ad]/gu, "")
    .replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize("NFKC"))
    .trimEnd()
}

/** Returns the height, in steps of half a point, of most characters on a page. */
function commonHeight(lines: readonly PageLine[]): number {
  const characters = new Map<number, number>()
  for (const line of lines) {
    const height = Math.round(getLineHeight(line) * 2) / 2
    characters.set(height, (characters.get(height) ?? 0) + line.text.trim().length)
  }
  let [common, most] = [0, 0]
  for (const [height, count] of characters) if (count > most) [common, most] = [height, count]
  return common
}

const maxPages = 20_000
/** Timeout for reading text, in ms. Text read before it is kept. Time spent waiting for OCR or for the reader isn't included. */
const maxMs = 45_000

const scanResolution = 300
/** A page with fewer letters and digits than this, and images on at least this fraction of it, is a scan. */
const fewCharacters = 20
const pictureShare = 0.05
/** So is a page with fewer than this and images on most of it: its text is a stamp or a number. */
const stampCharacters = 150
const scanShare = 0.6

/** Reads PDF files page by page: text and form fields, and scanned pages by OCR. */
export const pdf: Parser = {
  async *parse({ file, scan, password }, context) {
    using document = await PdfDocument.open(file, password)
    const { pageCount } = document
    if (pageCount === 0) throw failure("no_pages")
    context.describe({ date: parseDocumentDate(document.property("CreationDate")) })
    const recognition = new PageRecognition(context)
    if (scan?.picture !== undefined) return yield* readPagePicture(document, scan.picture, context)
    if (scan) return yield* readScan(document, scan.page, recognition)
    const outline = new PageOutline()
    const left: Scan[] = []
    const read = { pages: 0, missing: 0 }
    let unreadable = 0
    for (const { number, lines, isUnreadable, isScan } of withoutRunningLines(readPages(document, read))) {
      const written = isUnreadable ? [] : outline.blocks(lines, number)
      if (!isUnreadable && !isScan) {
        yield* written
        if (context.pictures) yield* pagePictures(document, number, context.pictures)
      } else if (context.leaveScans) {
        left.push({ page: number })
        yield* written
      } else {
        using page = document.page(number)
        const paragraphs = page ? await recognition.read(() => picture(page)) : []
        yield* addRecognised([...written], recognised(paragraphs, number))
        if (isUnreadable && paragraphs.length === 0) unreadable++
      }
    }
    const { pages, missing } = read
    if (missing * 2 >= pages) {
      throw failure("pdf_pages_damaged", { pages: missing, count: pageCount })
    }
    if (unreadable > 0) context.note(reason("pages_not_legible", { pages: unreadable, count: pageCount }))
    if (missing > 0) context.note(reason("pages_left_out", { pages: missing, count: pageCount }))
    if (pages < pageCount) context.note(reason("pages_not_read", { pages, count: pageCount }))
    recognition.conclude(pageCount)
    if (left.length > 0) context.leaveScans?.({ scans: left, pageCount })
  },
}

/** Yields blocks for the pictures of a page. Their keys are the page and their place in it. */
async function* pagePictures(
  document: PdfDocument,
  number: number,
  collector: PictureCollector,
): AsyncGenerator<Block, void, undefined> {
  using page = document.page(number)
  for (const { path, width, height, area, load } of page?.pictures() ?? []) {
    yield* collector.see({
      key: `${number}:${path}`,
      location: { page: number },
      ...(area && { area }),
      size: { width, height },
      load: (maxBytes) => Promise.resolve(load(maxBytes)),
    })
  }
}

async function* readPagePicture(
  document: PdfDocument,
  key: string,
  context: ParseContext,
): AsyncGenerator<Block, void, undefined> {
  const [number = "", path = ""] = key.split(":")
  using page = document.page(Number(number))
  if (context.ocr?.colourSide !== undefined) {
    const picture = page?.colourPicture(path, maxPixels, context.ocr.colourSide)
    if (!picture) throw failure("picture_damaged")
    return yield* recognisePicture(encodePng(picture, "rgba"), context)
  }
  const picture = page?.picture(path, maxPixels)
  if (!picture) throw failure("picture_damaged")
  yield* recognisePicture(encodePgm(picture), context)
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

interface ReadPage {
  number: number
  lines: PageLine[]
  /** Whether what the lines say is no text. */
  isUnreadable: boolean
  isScan: boolean
}

/** Yields the pages that aren't damaged, and counts those it has tried to read. */
function* readPages(
  document: PdfDocument,
  count: { pages: number; missing: number },
): Generator<ReadPage, void, undefined> {
  let spentMs = 0
  while (count.pages < Math.min(document.pageCount, maxPages) && spentMs < maxMs) {
    const started = performance.now()
    const number = ++count.pages
    using page = document.page(number)
    if (page) {
      const text = page.read()
      const scan = isScan(text.lines, page)
      spentMs += performance.now() - started
      yield { number, ...text, isScan: scan }
    } else count.missing++
  }
}

function isScan(lines: readonly PageLine[], page: PdfPage): boolean {
  let legible = 0
  for (const { text } of lines) {
    legible += text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
    if (legible >= stampCharacters) return false
  }
  return page.hasImages(legible < fewCharacters ? pictureShare : scanShare)
}

/** Yields the text of a page, such as a stamp, then the text of its picture that isn't the same. */
function* addRecognised(
  written: readonly Block[],
  recognised: Iterable<Block>,
): Generator<Block, void, undefined> {
  yield* written
  const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase()
  const known = letters(written.map(({ text }) => text).join(" "))
  for (const block of recognised) if (!known.includes(letters(block.text))) yield block
}

function* recognised(
  paragraphs: readonly Pick<Block, "text" | "area">[],
  page: number,
): Generator<Block, void, undefined> {
  for (const paragraph of paragraphs) yield { kind: "paragraph", ...paragraph, location: { page } }
}
