import type { Candidate } from "./rerank.ts"
import type { AnalysedQuery } from "./text/search-text.ts"

/** A word of letters, long enough for one letter to be wrong; longer ones may have two. */
const spelled = /^\p{L}{4,}$/u
const twoWrongFrom = 8
/** Words of a question that are looked up, and spellings that are taken for one. */
const mostWords = 3
const mostSpellings = 4

/** The words of a question, as groups of its analysis, that no candidate holds: where nothing does, they may be misspelt. */
export function unseenWords({ groups }: AnalysedQuery, candidates: readonly Candidate[]): string[][] {
  const words = groups.filter((forms) => forms.some((form) => spelled.test(form)))
  if (words.length === 0) return []
  const held = new Set(candidates.flatMap(({ terms }) => terms.split(" ")))
  return words.filter((forms) => !forms.some((form) => held.has(form))).slice(0, mostWords)
}

/**
 * The question with the spellings of unknown words that the candidates hold; `null` when there are none. Only words
 * with the same first letter count, because a misspelt one nearly always has it.
 */
export function respelled(
  query: AnalysedQuery,
  unknown: readonly string[][],
  candidates: readonly Candidate[],
): AnalysedQuery | null {
  const vocabulary = new Set(candidates.flatMap(({ terms }) => terms.split(" ")))
  const found = new Map(unknown.map((forms) => [forms, spellingsOf(forms, vocabulary)]))
  if ([...found.values()].every((spellings) => spellings.length === 0)) return null
  return { ...query, groups: query.groups.map((forms) => [...forms, ...(found.get(forms) ?? [])]) }
}

function spellingsOf(forms: readonly string[], vocabulary: ReadonlySet<string>): string[] {
  const near: { term: string; distance: number }[] = []
  for (const term of vocabulary) {
    if (!spelled.test(term)) continue
    const distance = Math.min(
      ...forms.map((form) => (form[0] === term[0] ? wrongLetters(form, term) : Infinity)),
    )
    if (distance < Infinity) near.push({ term, distance })
  }
  const best = Math.min(...near.map(({ distance }) => distance))
  return near
    .filter(({ distance }) => distance === best)
    .slice(0, mostSpellings)
    .map(({ term }) => term)
}

/** Letters that are wrong, missing, too many, or swapped with their neighbour; Infinity when too many are. */
function wrongLetters(a: string, b: string): number {
  const most = Math.min(a.length, b.length) >= twoWrongFrom ? 2 : 1
  if (Math.abs(a.length - b.length) > most || Math.min(a.length, b.length) < 4) return Infinity
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      next.push(cost)
    }
    if (Math.min(...next) > most) return Infinity
    before = row
    row = next
  }
  const distance = row[b.length] ?? Infinity
  return distance <= most ? distance : Infinity
}
