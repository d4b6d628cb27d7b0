import type { ChatEvent, ChatMessage, Source } from "../../../../shared/contract/chat.ts"
import { describeLocation } from "./quoted-passages.ts"
import { relevantSentences } from "./relevant-sentences.ts"

type TextDelta = Extract<ChatEvent, { type: "text-delta" }>

/** The text of an answer without a model: the passages' relevant sentences, quoted and cited. */
export function* quoteSources(
  sources: readonly Source[],
  messages: readonly ChatMessage[],
): Generator<TextDelta> {
  const questions = messages.filter(({ role }) => role === "user").slice(-2)
  const question = questions.map(({ content }) => content).join("\n")
  if (sources.length === 0) {
    yield { type: "text-delta", textDelta: "I found nothing about this in the chosen folders." }
  }
  for (const [index, { citation, text, fileName, location }] of sources.entries()) {
    const place = describeLocation(location)
    const origin = place === "" ? fileName : `${fileName}, ${place}`
    const textDelta = `${index === 0 ? "" : "\n\n"}> ${relevantSentences(text, question)} [${citation}]\n\n— ${origin}`
    yield { type: "text-delta", textDelta }
  }
}
