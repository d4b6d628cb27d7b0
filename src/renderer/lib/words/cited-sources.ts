/** Code between fences and between backticks: numbers in brackets are something else there, as where they are links. */
const code = /^[ \t]*(`{3,}|~{3,})[^]*?(?:^[ \t]*\1|$(?![^]))|(?<!`)`+[^`\n]+`+/gm
const citation = /\[(\d{1,4})\](?!\()/g

/** The sources that a text cites, by their numbers. */
export function citedSources<Source extends { citation: number }>(
  text: string,
  sources: readonly Source[],
): Source[] {
  const cited = new Set([...text.replaceAll(code, "").matchAll(citation)].map(([, number]) => Number(number)))
  return sources.filter((source) => cited.has(source.citation)).toSorted((a, b) => a.citation - b.citation)
}
