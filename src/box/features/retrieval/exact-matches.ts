import { getTextLanguage } from "../../engines/vectors/text/search-text.ts"
import { findValues, type TextValue } from "../../engines/vectors/text/values.ts"

const quoted = /"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』/gu
const betweenWords = /[^\p{L}\p{N}\p{M}]+/gu
/** Scripts without spaces between words, in which a phrase may start anywhere. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]/u
const maxPhrases = 4
/** Maximum number of dates and amounts of a question by which passages are ordered. */
const maxValues = 4

/** Rates how many of a question's quoted phrases, dates and amounts a passage contains exactly. */
export interface ExactMatcher {
  /** Returns 0 if it contains none. Passages with a higher level come first. */
  getLevel(text: string): number
}

/** Returns null if the question contains nothing that must be matched exactly. */
export function createExactMatcher(query: string): ExactMatcher | null {
  const containsPhrases = createPhraseMatcher(query)
  const wanted = findValues(query, () => getTextLanguage(query, "query"))
    .filter(isDistinctive)
    .slice(0, maxValues)
  if (!containsPhrases && wanted.length === 0) return null
  const phrasesLevel = wanted.length * levels.exact + 1
  return {
    getLevel(text) {
      const phrases = containsPhrases?.(text) ? phrasesLevel : 0
      if (wanted.length === 0) return phrases
      const found = findValues(text, () => getTextLanguage(text, "passage"))
      return phrases + wanted.reduce((sum, value) => sum + rate(value, found), 0)
    },
  }
}

/** Orders by level, and by the existing order within a level. The scores are reassigned in the new order. */
export function moveMatchesFirst<Hit extends { score: number }>(
  ranked: readonly Hit[],
  getLevel: (hit: Hit) => number,
): Hit[] {
  return ranked
    .map((hit) => ({ hit, level: getLevel(hit) }))
    .toSorted((a, b) => b.level - a.level)
    .map(({ hit }, place) => ({ ...hit, score: ranked[place]?.score ?? 0 }))
}

/**
 * Returns a function that checks whether a text contains all quoted phrases of the question word for word; `null` if there are no quotes.
 */
function createPhraseMatcher(query: string): ((text: string) => boolean) | null {
  const phrases = Array.from(query.matchAll(quoted), (match) => plain(match.slice(1).find(Boolean) ?? ""))
    .filter((phrase) => phrase !== "")
    .slice(0, maxPhrases)
  if (phrases.length === 0) return null
  return (text) => {
    const words = ` ${plain(text)} `
    return phrases.every((phrase) =>
      unspaced.test(phrase)
        ? words.replaceAll(" ", "").includes(phrase.replaceAll(" ", ""))
        : words.includes(` ${phrase} `),
    )
  }
}

const plain = (text: string) => text.normalize("NFKC").toLowerCase().replace(betweenWords, " ").trim()

/** `possible`: one reading of an ambiguous date or number, or an amount whose currency isn't next to it. */
const levels = { exact: 2, possible: 1 }

const minNumber = 100
const years = { first: 1800, last: 2199 }

/** Small numbers and years without a currency occur in many passages for other reasons. */
function isDistinctive({ kind, readings, isFormatted }: TextValue): boolean {
  if (kind !== "number" || isFormatted) return true
  const value = Number(readings[0])
  return value >= minNumber && (value < years.first || value > years.last)
}

function rate(wanted: TextValue, found: readonly TextValue[]): number {
  let best = 0
  for (const value of found) {
    const isComparable = (wanted.kind === "date") === (value.kind === "date")
    const isOtherCurrency =
      wanted.currency !== null && value.currency !== null && value.currency !== wanted.currency
    if (!isComparable || isOtherCurrency || !value.readings.some((one) => wanted.readings.includes(one)))
      continue
    const isPossible = value.readings.length > 1 || (wanted.currency !== null && value.currency === null)
    best = Math.max(best, isPossible ? levels.possible : levels.exact)
  }
  return best
}
