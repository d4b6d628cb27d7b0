/** Characters of a quotation, roughly: the sentence that goes over it is left out. */
const longestQuote = 360

/**
 * The part of a text that speaks of the question: its best sentence, widened to neighbours that also mention a word of
 * the question, on one line. Works by the rules of Unicode, so also for scripts without spaces.
 */
export function relevantSentences(text: string, question: string): string {
  const sentences = split(unwrap(text), "sentence")
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "")
  const wanted = new Set(wordsOf(question))
  const scores = sentences.map((sentence) => score(sentence, wanted))
  let first = Math.max(0, scores.indexOf(Math.max(...scores)))
  let last = first
  let length = (sentences[first] ?? "").length
  for (;;) {
    const after = fits(last + 1) ? (scores[last + 1] ?? 0) : 0
    const before = fits(first - 1) ? (scores[first - 1] ?? 0) : 0
    if (after === 0 && before === 0) break
    const next = after >= before ? ++last : --first
    length += 1 + (sentences[next] ?? "").length
  }
  const quote = sentences.slice(first, last + 1).join(" ")
  return quote.length <= longestQuote ? quote : `${quote.slice(0, longestQuote).replace(/\s+\S*$/, "")}…`

  function fits(index: number): boolean {
    return length + 1 + (sentences[index] ?? "").length <= longestQuote
  }
}

/** Joins the lines of a paragraph: a line break inside a sentence isn't its end. */
function unwrap(text: string): string {
  return text.replace(/(?<=[^\s.!?:;|])[ \t]*\r?\n[ \t]*(?=[\p{L}\p{N}("'„«])(?!\d+[.)]\s)/gu, " ")
}

function score(sentence: string, wanted: ReadonlySet<string>): number {
  let sum = 0
  for (const word of new Set(wordsOf(sentence))) {
    // Long words say more than short ones.
    if (wanted.has(word)) sum += word.length
  }
  return sum
}

/** Words without differences of case, accents and, for long ones, endings. */
function wordsOf(text: string): string[] {
  return split(text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase(), "word")
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => word.slice(0, 6))
}

function split(text: string, granularity: "sentence" | "word"): string[] {
  return Array.from(new Intl.Segmenter(undefined, { granularity }).segment(text), ({ segment }) => segment)
}
