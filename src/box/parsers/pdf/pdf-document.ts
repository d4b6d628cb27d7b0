import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { init, type Methods } from "@embedpdf/pdfium"
import type { PageArea } from "../../../shared/contract/location.ts"
import type { DocumentFile } from "../document/document-file.ts"
import { areaBetween, type GreyImage } from "../ocr/page-recognition.ts"
import type { ColourImage } from "../pages/encode-png.ts"
import { failure, type ParseFailure } from "../parser.ts"

/** Emscripten's members in addition to PDFium's functions. The package's types don't declare them. */
interface Runtime {
  /** A new view after every memory growth: never keep it across a call. */
  readonly HEAPU8: Uint8Array
  readonly wasmExports: { malloc(size: number): number; free(pointer: number): void }
  addFunction(callback: (...values: number[]) => number, signature: string): number
  removeFunction(pointer: number): void
}

interface Pdfium {
  readonly functions: Methods
  readonly runtime: Runtime
}

let loading: Promise<Pdfium> | undefined

/** Loads PDFium once for this process. */
function loadPdfium(): Promise<Pdfium> {
  return (loading ??= load())
}

async function load(): Promise<Pdfium> {
  const path = createRequire(import.meta.url).resolve("@embedpdf/pdfium/pdfium.wasm")
  const wasm = await readFile(path)
  const functions = await init({ wasmBinary: new Uint8Array(wasm).buffer })
  functions.PDFiumExt_Init()
  return { functions, runtime: functions.pdfium as unknown as Runtime }
}

/** A block of PDFium's memory, which is freed on disposal. */
class PdfiumBuffer implements Disposable {
  readonly pointer: number
  readonly #runtime: Runtime
  readonly #size: number

  constructor(runtime: Runtime, size: number) {
    this.#runtime = runtime
    this.#size = size
    this.pointer = runtime.wasmExports.malloc(size)
    if (this.pointer === 0) throw new Error(`PDFium has no memory left for ${size} bytes`)
  }

  /** A view that is valid until the next call into PDFium. */
  get view(): DataView {
    const { buffer } = this.#runtime.HEAPU8
    return new DataView(buffer, this.pointer, this.#size)
  }

  [Symbol.dispose](): void {
    this.#runtime.wasmExports.free(this.pointer)
  }
}

/** A line of text with the position of its first character, in points from the bottom left of the page. */
export interface PageLine {
  text: string
  left: number
  top: number
  bottom: number
  /** Area of the whole line; undefined when it is unknown. */
  area: PageArea | undefined
}

type FourNumbers = [number, number, number, number]

/** In points from the bottom left of the page. */
interface CharacterBox {
  left: number
  top: number
  right: number
  bottom: number
}

const flattened = 1
const image = 3
const form = 5
const greyBitmap = 1
const colourBitmap = 3
const drawAnnotations = 0x01
const pointsPerInch = 72
const maxObjects = 10_000
const maxFormDepth = 4
/** Number of steps for positions on a page, across its width and its height. */
const grid = 10_000

/** An open page. Its text includes the content of form fields. */
export class PdfPage implements Disposable {
  readonly #pdfium: Pdfium
  readonly #handle: number

  static open(pdfium: Pdfium, document: number, index: number): PdfPage | undefined {
    const { functions } = pdfium
    let handle = functions.FPDF_LoadPage(document, index)
    if (handle === 0) return undefined
    // PDFium finds text only in the page's own content, so form fields and notes are merged into it.
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

  /** Returns the lines in the order of the page's content, which is the reading order in nearly all files. */
  lines(): PageLine[] {
    const { functions, runtime } = this.#pdfium
    const textPage = functions.FPDFText_LoadPage(this.#handle)
    if (textPage === 0) return []
    using resources = new DisposableStack()
    resources.defer(() => functions.FPDFText_ClosePage(textPage))
    const buffer = resources.use(new PdfiumBuffer(runtime, 16))
    const boxAt = (index: number): CharacterBox | undefined => {
      const character = functions.FPDFText_GetCharIndexFromTextIndex(textPage, index)
      if (character < 0 || !functions.FPDFText_GetLooseCharBox(textPage, character, buffer.pointer)) {
        return undefined
      }
      const { view } = buffer
      const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => view.getFloat32(at, true)) as FourNumbers
      return { left, top, right, bottom }
    }
    const lines: PageLine[] = []
    let index = 0
    for (const raw of this.#text(textPage).split("\r\n")) {
      const first = boxAt(index + (/\S/.exec(raw)?.index ?? 0))
      const last = boxAt(index + Math.max(0, raw.trimEnd().length - 1))
      index += raw.length + 2
      const { left, top, bottom } = first ?? { left: 0, top: 0, bottom: 0 }
      const area = first && last && this.#areaAround(first, last, buffer)
      lines.push({ text: raw, left, top, bottom, area })
    }
    return lines
  }

  /** Returns the area from a line's first to its last character, on the page as displayed: cropped and rotated. */
  #areaAround(first: CharacterBox, last: CharacterBox, buffer: PdfiumBuffer): PageArea {
    const { functions } = this.#pdfium
    const { pointer } = buffer
    const shown = (x: number, y: number): [number, number] => {
      functions.FPDF_PageToDevice(this.#handle, 0, 0, grid, grid, 0, x, y, pointer, pointer + 4)
      return [buffer.view.getInt32(0, true) / grid, buffer.view.getInt32(4, true) / grid]
    }
    return areaBetween(
      shown(Math.min(first.left, last.left), Math.max(first.top, last.top)),
      shown(Math.max(first.right, last.right), Math.min(first.bottom, last.bottom)),
    )
  }

  /** Whether images cover at least this share of the page. */
  hasImages(share: number): boolean {
    const { functions } = this.#pdfium
    const area = functions.FPDF_GetPageWidthF(this.#handle) * functions.FPDF_GetPageHeightF(this.#handle)
    return this.#imageArea() >= area * share
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
    return PdfPage.open(this.#pdfium, this.#handle, number - 1)
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
