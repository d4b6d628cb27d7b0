import type { Source } from "../../../../../shared/contract/chat.ts"
import { toOpenDocument, type OpenDocument } from "../../../../lib/navigation/open-document.ts"
import { citedSources } from "../../../../lib/words/cited-sources.ts"
import { findClaims } from "../../../../lib/words/claims.ts"

/** Returns what each `[n]` of an answer opens: the passage with the statements based on it, among the other cited passages. */
export function citedDocuments(
  text: string,
  sources: readonly Source[],
  query: string | undefined,
): Map<number, OpenDocument> {
  const cited = new Set(citedSources(text, sources))
  const among: OpenDocument[] = []
  const documents = new Map<number, OpenDocument>()
  for (const source of sources.toSorted((a, b) => a.citation - b.citation)) {
    if (!cited.has(source)) {
      documents.set(source.citation, toOpenDocument(source, query))
      continue
    }
    const document = { ...toOpenDocument(source, query), claims: findClaims(text, source.citation), among }
    among.push(document)
    documents.set(source.citation, document)
  }
  return documents
}
