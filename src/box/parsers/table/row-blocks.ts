import type { Location } from "../../../shared/contract/location.ts"
import { maxBlockCharacters } from "../parser.ts"
import type { Block } from "../parser.ts"
import { splitText } from "../text/split-text.ts"
import { cellBorder } from "../../../shared/words/cell-border.ts"

/**
 * Yields the blocks of one table row; none when the row is empty. The location has a column only if the row's cells can be counted in the
 * text.
 */
export function* rowBlocks(
  kind: Block["kind"],
  cells: readonly string[],
  { column, ...place }: Location,
): Generator<Block, void, undefined> {
  if (cells.every((cell) => cell.trim() === "")) return
  const text = collapse(cells.join(" | "))
  const isCountable =
    column !== undefined &&
    (!cells.some((cell) => cell.includes("|")) || text.split(cellBorder).length === cells.length)
  const location = isCountable ? { ...place, column } : place
  if (text.length <= maxBlockCharacters) return yield { kind, text, location }
  const [first = "", ...rest] = splitText(text, maxBlockCharacters)
  yield { kind, text: first, location }
  for (const part of rest) yield { kind, text: part, location: place }
}

function collapse(text: string): string {
  return /\s\s|[\t\r\n]|^\s|\s$/.test(text) ? text.replace(/\s+/g, " ").trim() : text
}

/** Whether cells look like column names: several, distinct, not empty, and neither numbers nor dates. */
export function looksLikeHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim())
  if (names.length < 2) return false
  return (
    names.every((name) => name !== "" && !/^[\d\s.,:/+%€$£-]+$/.test(name)) &&
    new Set(names).size === names.length
  )
}
