import type { PageArea } from "../../../shared/contract/location.ts"
import type { DocumentFile } from "../document/document-file.ts"
import { areaBetween, toGreyLevel, type GreyImage } from "../ocr/page-recognition.ts"
import type { ColourImage } from "../pages/encode-png.ts"
import { failure, type ParseFailure } from "../parser.ts"
import { arrangeLines } from "./page-layout.ts"
import {
  continueLine,
  getBounds,
  isShifted,
  separateRaised,
  type Box,
  type PageRow,
  type PageWord,
} from "./page-pieces.ts"
import { loadPdfium, PdfiumBuffer, type Pdfium } from "./pdfium.ts"
import { maxRuleThickness } from "./ruled-tables.ts"
import { readUndrawn, type UndrawnText } from "./undrawn-text.ts"

/** A line of text or a row of a table, with the position of its first word, in points from the bottom left of the page. */
export interface PageLine {
  text: string
  top: number
  bottom: number
  /** Texts of the row's cells, if it is a row. */
  cells?: string[]
  /** Area of the whole line; undefined when it is unknown. */
  area: PageArea | undefined
}

type SixNumbers = [number, number, number, number, number, number]

const noBox: Box = { left: 0, top: 0, right: 0, bottom: 0 }
const flattened = 1
const path = 2
const image = 3
const form = 5
const greyBitmap = 1
const colourBitmap = 3
const drawAnnotations = 0x01
/** Bytes of a pixel by the format of a bitmap: grey, BGR, BGRx, BGRA. */
const bitmapPixelBytes: Record<number, number> = { 1: 1, 2: 3, 3: 4, 4: 4 }
/** A picture that covers more of its page is its background. */
const backgroundShare = 0.8
const pointsPerInch = 72
const maxObjects = 10_000
const maxPathSegments = 5000
/** Number of characters that tell whether a page's text can be read, and the number needed for that. */
const maxExamined = 100
const minExamined = 20
/** Private use, unassigned, and the sign for what isn't known. */
const meaningless = /[\p{Co}\p{Cn}\p{Cc}\ufffd]/u
const maxFormDepth = 4
/** Number of steps for positions on a page, across its width and its height. */
const grid = 1_000_000

/** Number of quarter turns by which text runs counterclockwise on the page. */
type Turns = 0 | 1 | 2 | 3

/** Lines that run in the same direction, with boxes as if they ran to the right. */
interface DirectedText {
  turns: Turns
  lines: PageWord[][]
}

/** Turns a box clockwise around the origin. */
function turnBox({ left, right, top, bottom }: Box, turns: Turns): Box {
  if (turns === 1) return { left: bottom, right: top, top: -left, bottom: -right }
  if (turns === 2) return { left: -right, right: -left, top: -bottom, bottom: -top }
  if (turns === 3) return { left: -top, right: -bottom, top: right, bottom: left }
  return { left, right, top, bottom }
}

const turnBack = (box: Box, turns: Turns): Box => turnBox(box, ((4 - turns) % 4) as Turns)

/** A picture that a page draws. */
export interface PagePicture {
  /** Its position among the page's objects, such as `3`, or `3.1` inside a form. */
  path: string
  /** In pixels. */
  width: number
  height: number
  /** Its area on the page; undefined inside a form. */
  area: PageArea | undefined
  /** Its bytes as they are stored, of which there are at most `maxBytes`. */
  load(maxBytes: number): Uint8Array | undefined
}

/** An open page. Its text includes the content of form fields, and comments. */
export class PdfPage implements Disposable {
  readonly #pdfium: Pdfium
  readonly #handle: number
  readonly #undrawn: UndrawnText

