import { createContext, use, useCallback } from "react"
import { useRoute, useSearchParams } from "wouter"
import type { Passage, StoredPassage } from "../../../shared/contract/folders.ts"
import type { Location } from "../../../shared/contract/location.ts"
import { navigate, splitHash } from "./hash-location.ts"

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

/** The folder on screen, if any. */
export function useFolderHere(): string | undefined {
  const [, params] = useRoute<{ vectorId: string }>("/dc/vector/:vectorId")
  return params?.vectorId
}

/** The address parameter for the document in the side panel: its folder, its file and the highlighted passage, if any. */
export const documentParameter = "document"
/** Parameters in a folder's address that name one of its documents. Citations use them in links. */
const linkParameters = ["file", "passage"]

/** State of a history entry that was created by opening a document. */
interface OpenedHere {
  openedDocument?: boolean
}

/** Recently opened documents, with details that the address doesn't contain: the question, the passage and other citations. */
const opened = new Map<string, OpenDocument>()
const maxRemembered = 100

const serialiseDocument = ({ vectorId, fileId, passage, showsOutline }: OpenDocument) =>
  JSON.stringify([vectorId, fileId, passage?.id ?? "", showsOutline === true ? "outline" : ""])

export interface ShownDocument {
  vectorId: string
  fileId: string
  passageId: string | undefined
  showsOutline: boolean
  /** The document as it was opened; undefined if the address came from elsewhere, as after a reload. */
  known: OpenDocument | undefined
}

/** The document in the address, with functions to open another or close it. Back closes an opened document. */
export function useShownDocument() {
  const [search] = useSearchParams()
  const folderId = useFolderHere()
  const name = search.get(documentParameter)

  const open = useCallback((document: OpenDocument) => {
    const next = serialiseDocument(document)
    opened.delete(next)
    opened.set(next, document)
    const [oldest] = opened.keys()
    if (opened.size > maxRemembered && oldest !== undefined) opened.delete(oldest)
    const shown = hasDocument()
    if (shown && current().get(documentParameter) === next) return
    const shouldKeepState = shown && (window.history.state as OpenedHere | null)?.openedDocument !== true
    const state: OpenedHere = shouldKeepState ? {} : { openedDocument: true }
    navigate(addressWith(next), { replace: shown, state })
  }, [])

  const close = useCallback(() => {
    if (!hasDocument()) return
    if ((window.history.state as OpenedHere | null)?.openedDocument === true) window.history.back()
    else navigate(addressWith(undefined), { replace: true })
  }, [])

  const linked = folderId === undefined ? undefined : linkedDocument(folderId, search)
  return { shown: name === null ? linked : read(name), open, close }
}

const current = () => new URLSearchParams(splitHash(window.location.hash).search)
const hasDocument = () => [documentParameter, ...linkParameters].some((parameter) => current().has(parameter))

/** The page's address with this document, or without one. */
function addressWith(name: string | undefined): string {
  const search = current()
  for (const parameter of linkParameters) search.delete(parameter)
  if (name === undefined) search.delete(documentParameter)
  else search.set(documentParameter, name)
  const { path } = splitHash(window.location.hash)
  return search.size === 0 ? path : `${path}?${search.toString()}`
}

/** The document that a folder's address names. */
function linkedDocument(vectorId: string, search: URLSearchParams): ShownDocument | undefined {
  const fileId = search.get("file")
  if (fileId === null) return undefined
  return {
    vectorId,
    fileId,
    passageId: search.get("passage") ?? undefined,
    showsOutline: false,
    known: undefined,
  }
}

/** Parses an address parameter of any origin; undefined if it names no document. */
function read(name: string): ShownDocument | undefined {
  let parts: unknown
  try {
    parts = JSON.parse(name)
  } catch {
    return undefined
  }
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === "string")) return undefined
  const [vectorId = "", fileId = "", passageId = "", view = ""] = parts
  if (vectorId === "" || fileId === "") return undefined
  return {
    vectorId,
    fileId,
    passageId: passageId === "" ? undefined : passageId,
    showsOutline: view === "outline",
    known: opened.get(name),
  }
}
