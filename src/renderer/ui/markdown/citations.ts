import { createContext, type ReactNode } from "react"

export interface Citations {
  /** The citation's label, such as the document's name; undefined if there is no such citation. */
  label: (number: number) => string | undefined
  /** A preview of the passage, for hovering over the citation. */
  preview: (number: number) => ReactNode
  open: (number: number) => void
}

export const CitationContext = createContext<Citations>({
  label: () => undefined,
  preview: () => undefined,
  open: () => undefined,
})

/** Code in fences or backticks, where numbers in brackets aren't citations. Neither are links. */
const code = /^[ \t]*(`{3,}|~{3,})[^]*?(?:^[ \t]*\1|$(?![^]))|(?<!`)`+[^`\n]+`+/gm
const citation = /\[(\d{1,4})\](?!\()/g

/** Returns the sources that a text cites, in numerical order. */
export function citedSources<Source extends { citation: number }>(
  text: string,
  sources: readonly Source[],
): Source[] {
  const cited = new Set([...text.replaceAll(code, "").matchAll(citation)].map(([, number]) => Number(number)))
  return sources.filter((source) => cited.has(source.citation)).toSorted((a, b) => a.citation - b.citation)
}
