import { wordPattern } from "../../../../shared/words/word-pattern.ts"

/** What finds a text in any case, with or without accents, and over the ends of lines; undefined for none. */
export function findingPattern(query: string): RegExp | undefined {
  const words = query.split(/\s+/).filter((word) => word !== "")
  return words.length === 0 ? undefined : new RegExp(words.map(wordPattern).join("\\s+"), "giu")
}

/** How often each of some texts holds it. */
export const countPlaces = (texts: readonly string[], pattern: RegExp): number[] =>
  texts.map((text) => [...text.matchAll(pattern)].length)

export interface Place {
  /** Which of the texts. */
  text: number
  /** Which of the places in it. */
  nth: number
}

/** The place of this number, counted from 0 over all texts. */
export function placeAt(counts: readonly number[], number: number): Place | undefined {
  let before = 0
  for (const [text, count] of counts.entries()) {
    if (number < before + count) return { text, nth: number - before }
    before += count
  }
  return undefined
}

/** The number of the first place in this text or after it; the first of all where there is none. */
export function firstFrom(counts: readonly number[], text: number): number {
  const before = counts.slice(0, text).reduce((sum, count) => sum + count, 0)
  return counts.slice(text).some((count) => count > 0) ? before : 0
}
