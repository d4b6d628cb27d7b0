/** Finds the text that a statement is about by the words that few of the texts contain. */
interface RareWords {
  /** Returns the text that shares most rare words with the statement, or null if none shares any. */
  best(statement: string): number | null
  /** Like `best`, but returns null unless no other text comes close and the text contains most of the statement. */
  certain(statement: string): number | null
}

/** The best text must share at least this many times as much as the second best to be certain. */
const clearly = 1.5
/** Minimum share of a statement's own words that the text must contain. */
const maxPerSource = 0.6

export function createRareWords(texts: readonly string[]): RareWords {
  const holding = new Map<string, number[]>()
  for (const [index, text] of texts.entries()) {
    for (const word of getWords(text)) {
      const noteIndexes = holding.get(word)
      if (noteIndexes) noteIndexes.push(index)
      else holding.set(word, [index])
    }
  }

  /** Returns the two texts that share most, with what they share. */
  function ranked(words: ReadonlySet<string>) {
    const scores = new Map<number, { score: number; words: number }>()
    for (const word of words) {
      const noteIndexes = holding.get(word) ?? []
      for (const index of noteIndexes) {
        const before = scores.get(index) ?? { score: 0, words: 0 }
        scores.set(index, { score: before.score + 1 / noteIndexes.length, words: before.words + 1 })
      }
    }
    return [...scores].sort(([a, one], [b, other]) => other.score - one.score || a - b).slice(0, 2)
  }

  return {
    best: (statement) => ranked(getWords(statement))[0]?.[0] ?? null,

    certain(statement) {
      const words = getWords(statement)
      const [first, second] = ranked(words)
      if (first === undefined || first[1].words < Math.max(2, words.size * maxPerSource)) return null
      return first[1].score >= (second?.[1].score ?? 0) * clearly ? first[0] : null
    },
  }
}

/** Returns the words of three characters or more, and the numbers, ignoring case and accents. */
function getWords(text: string): Set<string> {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  return new Set(plain.match(/[\p{L}\p{N}]{3,}|\p{N}+/gu))
}

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
