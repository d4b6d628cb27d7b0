import { getTextLanguage } from "../../engines/vectors/text/search-text.ts"
import {
  findPartialDates,
  findValues,
  type PartialDate,
  type TextValue,
} from "../../engines/vectors/text/values.ts"

const quoted = /"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』/gu
const betweenWords = /[^\p{L}\p{N}\p{M}]+/gu
/** Scripts without spaces between words, in which a phrase may start anywhere. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Mymr}]/u
const maxPhrases = 4
/** Maximum number of dates and amounts of a question by which passages are ordered. */
const maxValues = 4

/** Rates how many of a question's quoted phrases, dates and amounts a passage contains exactly. */
export interface ExactMatcher {
  /** Returns 0 if it contains none. Passages with a higher level come first. A level below 1 may be a coincidence. */
  getLevel(text: string): number
}

/** Returns null if the question contains nothing that must be matched exactly. */
export function createExactMatcher(query: string): ExactMatcher | null {
  const containsPhrases = createPhraseMatcher(query)
  const values = findValues(query, () => getTextLanguage(query, "query"))
  const wanted = values.filter((value) => isDistinctive(value, query)).slice(0, maxValues)
  const days = values.filter((value) => value.kind === "date" || isYear(value))
  const amounts = wanted.filter(({ kind }) => kind !== "date")
  // The ends of a period, or the years of a comparison, are rarely written in full in the passage that has the answer.
  const kinds = [days.length === 1 ? wanted.filter(({ kind }) => kind === "date") : [], amounts].filter(
    ({ length }) => length > 0,
  )
  const [partial, ...others] = days.some(({ kind }) => kind === "date") ? [] : findPartialDates(query)
  const period = others.length === 0 ? partial : undefined
  if (!containsPhrases && kinds.length === 0 && !period) return null
  const phrasesLevel = (kinds.length + (period ? 1 : 0)) * levels.exact + 1
  return {
    getLevel(text) {
      const phrases = containsPhrases?.(text) ? phrasesLevel : 0
      if (kinds.length === 0 && !period) return phrases
      const found = findValues(text, () => getTextLanguage(text, "passage"))
      const rated = kinds.map((some) => Math.max(...some.map((value) => rate(value, found))))
      const level = phrases + rated.reduce((sum, each) => sum + each, 0)
      return period && isInPeriod(period, text, found) ? level + levels.exact : level
    },
  }
}

/** Whether a text has a date of a month or day, or names the same month or day. */
function isInPeriod(period: PartialDate, text: string, found: readonly TextValue[]): boolean {
  const isNamed = findPartialDates(text).some(({ terms }) => terms[0] === period.terms[0])
  return isNamed || found.some(({ kind, readings }) => kind === "date" && readings.some(period.includes))
}

/**
 * Orders by level, and by the existing order within a level, if any level is at least 1. The scores are reassigned in the new order.
 */
export function moveMatchesFirst<Hit extends { score: number }>(
  ranked: readonly Hit[],
  getLevel: (hit: Hit) => number,
): Hit[] {
  const rated = ranked.map((hit) => ({ hit, level: getLevel(hit) }))
  if (rated.every(({ level }) => level < 1)) return [...ranked]
  return rated
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

/**
 * `possible`: one reading of an ambiguous date or number, or an amount whose currency isn't next to it. `plain`: the same digits without
 * separators or a currency, which may be the number of a road or a year.
 */
const levels = { exact: 2, possible: 1, plain: 0.5 }

const minNumber = 100
const years = { first: 1800, last: 2199 }

/** Small numbers and years without a currency occur in many passages for other reasons. */
function isDistinctive(value: TextValue, query: string): boolean {
  const { kind, readings, isFormatted, start, end } = value
  if (kind !== "number") return true
  const isLarge = Number(readings[0]) >= minNumber
  return isFormatted ? isLarge || /[.,]\d\d$/.test(query.slice(start, end)) : isLarge && !isYear(value)
}

function isYear({ kind, readings, isFormatted }: TextValue): boolean {
  const value = Number(readings[0])
  return kind === "number" && !isFormatted && value >= years.first && value <= years.last
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
    const isPlain = !wanted.isFormatted && !value.isFormatted
    best = Math.max(best, isPlain ? levels.plain : isPossible ? levels.possible : levels.exact)
  }
  return best
}
