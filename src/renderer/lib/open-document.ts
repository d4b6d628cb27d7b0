import { createContext, use } from "react"
import type { Passage } from "../../shared/contract/folders.ts"

/** A document's text to show at the side, at a passage when one is given. */
export interface OpenDocument {
  vectorId: string
  fileId: string
  fileName: string
  passage?: Passage
}

export const OpenDocumentContext = createContext<(document: OpenDocument) => void>(() => undefined)

/** Shows a document's text beside what is on screen. */
export const useOpenDocument = () => use(OpenDocumentContext)

export const documentOf = (passage: Passage): OpenDocument => ({
  vectorId: passage.vectorId,
  fileId: passage.fileId,
  fileName: passage.fileName,
  passage,
})
