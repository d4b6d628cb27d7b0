import { folderRoute } from "../../../../shared/app-routes.ts"
import type { Source } from "../../../../shared/contract/chat.ts"
import type { Passage } from "../../../../shared/contract/folders.ts"

/** A piece of a document. Without an id it isn't a passage of the index, and only the document is linked. */
type Linked = Pick<Passage, "vectorId" | "fileId"> & { id: string | null }

/**
 * Returns a link to a passage in its document, at the caller's address of the box. Only scheme, host and path of that address are used, and
 * everything that could end a Markdown link is percent-encoded.
 */
export function sourceLink(boxAddress: string, { vectorId, fileId, id }: Linked): string {
  const { origin, pathname } = new URL(boxAddress)
  const query = new URLSearchParams({ file: fileId, ...(id !== null && { passage: id }) })
  const root = pathname.replace(/\/+$/, "").replace(/[()'[\]\\]/g, percentEncode)
  return `${origin}${root}${folderRoute(vectorId)}?${query.toString()}`
}

const percentEncode = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

/** Numbers the passages of one answer. `[n]` in the text refers to the n-th. */
export function toSources(passages: readonly Passage[], boxAddress: string): Source[] {
  return passages.map((passage, index) => ({
    ...passage,
    citation: index + 1,
    url: sourceLink(boxAddress, passage),
  }))
}
