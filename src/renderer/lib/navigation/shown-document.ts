import { useCallback } from "react"
import { useSearchParams } from "wouter"
import { useFolderHere } from "./folder-here.ts"
import { navigate, splitHash } from "./hash-location.ts"
import type { OpenDocument } from "./open-document.ts"

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