  /** @param form returns PDFium's handle for the document's form */
  static open(
    pdfium: Pdfium,
    { document, form }: { document: number; form: () => number },
    index: number,
  ): PdfPage | undefined {
    const { functions } = pdfium
    let handle = functions.FPDF_LoadPage(document, index)
    if (handle === 0) return undefined
    if (functions.FPDFPage_GetAnnotCount(handle) === 0)
      return new PdfPage(pdfium, handle, { values: [], comments: [], hasDrawn: false })
    const undrawn = readUndrawn(pdfium, handle, form())
    // PDFium finds text only in the page's own content, so form fields and notes are merged into it.
    if (undrawn.hasDrawn && functions.FPDFPage_Flatten(handle, 0) === flattened) {
      functions.FPDF_ClosePage(handle)
      handle = functions.FPDF_LoadPage(document, index)
      if (handle === 0) return undefined
    }
    return new PdfPage(pdfium, handle, undrawn)
  }

  private constructor(pdfium: Pdfium, handle: number, undrawn: UndrawnText) {
    this.#pdfium = pdfium
    this.#handle = handle
    this.#undrawn = undrawn
  }

  /** Returns the lines, and the rows of tables, in reading order; and whether what they say is no text. */
  read(): { lines: PageLine[]; isUnreadable: boolean } {
    const { functions } = this.#pdfium
    const textPage = functions.FPDFText_LoadPage(this.#handle)
    if (textPage === 0) return { lines: [], isUnreadable: false }
    using resources = new DisposableStack()
    resources.defer(() => functions.FPDFText_ClosePage(textPage))
    const text = this.#text(textPage)
    const [main, ...others] = this.#directedTexts(textPage, text)
    const { values, comments } = this.#undrawn
    const toArea = this.#createAreas()
    const turns = main?.turns ?? 0
    const typed = values.map((value) => [{ ...value, ...turnBox(value, turns) }])
    const rows = arrangeLines([...(main?.lines ?? []), ...typed], () => this.#rules(turns))
    const written = rows.map((row) => toLine(row, turns, toArea))
    for (const { lines, turns } of others) {
      written.push(blankLine)
      for (const row of arrangeLines(lines, () => [])) written.push(toLine(row, turns, toArea))
    }
    for (const comment of comments) {
      // Letters of no height make no heading of it.
      written.push(blankLine, { ...toLine({ words: [comment] }, 0, toArea), top: 0, bottom: 0 })
    }
    return { lines: written, isUnreadable: this.#isUnreadable(textPage, text) }
  }

  /** Returns the page's lines by direction. The direction of most words comes first. */
  #directedTexts(textPage: number, text: string): DirectedText[] {
    const { runtime } = this.#pdfium
    const { wasmExports: exported } = runtime
    using buffer = new PdfiumBuffer(runtime, 16)
    let view = buffer.view
    const boxAt = (character: number): Box => {
      if (character < 0 || exported.FPDFText_GetLooseCharBox(textPage, character, buffer.pointer) === 0) {
        return noBox
      }
      if (view.buffer !== runtime.HEAPU8.buffer) view = buffer.view
      return {
        left: view.getFloat32(0, true),
        top: view.getFloat32(4, true),
        right: view.getFloat32(8, true),
        bottom: view.getFloat32(12, true),
      }
    }
    // PDFium's angles are clockwise.
    const turnsAt = (character: number) =>
      ((4 - Math.round(exported.FPDFText_GetCharAngle(textPage, character) / (Math.PI / 2))) & 3) as Turns
    const charAt = (index: number) => exported.FPDFText_GetCharIndexFromTextIndex(textPage, index)
    const texts = new Map<Turns, DirectedText & { wordCount: number }>()
    /** Whether the previous line ends with raised or lowered characters, after which PDFium starts a new line. */
    let endsShifted = false
    for (const { 0: raw, index: start } of text.matchAll(textLine)) {
      const trimmed = raw.trim()
      if (endsShifted && trimmed === "") continue
      const skipped = raw.indexOf(trimmed)
      // Most lines have all their characters in the text, so that one look-up is enough.
      const [first, last] = [charAt(start), charAt(start + Math.max(0, raw.length - 1))]
      const isComplete = first >= 0 && last - first === raw.length - 1
      const characterAt = (at: number) => (isComplete ? first + at : charAt(start + at))
      const lineTurns = turnsAt(characterAt(skipped))
      const isMixed = trimmed !== "" && lineTurns !== turnsAt(characterAt(skipped + trimmed.length - 1))
      const lines = new Map<Turns, PageWord[]>([[lineTurns, []]])
      const wasShifted = endsShifted
      endsShifted = false
      for (const { 0: word, index } of raw.matchAll(/\S+/g)) {
        const from = characterAt(index)
        const turns = isMixed ? turnsAt(from) : lineTurns
        const turned = (box: Box): Box => (turns === 0 ? box : turnBox(box, turns))
        const box = turned(boxAt(from))
        const shown = { text: word, ...box }
        if (word.length > 1) {
          const turnedBoxAt = (at: number) => turned(boxAt(characterAt(index + at)))
          const end = turnedBoxAt(word.length - 1)
          shown.left = Math.min(box.left, end.left)
          shown.right = Math.max(box.right, end.right)
          if (isShifted(end, box)) {
            endsShifted = true
            shown.text = separateRaised(word, box, turnedBoxAt)
          }
        }
        const line = lines.get(turns)
        if (line) line.push(shown)
        else lines.set(turns, [shown])
      }
      for (const [turns, line] of lines) {
        const directed = texts.get(turns) ?? { turns, lines: [], wordCount: 0 }
        const previous = directed.lines.at(-1)
        const continued = previous && continueLine(previous, line, wasShifted)
        if (continued === "shifted") endsShifted = true
        if (!continued) directed.lines.push(line)
        directed.wordCount += line.length
        texts.set(turns, directed)
      }
    }
    return [...texts.values()].sort((a, b) => b.wordCount - a.wordCount)
  }

  /** Yields the boxes of lines and rectangles that the page draws, turned like its text. */
  *#rules(turns: Turns): Generator<Box, void, undefined> {
    const { functions, runtime } = this.#pdfium
    const { wasmExports: exported } = runtime
    using bounds = new PdfiumBuffer(runtime, 16)
    const count = Math.min(functions.FPDFPage_CountObjects(this.#handle), maxObjects)
    let left = maxPathSegments
    for (let index = 0; index < count && left > 0; index++) {
      const object = exported.FPDFPage_GetObject(this.#handle, index)
      if (exported.FPDFPageObj_GetType(object) !== path) continue
      const box = this.#boundsOf(object, bounds)
      left--
      if (!box) continue
      if (Math.min(box.right - box.left, box.top - box.bottom) < maxRuleThickness) yield turnBox(box, turns)
      else
        for (const side of this.#sidesOf(object, left)) {
          left--
          yield turnBox(side, turns)
        }
    }
  }

  /** Yields the straight lines of a path that is drawn as lines, not filled. */
  *#sidesOf(object: number, most: number): Generator<Box, void, undefined> {
    const { functions, runtime } = this.#pdfium
    const { wasmExports: exported } = runtime
    using buffer = new PdfiumBuffer(runtime, 24)
    const { pointer } = buffer
    if (!functions.FPDFPath_GetDrawMode(object, pointer, pointer + 4)) return
    if (buffer.view.getInt32(0, true) !== 0 || buffer.view.getInt32(4, true) === 0) return
    if (!functions.FPDFPageObj_GetMatrix(object, pointer)) return
    const [a, b, c, d, e, f] = [0, 4, 8, 12, 16, 20].map((at) =>
      buffer.view.getFloat32(at, true),
    ) as SixNumbers
    const count = Math.min(functions.FPDFPath_CountSegments(object), most)
    let previous: [number, number] | undefined
    for (let index = 0; index < count; index++) {
      const segment = exported.FPDFPath_GetPathSegment(object, index)
      if (exported.FPDFPathSegment_GetPoint(segment, pointer, pointer + 4) === 0) continue
      const { view } = buffer
      const [x, y] = [view.getFloat32(0, true), view.getFloat32(4, true)]
      const point: [number, number] = [a * x + c * y + e, b * x + d * y + f]
      if (previous && functions.FPDFPathSegment_GetType(segment) === lineTo) yield boxBetween(previous, point)
      previous = point
    }
  }

  #boundsOf(object: number, buffer: PdfiumBuffer): Box | undefined {
    const { pointer } = buffer
    const { wasmExports: exported } = this.#pdfium.runtime
    if (exported.FPDFPageObj_GetBounds(object, pointer, pointer + 4, pointer + 8, pointer + 12) === 0)
      return undefined
    const { view } = buffer
    return {
      left: view.getFloat32(0, true),
      bottom: view.getFloat32(4, true),
      right: view.getFloat32(8, true),
      top: view.getFloat32(12, true),
    }
  }

  /** Whether the page's fonts don't say which letters their signs are. */
  #isUnreadable(textPage: number, text: string): boolean {
    const { functions, runtime } = this.#pdfium
    const signs = text.slice(0, maxExamined).match(/\S/gu) ?? []
    if (signs.length < minExamined) return false
    if (signs.filter((sign) => meaningless.test(sign)).length * 2 > signs.length) return true
    const count = Math.min(functions.FPDFText_CountChars(textPage), maxExamined)
    let unmapped = 0
    for (let index = 0; index < count; index++)
      if (runtime.wasmExports.FPDFText_HasUnicodeMapError(textPage, index) === 1) unmapped++
    return unmapped * 2 > count
  }

  /** Returns a function that turns boxes into areas of the page as displayed: cropped and rotated. */
  #createAreas(): (box: Box) => PageArea {
    const { functions, runtime } = this.#pdfium
    using buffer = new PdfiumBuffer(runtime, 8)
    const { pointer } = buffer
    const shown = (x: number, y: number): [number, number] => {
      functions.FPDF_PageToDevice(this.#handle, 0, 0, grid, grid, 0, x, y, pointer, pointer + 4)
      return [buffer.view.getInt32(0, true) / grid, buffer.view.getInt32(4, true) / grid]
    }
    const unit = 1000
    const [[x, y], [xRight, yRight], [xUp, yUp]] = [shown(0, 0), shown(unit, 0), shown(0, unit)]
    const toShown = (right: number, up: number): [number, number] => [
      x + ((xRight - x) * right + (xUp - x) * up) / unit,
      y + ((yRight - y) * right + (yUp - y) * up) / unit,
    ]
    return ({ left, top, right, bottom }) => areaBetween(toShown(left, top), toShown(right, bottom))
  }

  /** Whether images cover at least this share of the page. */
  hasImages(share: number): boolean {
    const { functions } = this.#pdfium
    const area = functions.FPDF_GetPageWidthF(this.#handle) * functions.FPDF_GetPageHeightF(this.#handle)
    return this.#imageArea() >= area * share
  }

  /** Yields the pictures of the page, except those that fill it, which are its background. */
  *pictures(): Generator<PagePicture, void, undefined> {
    const { functions, runtime } = this.#pdfium
    const toArea = this.#createAreas()
    using buffer = new PdfiumBuffer(runtime, 16)
    for (const { path, object } of this.#imageObjects()) {
      const box = path.includes(".") ? undefined : this.#boundsOf(object, buffer)
      const area = box && toArea(box)
      if (area && area.width * area.height > backgroundShare) continue
      if (!functions.FPDFImageObj_GetImagePixelSize(object, buffer.pointer, buffer.pointer + 4)) continue
      const [width, height] = [buffer.view.getUint32(0, true), buffer.view.getUint32(4, true)]
      yield { path, width, height, area, load: (maxBytes) => this.#imageBytes(object, maxBytes) }
    }
  }

  /** Decodes a picture of the page in grey. Returns undefined if there is none at this path, or if it is damaged or exceeds `maxPixels`. */
  picture(wanted: string, maxPixels: number): GreyImage | undefined {
    return this.#decodePicture(wanted, maxPixels, (bitmap) => this.#toGrey(bitmap))
  }

  /** Decodes a picture of the page in colour, like `picture`. Leaves out rows and columns of one with a longer side than `maxSide`. */
  colourPicture(wanted: string, maxPixels: number, maxSide: number): ColourImage | undefined {
    return this.#decodePicture(wanted, maxPixels, (bitmap) => this.#toColour(bitmap, maxSide))
  }

  #decodePicture<T>(wanted: string, maxPixels: number, decode: (bitmap: number) => T): T | undefined {
    const { functions, runtime } = this.#pdfium
    const found = [...this.#imageObjects()].find(({ path }) => path === wanted)
    if (!found) return undefined
    using size = new PdfiumBuffer(runtime, 8)
    if (!functions.FPDFImageObj_GetImagePixelSize(found.object, size.pointer, size.pointer + 4))
      return undefined
    if (size.view.getUint32(0, true) * size.view.getUint32(4, true) > maxPixels) return undefined
    const bitmap = functions.FPDFImageObj_GetBitmap(found.object)
    if (bitmap === 0) return undefined
    try {
      return decode(bitmap)
    } finally {
      functions.FPDFBitmap_Destroy(bitmap)
    }
  }

  /** Returns the pixels of a bitmap, and where each of them begins; undefined if there are none. */
  #pixelsOf(bitmap: number) {
    const { functions, runtime } = this.#pdfium
    const [width, height] = [functions.FPDFBitmap_GetWidth(bitmap), functions.FPDFBitmap_GetHeight(bitmap)]
    const stride = functions.FPDFBitmap_GetStride(bitmap)
    const pointer = functions.FPDFBitmap_GetBuffer(bitmap)
    const pixelBytes = bitmapPixelBytes[functions.FPDFBitmap_GetFormat(bitmap)] ?? 1
    if (pointer === 0 || stride < width * pixelBytes) return undefined
    return {
      width,
      height,
      stride,
      pixelBytes,
      bytes: runtime.HEAPU8.subarray(pointer, pointer + stride * height),
    }
  }

  #toGrey(bitmap: number): GreyImage | undefined {
    const found = this.#pixelsOf(bitmap)
    if (!found) return undefined
    const { width, height, stride, pixelBytes, bytes } = found
    const pixels = new Uint8Array(width * height)
    for (let row = 0, to = 0; row < height; row++) {
      for (let column = 0, at = row * stride; column < width; column++, to++, at += pixelBytes)
        pixels[to] =
          pixelBytes === 1
            ? (bytes[at] ?? 0)
            : toGreyLevel(bytes[at + 2] ?? 0, bytes[at + 1] ?? 0, bytes[at] ?? 0)
    }
    return { width, height, pixels }
  }

  #toColour(bitmap: number, maxSide: number): ColourImage | undefined {
    const found = this.#pixelsOf(bitmap)
    if (!found) return undefined
    const { stride, pixelBytes, bytes } = found
    const step = Math.ceil(Math.max(found.width, found.height) / maxSide)
    const [width, height] = [Math.ceil(found.width / step), Math.ceil(found.height / step)]
    const [red, green] = pixelBytes === 1 ? [0, 0] : [2, 1]
    const pixels = new Uint8Array(width * height * 4)
    for (let row = 0, to = 0; row < height; row++) {
      let at = row * step * stride
      for (let column = 0; column < width; column++, to += 4, at += pixelBytes * step) {
        pixels[to] = bytes[at + red] ?? 0
        pixels[to + 1] = bytes[at + green] ?? 0
        pixels[to + 2] = bytes[at] ?? 0
        pixels[to + 3] = 255
      }
    }
    return { width, height, pixels }
  }

