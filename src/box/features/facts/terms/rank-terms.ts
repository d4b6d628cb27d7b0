import type { CountedTerm } from "./count-terms.ts"

/** The number of documents that contain a term. */
export interface Spread {
  documents: number
  /** Takes the key of a term. */
  countDocuments(key: string): number
}

const maxTerms = 30
/** If at least this share of a word's occurrences are in a pair, the pair replaces the word. */
const mostlyInPair = 0.6
/** Weight of a pair: two words that often occur together say more than each alone. */
const pairWeight = 1.4
/** Share of leading characters that must match for two words to be forms of the same word. */
const minSharedStart = 0.75

/** Returns the terms that are frequent in a document and rare in others, most distinctive first. */
export function rankTerms(terms: readonly CountedTerm[], spread: Spread): CountedTerm[] {
  const counts = new Map(terms.map(({ key, count }) => [key, count]))
  const pairCounts = new Map<string, number>()
  for (const { words, count } of terms)
    if (words.length === 2)
      for (const word of words) pairCounts.set(word, Math.max(pairCounts.get(word) ?? 0, count))
  const rarity = (key: string) => Math.log(1 + spread.documents / Math.max(1, spread.countDocuments(key)))
  const scored = terms
    .filter(({ key, words, count }) =>
      words.length === 1
        ? (pairCounts.get(key) ?? 0) < mostlyInPair * count
        : words.some((word) => count >= mostlyInPair * (counts.get(word) ?? 0)),
    )
    .map((term) => ({
      term,
      score: Math.sqrt(term.count) * rarity(term.key) * (term.words.length === 2 ? pairWeight : 1),
    }))
    .toSorted((a, b) => b.score - a.score || (a.term.key < b.term.key ? -1 : 1))
  const chosen: CountedTerm[] = []
  for (const { term } of scored) {
    if (chosen.length >= maxTerms) break
    if (!chosen.some(({ key }) => isSame(key, term.key))) chosen.push(term)
  }
  return chosen
}

/** "contract" and "contracts", "Vertrag" and "Verträge": listing both would be redundant. */
function isSame(a: string, b: string): boolean {
  const length = Math.ceil(Math.max(a.length, b.length) * minSharedStart)
  return Math.min(a.length, b.length) >= length && length >= 4 && plain(a, length) === plain(b, length)
}

const plain = (text: string, length: number) =>
  text.normalize("NFD").replaceAll(/\p{M}/gu, "").slice(0, length)
