import type { ChatEvent, ChatMessage, Source } from "../../../../shared/contract/chat.ts"
import { cellBorder, foldedWords } from "../../../../shared/words/words.ts"
import { detectLanguage } from "../../../engines/vectors/text/languages.ts"
import { describeLocation, unitWords, type UnitWords } from "../../../../shared/words/location-words.ts"

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
function getScore(sentence: string, wanted: ReadonlySet<string>): number {
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

const between = " | "
const maxRows = 5
const maxColumns = 20

/** Returns the rows of a table that are about the question, under the table's first row, as Markdown; undefined for other texts. */
export function quotedTable(text: string, question: string): string | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const rows = lines.filter((line) => line.includes(between)).map((line) => line.split(cellBorder))
  const [head, ...others] = rows
  if (!head || others.length === 0 || rows.length < lines.length / 2) return undefined
  const wanted = new Set(foldedWords(question))
  const scored = others.map((cells) => ({ cells, score: getScore(cells.join(" "), wanted) }))
  const best = new Set(scored.toSorted((a, b) => b.score - a.score).slice(0, maxRows))
  const max = Math.max(...[...best].map(({ score }) => score))
  const shown = scored.filter((row) => best.has(row) && (max === 0 || row.score > 0))
  const width = Math.min(maxColumns, Math.max(head.length, ...shown.map(({ cells }) => cells.length)))
  return [head, Array.from({ length: width }, () => "---"), ...shown.map(({ cells }) => cells)]
    .map((cells) => getRow(cells, width))
    .join("\n")
}

const getRow = (cells: readonly string[], width: number): string =>
  `| ${Array.from({ length: width }, (_, index) => (cells[index] ?? "").trim().replaceAll("|", "\\|")).join(between)} |`

type TextDelta = Extract<ChatEvent, { type: "text-delta" }>

/** The box's own text in an answer. */
interface QuoteTexts {
  nothing: string
  closest: string
  units: UnitWords
}

const english: QuoteTexts = {
  nothing: "I found nothing about this in the chosen folders.",
  closest: "Nothing in the chosen folders answers this in so many words. The closest passages:",
  units: unitWords.en,
}
const phrases: Partial<Record<string, QuoteTexts>> = {
  it: {
    nothing: "Nelle cartelle scelte non ho trovato nulla su questo.",
    closest: "Nulla nelle cartelle scelte risponde con queste parole. I passi più vicini:",
    units: unitWords.it,
  },
  de: {
    nothing: "In den gewählten Ordnern habe ich dazu nichts gefunden.",
    closest: "Nichts in den gewählten Ordnern beantwortet das mit diesen Worten. Die nächsten Stellen:",
    units: unitWords.de,
  },
}

/** Returns the text of an answer without a model: the passages' relevant sentences and rows, quoted and cited. */
export function* quoteSources(
  sources: readonly Source[],
  messages: readonly ChatMessage[],
): Generator<TextDelta> {
  const questions = messages.filter(({ role }) => role === "user").slice(-2)
  const question = questions.map(({ content }) => content).join("\n")
  const words = phrases[detectLanguage(question.toLowerCase().match(/\p{L}+/gu) ?? [], 1) ?? ""] ?? english
  if (sources.length === 0) yield { type: "text-delta", textDelta: words.nothing }
  else if (!sources.some(({ text }) => mentionsAny(text, question)))
    yield { type: "text-delta", textDelta: `${words.closest}\n\n` }
  for (const [index, { citation, text, fileName, location }] of sources.entries()) {
    const described = describeLocation(location, words.units)
    const origin = described === "" ? fileName : `${fileName}, ${described}`
    const table = quotedTable(text, question)
    const quote = table
      ? `${table}\n\n— ${origin} [${citation}]`
      : `> ${relevantSentences(text, question)} [${citation}]\n\n— ${origin}`
    yield { type: "text-delta", textDelta: `${index === 0 ? "" : "\n\n"}${quote}` }
  }
}

/** Shorter words are function words that occur in any question. */
const shortest = 4

/** Whether a text contains one of the question's significant words. False if the question has none. */
function mentionsAny(text: string, question: string): boolean {
  const wanted = foldedWords(question).filter((word) => word.length >= shortest || /\p{N}/u.test(word))
  const words = new Set(foldedWords(text))
  return wanted.length === 0 || wanted.some((word) => words.has(word))
}
