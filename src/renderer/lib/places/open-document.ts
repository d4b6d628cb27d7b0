import { createContext, use } from "react"
import type { Passage, StoredPassage } from "../../../shared/contract/folders.ts"
import type { Location } from "../../../shared/contract/location.ts"

/** A document's text to show at the side, at a passage when one is given. */
export interface OpenDocument {
  vectorId: string
  fileId: string
  fileName: string
  /** With score and rank where a search found it. */
  passage?: StoredPassage & Partial<Pick<Passage, "score" | "rank">>
  /** Its outline is shown first, in place of itself. */
  atOutline?: boolean
  /** What was asked or looked for: its words in the passage are named. */
  query?: string | undefined
  /** What is said with the passage as its source: the words that it rests on are marked. */
  claims?: readonly string[]
  /** The citations that this one is among, in their order, to step through. */
  among?: readonly OpenDocument[]
}

export const OpenDocumentContext = createContext<(document: OpenDocument) => void>(() => undefined)

/** Shows a document's text beside what is on screen. */
export const useOpenDocument = () => use(OpenDocumentContext)

export const documentOf = (passage: Passage, query?: string): OpenDocument => ({
  vectorId: passage.vectorId,
  fileId: passage.fileId,
  fileName: passage.fileName,
  passage,
  query,
})

/** A document at words that stand in one of its blocks. */
export const documentAt = (
  { vectorId, fileId, fileName }: Omit<OpenDocument, "passage">,
  { block, location, text }: { block: number; location: Location; text: string },
): OpenDocument => ({
  vectorId,
  fileId,
  fileName,
  passage: { id: `${block} ${text}`, vectorId, fileId, fileName, relativePath: "", text, location },
})
