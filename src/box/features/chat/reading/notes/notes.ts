import { createRareWords } from "./rare-words.ts"

/** A model's note on a part: a statement, and the zero-based numbers of the blocks that support it. */
export interface Note {
  text: string
  blocks: number[]
  /** The cells of the row, if a table was requested. */
  cells?: string[] | undefined
}

/** Maximum number of statements in one answer, in case a model never stops. */
const maxNotes = 1_000
const citation = /\[\s*(\d+(?:\s*[,;]\s*\d+)*)\s*\]/g
const bullet = /^\s*(?:[-*•–]|\d+[.)])\s+/
const nothing = /^\W*(?:none|nothing|n\/a)\W*$/i

/** Returns whether the model reported that nothing in a part matters for the question. */
export const isNothingRelevant = (answer: string): boolean => nothing.test(answer.trim())

/** Returns the numbers in square brackets in a line. */
export const citedNumbers = (line: string): number[] =>
  [...line.matchAll(citation)].flatMap(([, numbers = ""]) => numbers.split(/[,;]/).map(Number))

export const removeCitations = (line: string): string =>
  line
    .replace(citation, "")
    .replace(/(?<!\s)\s+([.,;:!?])/g, "$1")
    .trim()

/**
 * Parses a model's notes line by line. A statement without valid block numbers is assigned to the block that shares most of its rare words.
 */
export function parseNotes(answer: string, texts: readonly string[]): Note[] {
  const rare = createRareWords(texts)
  const notes = new Map<string, Note>()
  for (const line of answer.split("\n")) {
    const text = removeCitations(line.replace(bullet, ""))
    if (!/[\p{L}\p{N}]/u.test(text) || nothing.test(text) || notes.size >= maxNotes) continue
    const valid = [...new Set(citedNumbers(line))].filter((number) => number >= 1 && number <= texts.length)
    const guessed = valid.length > 0 ? null : rare.best(text)
    const blocks = guessed === null ? valid.map((number) => number - 1) : [guessed]
    const before = notes.get(text)
    notes.set(text, { text, blocks: [...new Set([...(before?.blocks ?? []), ...blocks])] })
  }
  return [...notes.values()]
}

/** Number of words at the end of an answer that are checked for repetition, and the share of them that must be distinct. */
const lastWords = 120
const different = 0.2

/** Returns whether a model that didn't stop by itself is repeating the same text. */
export function repeatsItself(answer: string): boolean {
  const words = answer.trim().split(/\s+/).slice(-lastWords)
  return words.length === lastWords && new Set(words).size < lastWords * different
}
