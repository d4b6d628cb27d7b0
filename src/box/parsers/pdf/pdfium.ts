import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { init, type Methods } from "@embedpdf/pdfium"

/** Emscripten's members in addition to PDFium's functions. The package's types don't declare them. */
export interface Runtime {
  /** A new view after every memory growth: never keep it across a call. */
  readonly HEAPU8: Uint8Array
  readonly wasmExports: {
    malloc(size: number): number
    free(pointer: number): void
  } & FrequentFunctions
  addFunction(callback: (...values: number[]) => number, signature: string): number
  removeFunction(pointer: number): void
}

/** Functions that are called for every word or object of a page. Their wrappers would take longer than they do. */
interface FrequentFunctions {
  FPDFText_GetCharIndexFromTextIndex(textPage: number, index: number): number
  FPDFText_GetLooseCharBox(textPage: number, character: number, box: number): number
  FPDFText_GetCharAngle(textPage: number, character: number): number
  FPDFText_HasUnicodeMapError(textPage: number, character: number): number
  FPDFPage_GetObject(page: number, index: number): number
  FPDFPageObj_GetType(object: number): number
  FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number
  FPDFPath_GetPathSegment(path: number, index: number): number
  FPDFPathSegment_GetPoint(segment: number, x: number, y: number): number
}

export interface Pdfium {
  readonly functions: Methods
  readonly runtime: Runtime
}

let loading: Promise<Pdfium> | undefined

/** Loads PDFium once for this process. */
export function loadPdfium(): Promise<Pdfium> {
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
export class PdfiumBuffer implements Disposable {
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
