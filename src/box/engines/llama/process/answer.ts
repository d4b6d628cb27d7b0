import { randomUUID } from "node:crypto"
import type { ChatHistoryItem, LlamaChatResponse, LlamaChatResponseChunk, LlamaGrammar } from "node-llama-cpp"
import type { EngineFunction, EngineToolCall, GenerateRequest } from "../../engine.ts"
import { dropUnset } from "../grammar/json-schema.ts"
import type { ProcessEvent, ProcessFinish } from "../protocol.ts"
import type { AnswerPlan } from "./answer-plan.ts"
import type { ChatRuntime, SequenceSlot } from "./chat-runtime.ts"

/**
 * Ends a text before the first of the given stop strings. node-llama-cpp would re-tokenise the text before a stop string that starts within
 * a token, and would then spell a space as `▁` if the vocabulary has no token for it.
 */
function createStopStrings(stops: readonly string[]) {
  let held = ""
  let found: string | null = null

  return {
    /** The string that ended the text; null if none has yet. */
    get found() {
      return found
    },

    /** Accepts the next text and returns the part that can be shown, without a possible start of a stop string. */
    take(text: string): string {
      if (found !== null) return ""
      held += text
      const first = firstIn(held, stops)
      if (first !== null) {
        found = first.stop
        return held.slice(0, first.at)
      }
      const shown = held.slice(0, held.length - unfinished(held, stops))
      held = held.slice(shown.length)
      return shown
    },

    /** Returns the text held back when the text ends here. */
    rest(): string {
      const rest = found === null ? held : ""
      held = ""
      return rest
    },
  }
}

/** Returns the stop string that is completed first and its position. If several are, the longest one. */
function firstIn(text: string, stops: readonly string[]): { stop: string; at: number } | null {
  let first: { stop: string; at: number } | null = null
  for (const stop of stops) {
    const at = stop === "" ? -1 : text.indexOf(stop)
    if (at < 0) continue
    const end = at + stop.length
    const firstEnd = first && first.at + first.stop.length
    if (first === null || firstEnd === null || end < firstEnd || (end === firstEnd && at < first.at))
      first = { stop, at }
  }
  return first
}

/** Number of characters at the end that may be the start of a stop string. */
function unfinished(text: string, stops: readonly string[]): number {
  let max = 0
  for (const stop of stops)
    for (let length = Math.min(stop.length - 1, text.length); length > max; length--)
      if (text.endsWith(stop.slice(0, length))) max = length
  return max
}

/** Measures how fast the tokens of one answer arrive. */
interface TokenClock {
  /** Reports that tokens have just arrived. */
  tick(tokens: number): void
  /** Tokens per second after the first token, whose time is spent on the prompt; null with fewer than two tokens. */
  tokensPerSecond(): number | null
}

/** Calls `onToken` with the duration of each token after the first. */
function createTokenClock(onToken: (milliseconds: number) => void): TokenClock {
  let first: number | null = null
  let last = 0
  let afterFirst = 0
  return {
    tick(tokens) {
      if (tokens === 0) return
      const now = performance.now()
      if (first === null) first = now
      else {
        afterFirst += tokens
        onToken((now - last) / tokens)
      }
      last = now
    },
    tokensPerSecond: () =>
      first === null || afterFirst === 0 || last <= first ? null : (afterFirst * 1000) / (last - first),
  }
}

export interface Answering {
  runtime: ChatRuntime
  request: GenerateRequest
  plan: AnswerPlan
  /** Grammar that the whole answer must follow. */
  grammar: LlamaGrammar | null
  signal: AbortSignal
  emit(event: ProcessEvent): void
}

export type Counts = Pick<ProcessFinish, "promptTokens" | "cachedTokens">

/** Tokens that the syntax of a call may add beyond the limit without overflowing the context. */
const callMargin = 8

export function aborted(counts: Counts): ProcessFinish {
  return { type: "finish", finishReason: "aborted", ...counts, completionTokens: 0, tokensPerSecond: null }
}

