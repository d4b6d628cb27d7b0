import type { CountedTerm } from "./count-terms.ts"

/** In how many of some documents a term stands. */
export interface Spread {
  documents: number
  /** By its key. */
  holding(key: string): number
}

const mostTerms = 30
/** Of the places of a word, so many are those of a pair that stands for it. */
const mostlyInPair = 0.6
/** Two words that keep standing together say more than each by itself. */
const pairWeight = 1.4
/** Characters by which two words are one, in different forms. */
const sameBeginning = 0.75

/** What stands out in a document: it is frequent there, and rare in the others. First what does most. */
export function rankTerms(terms: readonly CountedTerm[], spread: Spread): CountedTerm[] {
  const counts = new Map(terms.map(({ key, count }) => [key, count]))
  const inPairs = new Map<string, number>()
  for (const { words, count } of terms)
    if (words.length === 2)
      for (const word of words) inPairs.set(word, Math.max(inPairs.get(word) ?? 0, count))
  const rarity = (key: string) => Math.log(1 + spread.documents / Math.max(1, spread.holding(key)))
  const scored = terms
    .filter(({ key, words, count }) =>
      words.length === 1
        ? (inPairs.get(key) ?? 0) < mostlyInPair * count
        : words.some((word) => count >= mostlyInPair * (counts.get(word) ?? 0)),
    )
    .map((term) => ({
      term,
      score: Math.sqrt(term.count) * rarity(term.key) * (term.words.length === 2 ? pairWeight : 1),
    }))
    .toSorted((a, b) => b.score - a.score || (a.term.key < b.term.key ? -1 : 1))
  const chosen: CountedTerm[] = []
  for (const { term } of scored) {
    if (chosen.length >= mostTerms) break
    if (!chosen.some(({ key }) => isSame(key, term.key))) chosen.push(term)
  }
  return chosen
}

/** "contract" and "contracts", "Vertrag" and "Verträge": a list of both would say one thing twice. */
function isSame(a: string, b: string): boolean {
  const length = Math.ceil(Math.max(a.length, b.length) * sameBeginning)
  return Math.min(a.length, b.length) >= length && length >= 4 && plain(a, length) === plain(b, length)
}

const plain = (text: string, length: number) =>
  text.normalize("NFD").replaceAll(/\p{M}/gu, "").slice(0, length)
