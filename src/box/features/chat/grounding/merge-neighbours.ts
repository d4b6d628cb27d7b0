import type { Passage } from "../../../../shared/contract/folders.ts"

/** A passage for a citation, with the ids of the passages merged into it. */
export interface CitedPassage {
  passage: Passage
  ids: string[]
}

/** Maximum length of text that a passage repeats from the previous one; the chunker repeats about 100 characters. */
const maxOverlap = 400
const minOverlapLength = 12

/** With more passages, a citation would be too imprecise about the location. */
const maxRunLength = 4

/**
 * Merges consecutive passages of a document into one, at the position of the best one. It is cited by the location of the first passage, or
 * by the line of the best one. Repeated text is left out, so the result is never longer than its parts.
 */
export function mergeNeighbours(passages: readonly Passage[]): CitedPassage[] {
  const byPosition = new Map(passages.map((passage) => [getPositionKey(passage, 0), passage]))
  const done = new Set<Passage>()
  const next = (passage: Passage, offset: number) => {
    const neighbour = byPosition.get(getPositionKey(passage, offset))
    return neighbour && !done.has(neighbour) ? neighbour : undefined
  }
  return passages.flatMap((best) => {
    if (done.has(best)) return []
    const run = [best]
    for (let before; run.length < maxRunLength && (before = next(run[0] ?? best, -1));) run.unshift(before)
    for (let after; run.length < maxRunLength && (after = next(run.at(-1) ?? best, 1));) run.push(after)
    for (const part of run) done.add(part)
    return [{ passage: join(run, best), ids: run.map(({ id }) => id) }]
  })
}

/** Returns the key of the passage at this offset in its document. A passage without a position has no neighbours. */
function getPositionKey({ id, fileId, position }: Passage, offset: number): string {
  return position === undefined ? `${id}/${offset}` : `${fileId}/${position + offset}`
}

function join(run: readonly Passage[], best: Passage): Passage {
  const [first = best, ...rest] = run
  const text = rest.reduce((joined, next) => joined + removeRepeatedStart(joined, first, next), first.text)
  const location = best.location.line === undefined ? first.location : best.location
  return { ...first, location, text, score: best.score, rank: best.rank }
}

/** Returns a passage without the heading, the table header and the end of the previous text that it repeats. */
function removeRepeatedStart(joined: string, first: Passage, { text, location }: Passage): string {
  const lines = text.split("\n")
  const leading = first.text.split("\n")
  let repeated = lines[0] === location.heading && location.heading === first.location.heading ? 1 : 0
  while (repeated < lines.length - 1 && lines[repeated] === leading[repeated]) repeated++
  const rest = lines.slice(repeated).join("\n")
  for (let length = Math.min(maxOverlap, rest.length, joined.length); length >= minOverlapLength; length--) {
    if (joined.endsWith(rest.slice(0, length))) return rest.slice(length)
  }
  return `\n${rest}`
}
