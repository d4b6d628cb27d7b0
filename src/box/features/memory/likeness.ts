import { foldCase } from "../../core/database/fold-case.ts"
import { lazy } from "../../core/lazy.ts"

const segmenter = lazy(() => new Intl.Segmenter(undefined, { granularity: "word" }))

/** The words of a text in any language, with case folded. */
export function getWords(text: string): string[] {
  return [...segmenter().segment(foldCase(text.normalize("NFKC")))]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment)
}

/** Minimum share of common words for two facts to say the same. */
const sameShare = 0.75

/**
 * Whether a fact repeats or updates another one: it has the same words, or all of the other's words and hardly any more. "Ann is
 * vegetarian" and "Ann is not vegetarian" are the same fact, and the newer one applies. Two facts that each have a word of their own
 * ("lives in Rome", "lives in Milan") may both be true.
 */
export function hasSameMeaning(one: string, other: string): boolean {
  const [fewer, more] = [new Set(getWords(one)), new Set(getWords(other))].sort((a, b) => a.size - b.size)
  if (fewer === undefined || more === undefined) return false
  if (more.size === 0) return one.trim() === other.trim()
  return [...fewer].every((word) => more.has(word)) && fewer.size / more.size >= sameShare
}

/** Scores how well each text fits a question by the words they share; rarer words weigh more. Zero for texts that share none. */
export function relevance(question: string, texts: readonly string[]): number[] {
  const asked = new Set(getWords(question))
  const words = texts.map((text) => [...new Set(getWords(text))])
  const amount = new Map<string, number>()
  for (const word of words.flat()) amount.set(word, (amount.get(word) ?? 0) + 1)
  const weight = (word: string) => Math.log(1 + texts.length / (amount.get(word) ?? 1))
  const isAsked = (word: string) => asked.has(word) || [...asked].some((other) => sameStem(word, other))
  return words.map((own) => own.filter(isAsked).reduce((sum, word) => sum + weight(word), 0))
}

/** In most languages, the forms of a word differ in their last letters. */
function sameStem(one: string, other: string): boolean {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one]
  const stem = Math.max(4, shorter.length - 2)
  return (
    shorter.length >= 4 && longer.length - shorter.length <= 3 && longer.startsWith(shorter.slice(0, stem))
  )
}
