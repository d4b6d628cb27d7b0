import { foldedWords } from "../../../../shared/words/get-words.ts"

/** Approximate maximum length of a quotation in characters. A sentence that would exceed it is left out. */
const maxQuoteLength = 360

/**
 * Returns the part of a text that is about the question, on one line: its best sentence and neighbours that also contain a word of the
 * question. It follows the rules of Unicode, so it also works for scripts without spaces.
 */
export function relevantSentences(text: string, question: string): string {
  const wanted = new Set(foldedWords(question))
  const pieces = splitSentences(unwrap(text))
    .map((piece) => piece.replace(/\s+/g, " ").trim())
    .filter((piece) => piece !== "")
    .map((piece) => ({ text: piece, isSentence: endOfSentence.test(piece), score: getScore(piece, wanted) }))
  // A heading is used only if no sentence is as relevant.
  const getWeight = (piece: (typeof pieces)[number]) =>
    piece.isSentence ? piece.score + 0.5 : piece.score / 2
  const best = pieces.reduce((a, b) => (getWeight(b) > getWeight(a) ? b : a), pieces[0] ?? nothing)
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
  return quote.length <= maxQuoteLength ? quote : `${quote.slice(0, maxQuoteLength).replace(/\s+\S*$/, "")}…`

  /** Score that a neighbour adds. Headings and sentences aren't mixed. */
  function scoreAt(index: number): number {
    const piece = pieces[index]
    if (!piece || piece.isSentence !== best.isSentence || length + 1 + piece.text.length > maxQuoteLength)
      return 0
    return piece.score
  }
}

const nothing = { text: "", isSentence: false, score: 0 }
const endOfSentence = /[.!?…。！？۔।]["'”»」』)]*$/u

/**
 * Joins the lines of a paragraph, because a line break inside a sentence isn't its end. Headings and list items stay separate: the next
 * line neither continues in lower case nor follows a full line.
 */
function unwrap(text: string): string {
  return text.replace(
    /(?<=[^\s.!?:;|])[ \t]*\r?\n[ \t]*(?=\p{Ll})|(?<=[^\r\n]{50}[^\s.!?:;|])[ \t]*\r?\n[ \t]*(?=[\p{L}\p{N}("'„«])/gu,
    " ",
  )
}

/** Scores how much a text is about the wanted words. */
export function getScore(sentence: string, wanted: ReadonlySet<string>): number {
  let sum = 0
  for (const word of new Set(foldedWords(sentence))) {
    // Long words are more significant than short ones.
    if (wanted.has(word)) sum += word.length
  }
  return sum
}

const splitSentences = (text: string): string[] =>
  Array.from(
    new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text),
    ({ segment }) => segment,
  )
