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
