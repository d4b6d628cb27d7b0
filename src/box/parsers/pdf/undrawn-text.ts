import type { PageWord } from "./page-pieces.ts"
import { PdfiumBuffer, type Pdfium, type Runtime } from "./pdfium.ts"

/** Text of annotations that isn't drawn. */
export interface UndrawnText {
  /** Values of form fields, and typed text, which have a place in the page's lines. */
  values: PageWord[]
  /** Comments, such as those of sticky notes and highlights. */
  comments: PageWord[]
  /** Whether an annotation is drawn. */
  hasDrawn: boolean
}

type FourNumbers = [number, number, number, number]

const maxAnnotations = 5_000
const maxAnnotationCharacters = 100_000
/** Kinds of annotations (fpdf_annot.h). */
const annotation = { link: 2, freeText: 3, popup: 16, widget: 20 }
/** Flags of annotations that are hidden, or not displayed (ISO 32000, 12.5.3). */
const notShown = 2 | 32
const checkBox = 2
const radioButton = 3

/** Reads what the page's annotations say and don't draw. */
export function readUndrawn(pdfium: Pdfium, page: number, form: number): UndrawnText {
  const { functions, runtime } = pdfium
  using box = new PdfiumBuffer(runtime, 16)
  const all = functions.FPDFPage_GetAnnotCount(page)
  const count = Math.min(all, maxAnnotations)
  const found: UndrawnText = { values: [], comments: [], hasDrawn: all > count }
  for (let index = 0; index < count; index++) {
    const handle = functions.FPDFPage_GetAnnot(page, index)
    if (handle === 0) continue
    using resources = new DisposableStack()
    resources.defer(() => functions.FPDFPage_CloseAnnot(handle))
    const kind = functions.FPDFAnnot_GetSubtype(handle)
    const isDrawn = functions.FPDFAnnot_GetAP(handle, 0, 0, 0) > 2
    found.hasDrawn ||= isDrawn
    if (kind === annotation.link || kind === annotation.popup) continue
    if ((functions.FPDFAnnot_GetFlags(handle) & notShown) !== 0) continue
    const isWidget = kind === annotation.widget
    if (isDrawn && (isWidget || kind === annotation.freeText)) continue
    const text = isWidget
      ? readValue(pdfium, form, handle)
      : readText(runtime, (pointer, bytes) =>
          functions.FPDFAnnot_GetStringValue(handle, "Contents", pointer, bytes),
        )
    if (text.trim() === "" || !functions.FPDFAnnot_GetRect(handle, box.pointer)) continue
    const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => box.view.getFloat32(at, true)) as FourNumbers
    const isPlaced = isWidget || kind === annotation.freeText
    const word = { text: text.replace(/\s+/g, " ").trim(), left, right, top, bottom }
    if (isPlaced) found.values.push(word)
    else found.comments.push(word)
  }
  return found
}

/** Returns the value of a form field; of a check box or radio button, whether it is checked. */
function readValue({ functions, runtime }: Pdfium, form: number, handle: number): string {
  if (form === 0) return ""
  const type = functions.FPDFAnnot_GetFormFieldType(form, handle)
  if (type === checkBox || type === radioButton) {
    // Its state is the name of the appearance that is shown.
    const state = readText(runtime, (pointer, bytes) =>
      functions.FPDFAnnot_GetStringValue(handle, "AS", pointer, bytes),
    )
    return state !== "" && state !== "Off" ? "[x]" : "[ ]"
  }
  return readText(runtime, (pointer, bytes) =>
    functions.FPDFAnnot_GetFormFieldValue(form, handle, pointer, bytes),
  )
}

/** Reads a text whose length PDFium tells first, in bytes of UTF-16 with an end mark. */
function readText(runtime: Runtime, get: (pointer: number, bytes: number) => number): string {
  const bytes = Math.min(get(0, 0), maxAnnotationCharacters * 2)
  if (bytes <= 2) return ""
  using buffer = new PdfiumBuffer(runtime, bytes)
  get(buffer.pointer, bytes)
  const { view } = buffer
  return Buffer.from(view.buffer, view.byteOffset, bytes - 2).toString("utf16le")
}
