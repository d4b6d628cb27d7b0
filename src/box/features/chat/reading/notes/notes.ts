import { createRareWords } from "./rare-words.ts"

/** What a model noted of a part: a statement, and the blocks of the part that it rests on, by their numbers from 0. */
export interface Note {
  text: string
  blocks: number[]
  /** Where a table is asked for: what its row holds. */
  cells?: string[] | undefined
}

/** Statements of one answer; a model that goes on for ever says no more that counts. */
const mostNotes = 1_000
const citation = /\[\s*(\d+(?:\s*[,;]\s*\d+)*)\s*\]/g
const bullet = /^\s*(?:[-*•–]|\d+[.)])\s+/
const nothing = /^\W*(?:none|nothing|n\/a)\W*$/i

/** What a model says of a part in which nothing matters for the question. */
export const saysNothingMatters = (answer: string): boolean => nothing.test(answer.trim())

/** The numbers in square brackets of a line. */
export const citedNumbers = (line: string): number[] =>
  [...line.matchAll(citation)].flatMap(([, numbers = ""]) => numbers.split(/[,;]/).map(Number))

export const withoutCitations = (line: string): string =>
  line
    .replace(citation, "")
    .replace(/(?<!\s)\s+([.,;:!?])/g, "$1")
    .trim()

/**
 * A model's notes, line by line. A statement whose numbers are no blocks of the part, or that has none, rests on the block
 * with most of its rare words.
 */
export function parseNotes(answer: string, texts: readonly string[]): Note[] {
  const rare = createRareWords(texts)
  const notes = new Map<string, Note>()
  for (const line of answer.split("\n")) {
    const text = withoutCitations(line.replace(bullet, ""))
    if (!/[\p{L}\p{N}]/u.test(text) || nothing.test(text) || notes.size >= mostNotes) continue
    const valid = [...new Set(citedNumbers(line))].filter((number) => number >= 1 && number <= texts.length)
    const guessed = valid.length > 0 ? null : rare.best(text)
    const blocks = guessed === null ? valid.map((number) => number - 1) : [guessed]
    const before = notes.get(text)
    notes.set(text, { text, blocks: [...new Set([...(before?.blocks ?? []), ...blocks])] })
  }
  return [...notes.values()]
}

/** Words at the end of an answer that are looked at for repetition, and the share of them that must be different. */
const lastWords = 120
const different = 0.2

/** Whether a model that didn't stop by itself has come to say the same over and over. */
export function repeatsItself(answer: string): boolean {
  const words = answer.trim().split(/\s+/).slice(-lastWords)
  return words.length === lastWords && new Set(words).size < lastWords * different
}
