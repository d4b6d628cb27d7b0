import { foldedWords } from "../../../../shared/words/words-of.ts"

/** Characters of a quotation, roughly: the sentence that goes over it is left out. */
const longestQuote = 360

/**
 * The part of a text that speaks of the question: its best sentence, widened to neighbours that also mention a word of
 * the question, on one line. Works by the rules of Unicode, so also for scripts without spaces.
 */
export function relevantSentences(text: string, question: string): string {
  const wanted = new Set(foldedWords(question))
  const pieces = sentencesOf(unwrap(text))
    .map((piece) => piece.replace(/\s+/g, " ").trim())
    .filter((piece) => piece !== "")
    .map((piece) => ({ text: piece, isSentence: endOfSentence.test(piece), score: scoreOf(piece, wanted) }))
  // A heading only counts where no sentence says as much.
  const weightOf = (piece: (typeof pieces)[number]) =>
    piece.isSentence ? piece.score + 0.5 : piece.score / 2
  const best = pieces.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a), pieces[0] ?? nothing)
  let first = Math.max(0, pieces.indexOf(best))
  let last = first
  let length = best.text.length
  for (;;) {
    const after = scoreAt(last + 1)
    const before = scoreAt(first - 1)
    if (after === 0 && before === 0) break
    const next = after >= before ? ++last : --first
    length += 1 + (pieces[next]?.text.length ?? 0)
  }
  const quote = pieces
    .slice(first, last + 1)
    .map((piece) => piece.text)
    .join(" ")
  return quote.length <= longestQuote ? quote : `${quote.slice(0, longestQuote).replace(/\s+\S*$/, "")}…`

  /** What a neighbour adds; headings and sentences don't mix. */
  function scoreAt(index: number): number {
    const piece = pieces[index]
    if (!piece || piece.isSentence !== best.isSentence || length + 1 + piece.text.length > longestQuote)
      return 0
    return piece.score
  }
}

const nothing = { text: "", isSentence: false, score: 0 }
const endOfSentence = /[.!?…。！？۔।]["'”»」』)]*$/u

/**
 * Joins the lines of a paragraph: a line break inside a sentence isn't its end. Headings and entries of lists stay
 * by themselves: the next line neither goes on in lower case nor was there no room for it.
 */
function unwrap(text: string): string {
  return text.replace(
    /(?<=[^\s.!?:;|])[ \t]*\r?\n[ \t]*(?=\p{Ll})|(?<=[^\r\n]{50}[^\s.!?:;|])[ \t]*\r?\n[ \t]*(?=[\p{L}\p{N}("'„«])/gu,
    " ",
  )
}

/** How much a text speaks of the words that are wanted. */
export function scoreOf(sentence: string, wanted: ReadonlySet<string>): number {
  let sum = 0
  for (const word of new Set(foldedWords(sentence))) {
    // Long words say more than short ones.
    if (wanted.has(word)) sum += word.length
  }
  return sum
}

const sentencesOf = (text: string): string[] =>
  Array.from(
    new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text),
    ({ segment }) => segment,
  )
