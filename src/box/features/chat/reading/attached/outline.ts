import type { Block } from "../../../../parsers/parser.ts"

const mostLines = 80
const longestLine = 120

/** The headings of a text, one a line, each with its page where there are pages. */
export async function outlineOf(text: AsyncIterable<readonly Block[]>): Promise<string[]> {
  const lines: string[] = []
  for await (const blocks of text)
    for (const { kind, text: heading, location } of blocks) {
      const words = heading.replace(/\s+/g, " ").trim().slice(0, longestLine)
      if (kind !== "heading" || words === "") continue
      lines.push(location.page === undefined ? `- ${words}` : `- ${words} (page ${location.page})`)
      if (lines.length === mostLines) return lines
    }
  return lines
}
