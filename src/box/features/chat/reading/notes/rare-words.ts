/** Finds the text that a statement is about by the words that few of the texts contain. */
export interface RareWords {
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
      const places = holding.get(word)
      if (places) places.push(index)
      else holding.set(word, [index])
    }
  }

  /** Returns the two texts that share most, with what they share. */
  function ranked(words: ReadonlySet<string>) {
    const scores = new Map<number, { score: number; words: number }>()
    for (const word of words) {
      const places = holding.get(word) ?? []
      for (const index of places) {
        const before = scores.get(index) ?? { score: 0, words: 0 }
        scores.set(index, { score: before.score + 1 / places.length, words: before.words + 1 })
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
