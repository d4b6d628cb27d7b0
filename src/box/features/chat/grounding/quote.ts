import type { ChatEvent, ChatMessage, Source } from "../../../../shared/contract/chat.ts"
import { detectLanguage } from "../../../engines/vectors/text/languages.ts"
import { describeLocation } from "./quoted-passages.ts"
import { quotedTable } from "./quoted-table.ts"
import { foldedWords } from "../../../../shared/words/get-words.ts"
import { relevantSentences } from "./relevant-sentences.ts"
import { unitWords, type UnitWords } from "./unit-words.ts"

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
    const place = describeLocation(location, words.units)
    const origin = place === "" ? fileName : `${fileName}, ${place}`
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
