import type { Source } from "../../../../../shared/contract/chat.ts"
import { toOpenDocument, type OpenDocument } from "../../../../lib/navigation/open-document.ts"
import { citedSources } from "../../../../ui/markdown/citations.ts"

/** A claim is the text before a citation: its last sentence, or a table cell. */
const citations = /\[\d{1,4}\](?!\()/g

/** Returns the claims that a text makes with `[number]` as their source, without citation marks. */
export function findClaims(text: string, number: number): string[] {
  const mark = `[${number}]`
  const claims = text
    .split("\n")
    .filter((line) => line.includes(mark))
    .flatMap((line) => line.split(mark).slice(0, -1).map(lastClaim))
  return [...new Set(claims)].filter((claim) => claim !== "")
}

function lastClaim(before: string): string {
  const plain = before
    .replaceAll(citations, "")
    .replace(/^\s*(?:>|[-*+]|\d+[.)]|#+)\s+/, "")
    .trim()
  // A quotation is a single claim, however many sentences it has.
  if (/^\s*>/.test(before)) return plain
  const cells = plain.split("|").filter((cell) => cell.trim() !== "")
  if (plain.startsWith("|")) return (cells.at(-1) ?? "").trim()
  const sentences = Array.from(new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(plain))
  return (sentences.at(-1)?.segment ?? "").trim()
}

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