  #imageBytes(object: number, maxBytes: number): Uint8Array | undefined {
    const { functions, runtime } = this.#pdfium
    const length = functions.FPDFImageObj_GetImageDataRaw(object, 0, 0)
    if (length === 0) return undefined
    if (length > maxBytes) throw failure("picture_too_large")
    using buffer = new PdfiumBuffer(runtime, length)
    functions.FPDFImageObj_GetImageDataRaw(object, buffer.pointer, length)
    return runtime.HEAPU8.slice(buffer.pointer, buffer.pointer + length)
  }

  /** Yields the images that the page draws itself and in forms, in the order of its content. */
  *#imageObjects(): Generator<{ path: string; object: number }, void, undefined> {
    const { functions } = this.#pdfium
    const count = Math.min(functions.FPDFPage_CountObjects(this.#handle), maxObjects)
    let left = maxObjects
    function* imagesIn(
      object: number,
      path: string,
      depth: number,
    ): Generator<{ path: string; object: number }> {
      if (left-- <= 0) return
      const type = functions.FPDFPageObj_GetType(object)
      if (type === image) yield { path, object }
      if (type !== form || depth === 0) return
      const inner = Math.min(functions.FPDFFormObj_CountObjects(object), maxObjects)
      for (let index = 0; index < inner && left > 0; index++)
        yield* imagesIn(functions.FPDFFormObj_GetObject(object, index), `${path}.${index}`, depth - 1)
    }
    for (let index = 0; index < count && left > 0; index++)
      yield* imagesIn(functions.FPDFPage_GetObject(this.#handle, index), String(index), maxFormDepth)
  }

  /** Renders the page as a grey image, at a lower resolution if it would exceed `maxPixels`. */
  render(dotsPerInch: number, maxPixels: number): GreyImage {
    return this.#draw(dotsPerInch / pointsPerInch, maxPixels, greyBitmap, 1)
  }

  /** Renders the page in colour, with four bytes per pixel: blue, green, red and an unused one. */
  renderColours(pixelWidth: number, maxPixels: number): ColourImage {
    const width = this.#pdfium.functions.FPDF_GetPageWidthF(this.#handle)
    return this.#draw(pixelWidth / Math.max(1, width), maxPixels, colourBitmap, 4)
  }

  #draw(wantedScale: number, maxPixels: number, format: number, pixelBytes: number): ColourImage | GreyImage {
    const { functions, runtime } = this.#pdfium
    const width = functions.FPDF_GetPageWidthF(this.#handle)
    const height = functions.FPDF_GetPageHeightF(this.#handle)
    const scale = Math.min(wantedScale, Math.sqrt(maxPixels / (width * height)))
    const columns = Math.max(1, Math.floor(width * scale))
    const rows = Math.max(1, Math.floor(height * scale))
    const size = columns * rows * pixelBytes
    using pixels = new PdfiumBuffer(runtime, size)
    const bitmap = functions.FPDFBitmap_CreateEx(columns, rows, format, pixels.pointer, columns * pixelBytes)
    if (bitmap === 0) throw new Error("PDFium has no memory left for a page")
    try {
      functions.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, 0xff_ff_ff_ff)
      functions.FPDF_RenderPageBitmap(bitmap, this.#handle, 0, 0, columns, rows, 0, drawAnnotations)
      const { pointer } = pixels
      return { width: columns, height: rows, pixels: runtime.HEAPU8.slice(pointer, pointer + size) }
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
      const box = this.#boundsOf(object, bounds)
      if (box) area += (box.right - box.left) * (box.top - box.bottom)
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

/** PDFium's mark for a word that continues on the next line, which it may return without a line break. */
export const hyphenation = "\ufffe"
const textLine = /[^\r\n\ufffe]+\ufffe?/g

/** Separates paragraphs. */
export const blankLine: PageLine = { text: "", top: 0, bottom: 0, area: undefined }
/** Kind of a path's segment. */
const lineTo = 0

export const getLineHeight = ({ top, bottom }: PageLine): number => Math.abs(top - bottom)

const joinWords = (words: readonly PageWord[]): string => words.map(({ text }) => text).join(" ")

function toLine({ words, cells }: PageRow, turns: Turns, toArea: (box: Box) => PageArea): PageLine {
  const { top, bottom } = words[0] ?? noBox
  return {
    text: joinWords(words),
    top,
    bottom,
    area: words.length === 0 ? undefined : toArea(turnBack(getBounds(words), turns)),
    ...(cells && { cells: cells.map(joinWords) }),
  }
}

const boxBetween = ([x1, y1]: [number, number], [x2, y2]: [number, number]): Box => ({
  left: Math.min(x1, x2),
  right: Math.max(x1, x2),
  top: Math.max(y1, y2),
  bottom: Math.min(y1, y2),
})

/** Used for a damaged page: A4. */
const unknownSize = { width: 595, height: 842 }
const passwordNeeded = 4
const unknownSecurity = 5

/** A PDF whose file is open. PDFium reads only the parts it needs, so the file's size doesn't matter. */
export class PdfDocument implements Disposable {
  readonly pageCount: number
  readonly #pdfium: Pdfium
  readonly #handle: number
  readonly #resources: DisposableStack
  #form: number | undefined

  /** Throws `ParseFailure` when the file is encrypted or damaged. */
  static async open(file: DocumentFile, password = ""): Promise<PdfDocument> {
    return new PdfDocument(await loadPdfium(), file, password)
  }

  private constructor(pdfium: Pdfium, file: DocumentFile, password: string) {
    const { functions, runtime } = pdfium
    using resources = new DisposableStack()
    const read = resources.adopt(runtime.addFunction(createReader(pdfium, file), "iiiii"), (pointer) =>
      runtime.removeFunction(pointer),
    )
    // FPDF_FILEACCESS: length, read function, and its argument.
    const access = resources.use(new PdfiumBuffer(runtime, 12))
    access.view.setUint32(0, file.size, true)
    access.view.setUint32(4, read, true)
    access.view.setUint32(8, 0, true)
    this.#handle = functions.FPDF_LoadCustomDocument(access.pointer, password)
    if (this.#handle === 0) throw openFailure(functions.FPDF_GetLastError(), password)
    resources.defer(() => functions.FPDF_CloseDocument(this.#handle))
    this.pageCount = functions.FPDF_GetPageCount(this.#handle)
    this.#pdfium = pdfium
    this.#resources = resources.move()
  }

  /** Returns a page by its number, from 1; undefined when it is missing or damaged. */
  page(number: number): PdfPage | undefined {
    return PdfPage.open(this.#pdfium, { document: this.#handle, form: () => this.#openForm() }, number - 1)
  }

  /** Returns an entry of the document's information (PDF 1.7, 10.2.1); empty if there is none, or if it has more than 100 characters. */
  property(name: string): string {
    const { functions, runtime } = this.#pdfium
    using text = new PdfiumBuffer(runtime, 202)
    const bytes = functions.FPDF_GetMetaText(this.#handle, name, text.pointer, 202)
    if (bytes > 202) return ""
    const { buffer, byteOffset } = text.view
    return Buffer.from(buffer, byteOffset, bytes).toString("utf16le").replace(/\0.*/s, "")
  }

  /** Returns PDFium's handle for the document's form; 0 if there is none. */
  #openForm(): number {
    if (this.#form !== undefined) return this.#form
    const { functions } = this.#pdfium
    const info = functions.PDFiumExt_OpenFormFillInfo()
    const form = functions.PDFiumExt_InitFormFillEnvironment(this.#handle, info)
    this.#form = form
    // Before the document is closed, in the opposite order.
    this.#resources.defer(() => functions.PDFiumExt_CloseFormFillInfo(info))
    if (form !== 0) this.#resources.defer(() => functions.PDFiumExt_ExitFormFillEnvironment(form))
    return form
  }

  /** Returns the sizes of the first pages, in points as displayed. */
  pageSizes(most: number): { width: number; height: number }[] {
    const { functions, runtime } = this.#pdfium
    using size = new PdfiumBuffer(runtime, 8)
    return Array.from({ length: Math.min(this.pageCount, most) }, (_, index) => {
      const known = functions.FPDF_GetPageSizeByIndexF(this.#handle, index, size.pointer)
      return known
        ? { width: size.view.getFloat32(0, true), height: size.view.getFloat32(4, true) }
        : unknownSize
    })
  }

  [Symbol.dispose](): void {
    this.#resources.dispose()
  }
}

function createReader({ runtime }: Pdfium, file: DocumentFile): (...values: number[]) => number {
  return (_argument, position = 0, target = 0, size = 0) => {
    const memory = runtime.HEAPU8.subarray(target >>> 0, (target >>> 0) + (size >>> 0))
    return file.readSync(memory, position >>> 0) === memory.length ? 1 : 0
  }
}

function openFailure(code: number, password: string): ParseFailure {
  if (code === passwordNeeded) {
    return failure(password === "" ? "encrypted_pdf" : "pdf_password_wrong")
  }
  if (code === unknownSecurity) {
    return failure("encrypted_pdf_unknown")
  }
  return failure("pdf_damaged")
}
