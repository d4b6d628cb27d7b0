const fence = /^ {0,3}(`{3,}|~{3,})/
const formulaFence = /^ {0,3}(\$\$|\\\[)\s*$/
const fenceSigns = new Set(["`", "~", "$", "\\"])
const formulaEnds: Record<string, string> = { $$: "$$", "\\[": "\\]" }
const definition = /^ {0,3}\[(?:\\.|[^[\]\\])+\]:/m
const continuesBlock = /^(?:\s|[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$))/
const indentedCode = /^(?: {4}|\t)/

/** Whether the text defines references, to which any paragraph may refer. */
export const definesReferences = (markdown: string): boolean => definition.test(markdown)

/** Returns the line that starts here, without its line break and with at most one character beyond the limit. */
export function lineAt(text: string, start: number, limit = text.length): string {
  const end = text.indexOf("\n", start)
  return text.slice(start, Math.min(end < 0 ? text.length : end, limit + 1))
}

/**
 * Whether a line after a blank one starts a block that means the same without the text before it. Lists, fenced code, formulas and indented
 * lines stay whole. References don't find definitions in other pieces.
 */
export function startsBlock(line: string, first: string | undefined): boolean {
  if (!continuesBlock.test(line)) return true
  // A list item or an indented line continues a list. After anything else it starts a new block.
  return first !== undefined && !continuesBlock.test(first) && !indentedCode.test(line)
}

/** Returns the fence of code or of a formula that is open after a line. */
export function fenceAfter(line: string, open: string | undefined): string | undefined {
  if (open === undefined && !fenceSigns.has(line.trimStart().charAt(0))) return undefined
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

/** A line of backticks followed by another backtick is inline code, not a fence. */
const opensFence = (line: string, marker: string): boolean =>
  marker.startsWith("~") || !line.trim().slice(marker.length).includes("`")
