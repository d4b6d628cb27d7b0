import { useCallback } from "react"
import { useSearchParams } from "wouter"
import { useFolderHere } from "./folder-here.ts"
import { navigate, splitHash } from "./hash-location.ts"
import type { OpenDocument } from "./open-document.ts"

/** The part of an address that names the document beside a screen: folder, file and, where one is marked, passage. */
export const documentParameter = "document"
/** Those of a folder's address that name one of its documents: citations link so. */
const linkParameters = ["file", "passage"]

/** An entry of the browser's history that opening a document made. */
interface OpenedHere {
  openedDocument?: boolean
}

/** What was opened lately, with what the address doesn't tell of it: the question, where it came from, other citations. */
const opened = new Map<string, OpenDocument>()
const mostRemembered = 100

const nameOf = ({ vectorId, fileId, passage, atOutline }: OpenDocument) =>
  JSON.stringify([vectorId, fileId, passage?.id ?? "", atOutline === true ? "outline" : ""])

export interface ShownDocument {
  vectorId: string
  fileId: string
  passageId: string | undefined
  atOutline: boolean
  /** As it was opened; undefined when the address came from elsewhere, as after a reload. */
  known: OpenDocument | undefined
}

/** The document that the address names, and how to show another or none: Back closes what was opened. */
export function useShownDocument() {
  const [search] = useSearchParams()
  const folderId = useFolderHere()
  const name = search.get(documentParameter)

  const open = useCallback((document: OpenDocument) => {
    const next = nameOf(document)
    opened.delete(next)
    opened.set(next, document)
    const [oldest] = opened.keys()
    if (opened.size > mostRemembered && oldest !== undefined) opened.delete(oldest)
    const shown = hasDocument()
    if (shown && current().get(documentParameter) === next) return
    const keeps = shown && (window.history.state as OpenedHere | null)?.openedDocument !== true
    const state: OpenedHere = keeps ? {} : { openedDocument: true }
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

/** The address of the screen, with a document beside it or without. */
function addressWith(name: string | undefined): string {
  const search = current()
  for (const parameter of linkParameters) search.delete(parameter)
  if (name === undefined) search.delete(documentParameter)
  else search.set(documentParameter, name)
  const { path } = splitHash(window.location.hash)
  return search.size === 0 ? path : `${path}?${search.toString()}`
}

/** The document that a folder's address leads to. */
function linkedDocument(vectorId: string, search: URLSearchParams): ShownDocument | undefined {
  const fileId = search.get("file")
  if (fileId === null) return undefined
  return {
    vectorId,
    fileId,
    passageId: search.get("passage") ?? undefined,
    atOutline: false,
    known: undefined,
  }
}

/** What an address of whatever origin names; undefined when it names nothing. */
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
    atOutline: view === "outline",
    known: opened.get(name),
  }
}
