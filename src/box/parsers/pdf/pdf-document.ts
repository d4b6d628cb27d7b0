import type { DocumentFile } from "../document/document-file.ts"
import { failure, type ParseFailure } from "../parser.ts"
import { PdfPage } from "./pdf-page.ts"
import { loadPdfium, PdfiumBuffer } from "./pdfium.ts"
import type { Pdfium } from "./pdfium.ts"

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