/** Generates the answer to a prompt that is already evaluated except for its last token. */
export async function answer(
  { runtime, request, plan, grammar, signal, emit }: Answering,
  slot: SequenceSlot,
  history: ChatHistoryItem[],
  counts: Counts,
): Promise<ProcessFinish> {
  const meterBefore = slot.sequence.tokenMeter.usedOutputTokens
  const clock = createTokenClock((milliseconds) => runtime.recordToken(slot, milliseconds))
  let json = ""
  const stops = createStopStrings(plan.forcedCall ? [] : (request.stop ?? []))
  const stopped = new AbortController()
  let kind: "reasoning" | "text" = "text"
  const show = (text: string): void => {
    if (text !== "") emit({ type: kind, text })
  }
  const onResponseChunk = ({ type, text, tokens }: LlamaChatResponseChunk): void => {
    if (stops.found !== null) return
    clock.tick(tokens.length)
    if (plan.forcedCall) {
      json += text
      return
    }
    const next = type === "segment" ? "reasoning" : "text"
    if (next !== kind) show(stops.rest())
    kind = next
    show(stops.take(text))
    if (stops.found !== null) stopped.abort()
  }
  const finish = (finishReason: ProcessFinish["finishReason"], endTokens = 0): ProcessFinish => ({
    type: "finish",
    finishReason,
    ...(stops.found !== null && { stopSequence: stops.found }),
    ...counts,
    completionTokens: slot.sequence.tokenMeter.usedOutputTokens - meterBefore - endTokens,
    tokensPerSecond: clock.tokensPerSecond(),
  })
  try {
    const response = await slot.chat.generateResponse(history, {
      signal: AbortSignal.any([signal, stopped.signal]),
      stopOnAbortSignal: true,
      maxTokens: Math.min(
        request.maxTokens ?? Number.POSITIVE_INFINITY,
        runtime.context.contextSize - counts.promptTokens - callMargin,
      ),
      ...samplingOptions(request),
      ...(grammar === null ? { functions: plan.functions ?? {} } : { grammar }),
      onResponseChunk,
    })
    if (stops.found !== null) return finish("stop")
    show(stops.rest())
    for (const call of getCalls(response, plan.forcedCall ? json : null, request.functions ?? []))
      emit({ type: "tool-call", toolCallId: `call_${randomUUID()}`, ...call })
    const endTokens = response.metadata.stopReason === "eogToken" ? 1 : 0
    return finish(getFinishReason(response, plan.forcedCall), endTokens)
  } catch (error) {
    // LlamaChat throws the signal's reason if it was stopped before the first token.
    if (stops.found !== null) return finish("stop")
    if (signal.aborted) return aborted(counts)
    throw error
  }
}

function samplingOptions(request: GenerateRequest) {
  const { temperature = 0.7, topP = 0.95, minP, seed, presencePenalty = 0, frequencyPenalty = 0 } = request
  return {
    temperature,
    topP,
    ...(minP === undefined ? {} : { minP }),
    ...thoughtBudget(request),
    ...(seed === undefined ? {} : { seed }),
    repeatPenalty:
      presencePenalty === 0 && frequencyPenalty === 0
        ? (false as const)
        : { penalty: 1, lastTokens: 512, presencePenalty, frequencyPenalty, penalizeNewLine: true },
  }
}

/** Thinking tokens allowed at each effort level. Undefined leaves the model's own limit. */
const effortTokens = { none: 0, minimal: 256, low: 1024, medium: 4096, high: undefined } as const

function thoughtBudget({ thinkingTokens, effort }: GenerateRequest) {
  const effortBudget = effort === undefined ? undefined : effortTokens[effort]
  const thoughtTokens = Math.min(
    thinkingTokens ?? Number.POSITIVE_INFINITY,
    effortBudget ?? Number.POSITIVE_INFINITY,
  )
  return Number.isFinite(thoughtTokens) ? { budgets: { thoughtTokens } } : {}
}

interface Response {
  functionCalls?: readonly { functionName: string; params: unknown }[]
  metadata: LlamaChatResponse["metadata"]
}

function getFinishReason(response: Response, forcedCall: boolean): ProcessFinish["finishReason"] {
  switch (response.metadata.stopReason) {
    case "abort":
      return "aborted"
    case "maxTokens":
      return "length"
    case "functionCalls":
      return "tool-calls"
    case "eogToken":
    case "stopGenerationTrigger":
    case "customStopTrigger":
      return forcedCall ? "tool-calls" : "stop"
  }
}

function getCalls(
  response: Response,
  forcedJson: string | null,
  functions: EngineFunction[],
): Omit<EngineToolCall, "toolCallId">[] {
  const toCall = (name: string, args: unknown) => {
    const schema = functions.find((each) => each.name === name)?.parameters ?? {}
    return { name, args: JSON.stringify(dropUnset(args ?? {}, schema)) }
  }
  if (forcedJson === null)
    return (response.functionCalls ?? []).map(({ functionName, params }) => toCall(functionName, params))
  if (response.metadata.stopReason === "maxTokens" || response.metadata.stopReason === "abort") return []
  const { name, arguments: args } = JSON.parse(forcedJson) as { name: string; arguments: unknown }
  return [toCall(name, args)]
}
