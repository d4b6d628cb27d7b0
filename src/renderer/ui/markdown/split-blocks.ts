const fence = /^ {0,3}(`{3,}|~{3,})/
const formulaFence = /^ {0,3}(\$\$|\\\[)\s*$/
const formulaEnds: Record<string, string> = { $$: "$$", "\\[": "\\]" }
const definition = /^ {0,3}\[[^\]]+\]:/m
const continuesBlock = /^(?:\s|[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$))/
const indentedCode = /^(?: {4}|\t)/

/**
 * Cuts Markdown at blank lines into pieces that mean the same alone as together, so that only the last piece of a
 * growing text has to be rendered again. Lists, fenced code, formulas and indented lines stay whole; a text with reference
 * definitions isn't cut, because any paragraph may refer to them.
 */
export function splitBlocks(markdown: string): string[] {
  if (definition.test(markdown)) return [markdown]
  const blocks: string[] = []
  let block: string[] = []
  let openFence: string | undefined
  let blank = false
  for (const line of markdown.split("\n")) {
    const isBlank = line.trim() === ""
    if (openFence === undefined && blank && !isBlank && startsBlock(line, block)) {
      blocks.push(block.join("\n"))
      block = []
    }
    block.push(line)
    blank = isBlank
    openFence = fenceAfter(line, openFence)
  }
  blocks.push(block.join("\n"))
  return blocks
}

function startsBlock(line: string, before: string[]): boolean {
  if (!continuesBlock.test(line)) return true
  // A list item or an indented line continues a list; after anything else it begins something new.
  const first = before.find((candidate) => candidate.trim() !== "")
  return first !== undefined && !continuesBlock.test(first) && !indentedCode.test(line)
}

function fenceAfter(line: string, open: string | undefined): string | undefined {
  const formulaEnd = open === undefined ? undefined : formulaEnds[open]
  if (formulaEnd !== undefined) return line.trimEnd().endsWith(formulaEnd) ? undefined : open
  const formula = formulaFence.exec(line)?.[1]
  if (open === undefined && formula !== undefined) return formula
  const marker = fence.exec(line)?.[1]
  if (marker === undefined) return open
  if (open === undefined) return opensFence(line, marker) ? marker : undefined
  const closes = marker[0] === open[0] && marker.length >= open.length && line.trim() === marker
  return closes ? undefined : open
}

/** A line of backticks with another backtick after them is code inside a sentence, not a fence. */
const opensFence = (line: string, marker: string): boolean =>
  marker.startsWith("~") || !line.trim().slice(marker.length).includes("`")
