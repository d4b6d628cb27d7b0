import type { AnalysedQuery } from "./text/search-text.ts"
import { isUnspaced } from "./text/words.ts"

/** A passage that contains at least one term of the query, as returned by the keyword index. */
export interface Candidate {
  id: string
  /** The BM25 score. */
  value: number
  /** The passage's terms, separated by spaces. */
  terms: string
  /** The index that contains the terms: words, or fragments of a script without spaces. */
  column: "words" | "grams"
  language: string | null
}

export interface KeywordHit {
  id: string
  /** Comparable only within one query. */
  score: number
  /** Share of the query that the passage contains, 0–1; rarer words have more weight. */
  coverage: number
}

/** Score factor for a passage in another language than the query's. */
const otherLanguageWeight = 0.8
/**
 * Maximum addition to the score if all adjacent words of the query are also adjacent in the passage. It is lower for fragments of a script
 * without spaces, which are always adjacent.
 */
const nearness = { words: 0.75, grams: 0.25 }
/** Maximum addition to the score if the passage contains the whole query: BM25 prefers few rare words to many. */
const completeness = 0.75
/**
 * Up to this many words in a question, adjacency and completeness have their full effect; above it, less. In a long sentence, the rarity of
 * the matching words matters more than their number.
 */
const wordsOfShort = 8
const nearDistance = 3
const space = " ".charCodeAt(0)

/** Orders the candidates by criteria that BM25 doesn't use: language, and whether the words are close together. Best first. */
export function rerank(query: AnalysedQuery, candidates: Candidate[]): KeywordHit[] {
  const groupOf = new Map<string, number[]>()
  for (const [group, forms] of query.groups.entries()) {
    for (const form of forms) groupOf.set(form, [...(groupOf.get(form) ?? []), group])
  }
  const occurrences = candidates.map((candidate) => positions(candidate.terms, groupOf, query.groups.length))
  const weights = query.groups.map((_, group) => {
    const holding = occurrences.filter((found) => (found[group]?.length ?? 0) > 0).length
    return Math.log(1 + (candidates.length + 1) / (holding + 0.5))
  })
  const isOfWords = !isUnspaced(query.language) && query.language !== "ko" // Korean is searched by pairs of letters
  const words = isOfWords ? query.groups.filter(isWord).length : 0
  const shortness = Math.min(1, wordsOfShort / words) ** 2
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return candidates
    .map(({ id, value, column, language }, index) => {
      const found = occurrences[index] ?? []
      const held = weights.reduce(
        (sum, weight, group) => sum + ((found[group]?.length ?? 0) > 0 ? weight : 0),
        0,
      )
      const foreign = query.language !== null && language !== null && language !== query.language
      const coverage = total > 0 ? held / total : 0
      const near = 1 + nearness[column] * getWordProximity(found) * shortness
      const complete = 1 + completeness * coverage * shortness
      const score = value * (foreign ? otherLanguageWeight : 1) * near * complete
      return { id, score, coverage }
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)) // LanceDB returns equal scores in any order
}

/** Excludes the forms that analysis adds: beginnings of compounds, and whole identifiers. */
const isWord = ([form = ""]: readonly string[]) => !/^[\^=_]/.test(form)

/**
 * For each group of the query, returns the word positions of its forms in the passage. Other words aren't examined, because matches are
 * few.
 */
function positions(terms: string, groupOf: Map<string, number[]>, groups: number): number[][] {
  const occurrences: { at: number; form: string }[] = []
  for (const form of groupOf.keys()) {
    if (form === "") continue // a stemmer reduces some short words to nothing
    for (let at = terms.indexOf(form); at >= 0; at = terms.indexOf(form, at + form.length)) {
      const end = at + form.length
      if ((at === 0 || terms[at - 1] === " ") && (end === terms.length || terms[end] === " "))
        occurrences.push({ at, form })
    }
  }
  const found: number[][] = Array.from({ length: groups }, () => [])
  let position = 0
  let from = 0
  for (const { at, form } of occurrences.sort((a, b) => a.at - b.at)) {
    for (; from < at; from++) if (terms.charCodeAt(from) === space) position++
    for (const group of groupOf.get(form) ?? []) found[group]?.push(position)
  }
  return found
}

/** Returns 0–1: how many adjacent words of the query are close to each other in the passage. */
function getWordProximity(found: number[][]): number {
  if (found.length < 2) return 0
  let near = 0
  for (let group = 0; group + 1 < found.length; group++) {
    const distance = smallestDistance(found[group] ?? [], found[group + 1] ?? [])
    if (distance <= nearDistance) near += 1 / Math.sqrt(distance)
  }
  return near / (found.length - 1)
}

/** Both lists must be in ascending order. */
function smallestDistance(a: number[], b: number[]): number {
  let smallest = Infinity
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const difference = (b[j] ?? 0) - (a[i] ?? 0)
    if (difference !== 0) smallest = Math.min(smallest, Math.abs(difference))
    if (difference > 0) i++
    else j++
  }
  return smallest
}
