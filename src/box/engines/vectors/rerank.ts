import type { AnalysedQuery } from "./text/search-text.ts"
import { isUnspaced } from "./text/words.ts"

/** A passage that holds at least one term of the query, as the keyword index returned it. */
export interface Candidate {
  id: string
  /** BM25. */
  value: number
  /** The passage's terms, separated by spaces. */
  terms: string
  /** Of the index that holds them: words, or the parts of a script without spaces. */
  column: "words" | "grams"
  language: string | null
}

export interface KeywordHit {
  id: string
  /** Compares within one query only. */
  score: number
  /** Share of the query that the passage holds, 0–1; rarer words count more. */
  coverage: number
}

/** A passage in another language than the query's says the same in fewer of its words than chance would have it. */
const otherLanguage = 0.8
/**
 * How much it adds to the score that all of the query's neighbours are neighbours in the passage too: of words, and of
 * the parts of a script without spaces, which always are each other's.
 */
const nearness = { words: 0.75, grams: 0.25 }
/** … and that the passage holds all of the query: BM25 prefers few rare words to many. */
const completeness = 0.75
/**
 * Words of a question up to which both count in full, and from then on less: that many of a whole sentence's words, or
 * neighbours, are in a passage says little beside how rare they are.
 */
const wordsOfShort = 8
const nearDistance = 3
const space = " ".charCodeAt(0)

/** Orders the candidates by what BM25 can't see: language, and whether the words stand together. Best first. */
export function rerank(query: AnalysedQuery, candidates: Candidate[]): KeywordHit[] {
  const groupOf = new Map<string, number[]>()
  for (const [group, forms] of query.groups.entries()) {
    for (const form of forms) groupOf.set(form, [...(groupOf.get(form) ?? []), group])
  }
  const places = candidates.map((candidate) => positions(candidate.terms, groupOf, query.groups.length))
  const weights = query.groups.map((_, group) => {
    const holding = places.filter((found) => (found[group]?.length ?? 0) > 0).length
    return Math.log(1 + (candidates.length + 1) / (holding + 0.5))
  })
  const isOfWords = !isUnspaced(query.language) && query.language !== "ko" // which is looked for by pairs of letters
  const words = isOfWords ? query.groups.filter(isWord).length : 0
  const shortness = Math.min(1, wordsOfShort / words) ** 2
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return candidates
    .map(({ id, value, column, language }, index) => {
      const found = places[index] ?? []
      const held = weights.reduce(
        (sum, weight, group) => sum + ((found[group]?.length ?? 0) > 0 ? weight : 0),
        0,
      )
      const foreign = query.language !== null && language !== null && language !== query.language
      const coverage = total > 0 ? held / total : 0
      const near = 1 + nearness[column] * togetherness(found) * shortness
      const complete = 1 + completeness * coverage * shortness
      const score = value * (foreign ? otherLanguage : 1) * near * complete
      return { id, score, coverage }
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)) // LanceDB has alike ones in any order
}

/** Not what analysis adds to words: beginnings of compounds, and identifiers as a whole. */
const isWord = ([form = ""]: readonly string[]) => !/^[\^=_]/.test(form)

/** For each group of the query, at which words of the passage its forms stand. Few are, so the others aren't looked at. */
function positions(terms: string, groupOf: Map<string, number[]>, groups: number): number[][] {
  const places: { at: number; form: string }[] = []
  for (const form of groupOf.keys()) {
    if (form === "") continue // what a stemmer leaves of some short words
    for (let at = terms.indexOf(form); at >= 0; at = terms.indexOf(form, at + form.length)) {
      const end = at + form.length
      if ((at === 0 || terms[at - 1] === " ") && (end === terms.length || terms[end] === " "))
        places.push({ at, form })
    }
  }
  const found: number[][] = Array.from({ length: groups }, () => [])
  let position = 0
  let from = 0
  for (const { at, form } of places.sort((a, b) => a.at - b.at)) {
    for (; from < at; from++) if (terms.charCodeAt(from) === space) position++
    for (const group of groupOf.get(form) ?? []) found[group]?.push(position)
  }
  return found
}

/** 0–1: how many of the query's neighbouring words stand near one another in the passage. */
function togetherness(found: number[][]): number {
  if (found.length < 2) return 0
  let near = 0
  for (let group = 0; group + 1 < found.length; group++) {
    const distance = smallestDistance(found[group] ?? [], found[group + 1] ?? [])
    if (distance <= nearDistance) near += 1 / Math.sqrt(distance)
  }
  return near / (found.length - 1)
}

/** Both lists ascend. */
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
