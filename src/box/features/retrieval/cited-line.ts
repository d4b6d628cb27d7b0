import type { Location } from "../../../shared/contract/location.ts"
import { getWords, type Word } from "../../../shared/words/words.ts"

/**
 * Character offsets of parts of a passage, with their line in the document and the heading above. Between two entries, lines are
 * consecutive.
 */
export type LineStarts = readonly (readonly [at: number, line: number, heading?: string | undefined])[]

/** A passage's location as it is stored: API responses leave out `lines`. */
export type PassageLocation = Location & { lines?: LineStarts }

/** The line of the document that best matches the query, with its heading; undefined if no line shares a word with it. */
export function citedLine(
  text: string,
  starts: LineStarts,
  query: string,
): Pick<Location, "line" | "heading"> | undefined {
  // Long words are compared without their endings, and also as written, because endings matter in numbers.
  const wanted = new Set(getWords(query).flatMap(bothForms))
  let best: ReturnType<typeof citedLine>
  let bestScore = 0
  let next = 0
  let at = 0
  let line: number | undefined
  let heading: string | undefined
  for (const written of text.split("\n")) {
    for (let start = starts[next]; start && start[0] <= at; start = starts[++next]) [, line, heading] = start
    let score = 0
    // Long words are weighted more than short ones.
    for (const word of new Set(getWords(written).flatMap(bothForms)))
      if (wanted.has(word)) score += word.length
    if (line !== undefined && score > bestScore) {
      best = { line, ...(heading !== undefined && { heading }) }
      bestScore = score
    }
    at += written.length + 1
    if (line !== undefined) line++
  }
  return best
}

const bothForms = ({ written, folded }: Word): string[] => [folded, `=${written.toLowerCase()}`]
