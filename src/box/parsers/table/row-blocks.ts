import type { Location } from "../../../shared/contract/location.ts"
import { maxBlockCharacters } from "../parser.ts"
import type { Block } from "../parser.ts"
import { splitText } from "../text/split-text.ts"

/** Blocks of one row of a table; none when it is empty. */
export function* rowBlocks(
  kind: Block["kind"],
  cells: readonly string[],
  location: Location,
): Generator<Block, void, undefined> {
  if (cells.every((cell) => cell.trim() === "")) return
  const text = collapse(cells.join(" | "))
  if (text.length <= maxBlockCharacters) yield { kind, text, location }
  else for (const part of splitText(text, maxBlockCharacters)) yield { kind, text: part, location }
}

function collapse(text: string): string {
  return /\s\s|[\t\r\n]|^\s|\s$/.test(text) ? text.replace(/\s+/g, " ").trim() : text
}

/** Names of columns are several, different from each other, not empty, and neither numbers nor dates. */
export function looksLikeHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim())
  if (names.length < 2) return false
  return (
    names.every((name) => name !== "" && !/^[\d\s.,:/+%€$£-]+$/.test(name)) &&
    new Set(names).size === names.length
  )
}
