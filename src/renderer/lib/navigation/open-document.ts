import { createContext, use } from "react"
import type { Passage, StoredPassage } from "../../../shared/contract/folders.ts"
import type { Location } from "../../../shared/contract/location.ts"

/** A document to show in the side panel, at a passage if one is given. */
export interface OpenDocument {
  vectorId: string
  fileId: string
  fileName: string
  /** With score and rank if a search found it. */
  passage?: StoredPassage & Partial<Pick<Passage, "score" | "rank">>
  /** Shows the outline first instead of the document. */
  showsOutline?: boolean
  /** The question or search text. Its words in the passage are listed. */
  query?: string | undefined
  /** The statements that cite the passage. The words they are based on are highlighted. */
  claims?: readonly string[]
  /** All citations of the answer, in order, for the previous and next buttons. */
  among?: readonly OpenDocument[]
}

export const OpenDocumentContext = createContext<(document: OpenDocument) => void>(() => undefined)

/** Opens a document in the side panel. */
export const useOpenDocument = () => use(OpenDocumentContext)

export const toOpenDocument = (passage: Passage, query?: string): OpenDocument => ({
  vectorId: passage.vectorId,
  fileId: passage.fileId,
  fileName: passage.fileName,
  passage,
  query,
})

/** A document at a text in one of its blocks. */
export const documentAt = (
  { vectorId, fileId, fileName }: Omit<OpenDocument, "passage">,
  { block, location, text }: { block: number; location: Location; text: string },
): OpenDocument => ({
  vectorId,
  fileId,
  fileName,
  passage: { id: `${block} ${text}`, vectorId, fileId, fileName, relativePath: "", text, location },
})
