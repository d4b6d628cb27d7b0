import type { ChatEvent, ChatMessage, FinishReason, Source, Usage } from "../../../shared/contract/chat.ts"
import type { ChatEngine, EngineUsage } from "../../engines/engine.ts"
import type { SearchFolders } from "./find-passages.ts"
import { groundAnswer, type KeptRetrieval } from "./ground.ts"
import { buildPrompt, describeLocation } from "./prompt.ts"
import { relevantSentences } from "./relevant-sentences.ts"

/** What an answer is made of. */
export interface Turn {
  messages: readonly ChatMessage[]
  instructions: string
  /** Folders to search; none means that the model answers alone. */
  vectorIds: string[]
  /** Why the model can't be used, although there is one. */
  modelFailure: string | null
  boxAddress: string
  /** Turns of one conversation reuse what the engine has already evaluated. */
  conversationKey: string
}

export interface AnswerDeps {
  engine: ChatEngine | null
  search: SearchFolders
  /** Keeps with the answer why it rests on the passages it does. */
  keepRetrieval(retrieval: KeptRetrieval): Promise<void>
}

export type AnswerEvent = Extract<
  ChatEvent,
  { type: "notice" | "source" | "text-delta" | "reasoning-delta" | "finish" }
>

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  firstTokenMs: null,
  tokensPerSecond: null,
}

/** Characters of an answer, thoughts included; an engine elsewhere could go on for ever. */
const longestAnswer = 2_000_000

/** Writes one answer, `finish` last: the folders' passages first, then the model's text or quotations. */
export async function* writeAnswer(
  deps: AnswerDeps,
  turn: Turn,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const engine = turn.modelFailure === null ? deps.engine : null
  if (turn.modelFailure !== null) {
    const message = `${turn.modelFailure} Until then, these are the passages that fit best.`
    yield { type: "notice", code: "model_unavailable", message }
  } else if (!engine) {
    const message =
      "No model is installed, so these are the passages that fit best. Add a model under Settings, Models."
    yield { type: "notice", code: "no_model", message }
  }
  let sources: readonly Source[] | null = null
  if (turn.vectorIds.length > 0) {
    const grounds = await unlessAborted(groundAnswer({ ...deps, engine }, turn), signal)
    if (grounds) await deps.keepRetrieval(grounds.retrieval)
    for (const notice of grounds?.notices ?? []) yield { type: "notice", ...notice }
    sources = grounds?.sources ?? []
    for (const source of sources) yield { type: "source", ...source }
  }
  if (signal.aborted) yield { type: "finish", finishReason: "aborted", usage: noUsage }
  else if (engine) yield* generate(engine, turn, sources, signal)
  else yield* quote(sources ?? [], turn)
}

/** A stop needn't wait for a search, nor for a model that is being loaded. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const aborted = Promise.withResolvers<null>()
  const onAbort = () => aborted.resolve(null)
  signal.addEventListener("abort", onAbort)
  if (signal.aborted) onAbort()
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", onAbort))
}

async function* generate(
  engine: ChatEngine,
  { messages, instructions, conversationKey }: Turn,
  sources: readonly Source[] | null,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const tooLong = new AbortController()
  let length = 0
  const request = { messages: buildPrompt({ instructions, messages, sources }), conversationKey }
  for await (const event of engine.generate(request, AbortSignal.any([signal, tooLong.signal]))) {
    switch (event.type) {
      case "start":
        if (event.droppedMessages > 0) yield { type: "notice", ...leftOut(event.droppedMessages) }
        break
      case "text":
        yield { type: "text-delta", textDelta: event.text }
        break
      case "reasoning":
        yield { type: "reasoning-delta", textDelta: event.text }
        break
      case "finish": {
        const finishReason: FinishReason = tooLong.signal.aborted ? "length" : event.finishReason
        yield { type: "finish", finishReason, usage: toUsage(event.usage) }
        return
      }
      case "tool-call": // none is offered
    }
    if ("text" in event && (length += event.text.length) > longestAnswer) tooLong.abort()
  }
}

function leftOut(messages: number): { code: string; message: string } {
  const what = messages === 1 ? "The oldest message was" : `The ${messages} oldest messages were`
  return {
    code: "messages_left_out",
    message: `${what} left out: the conversation is longer than the model's context.`,
  }
}

function toUsage({ promptTokens, completionTokens, firstTokenMs, tokensPerSecond }: EngineUsage): Usage {
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    firstTokenMs,
    tokensPerSecond,
  }
}

function* quote(sources: readonly Source[], { messages }: Turn): Generator<AnswerEvent> {
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
  yield { type: "finish", finishReason: "stop", usage: noUsage }
}
