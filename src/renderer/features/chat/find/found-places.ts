import { wordPattern } from "../../../../shared/words/find-in-text.ts"

/** Returns a pattern that finds a text in any case, with or without accents, and across line ends. Undefined for an empty query. */
export function findingPattern(query: string): RegExp | undefined {
  const words = query.split(/\s+/).filter((word) => word !== "")
  return words.length === 0 ? undefined : new RegExp(words.map(wordPattern).join("\\s+"), "giu")
}

/** Counts the matches in each text. */
export const countMatches = (texts: readonly string[], pattern: RegExp): number[] =>
  texts.map((text) => [...text.matchAll(pattern)].length)

export interface TextMatch {
  /** Index of the text. */
  text: number
  /** Index of the match in the text. */
  nth: number
}

/** Returns the match with this number, counted from 0 across all texts. */
export function findMatchAt(counts: readonly number[], number: number): TextMatch | undefined {
  let before = 0
  for (const [text, count] of counts.entries()) {
    if (number < before + count) return { text, nth: number - before }
    before += count
  }
  return undefined
}

/** Returns the number of the first match in this text or after it, or of the first match if none follows. */
export function firstFrom(counts: readonly number[], text: number): number {
  const before = counts.slice(0, text).reduce((sum, count) => sum + count, 0)
  return counts.slice(text).some((count) => count > 0) ? before : 0
}
