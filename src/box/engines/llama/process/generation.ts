import { setImmediate } from "node:timers/promises"
import type { ChatHistoryItem, Token } from "node-llama-cpp"
import type { AppError } from "../../../../shared/contract/errors.ts"
import {
  type EngineMessage,
  type GenerateRequest,
  promptTooLong,
  countTokens,
  type PromptPrefix,
} from "../../engine.ts"
import type { ProcessEvent } from "../protocol.ts"
import { planAnswer, compileGrammar } from "./answer-plan.ts"
import { aborted, answer, type Answering } from "./answer.ts"
import { toChatHistory, type FittedHistory, fitHistory } from "./chat-history.ts"
import { type ChatRuntime, type SequenceSlot, commonPrefix } from "./chat-runtime.ts"
import { prefill } from "./prefill.ts"

/** Tokens reserved for the answer when the request sets no limit, and the minimum that a prompt must leave. */
const usualAnswer = 1024
const minAnswerLength = 32

/**
 * Generates one answer. The last event is always `finish`, even after the signal stopped it. Calls `onStep` while a long prompt is
 * evaluated. Throws AppError `validation` when the newest message alone doesn't fit or a schema is too complex.
 */
export async function generate(
  runtime: ChatRuntime,
  request: GenerateRequest,
  signal: AbortSignal,
  emit: (event: ProcessEvent) => void,
  onStep: () => void,
): Promise<void> {
  await runtime.preparation?.cancel()
  const plan = planAnswer(request)
  const grammar = await compileGrammar(runtime.llama, plan)
  const answering: Answering = { runtime, request, plan, grammar, signal, emit }
  const fitted = await fitToContext(answering)
  if (fitted === null) return emit(aborted({ promptTokens: 0, cachedTokens: 0 }))
  const { prompt, messages, dropped } = fitted
  while (runtime.preparation !== null) await runtime.preparation.cancel()
  const slot = runtime.acquire(prompt, request.conversationKey ?? null)
  try {
    const { firstDifferentIndex } = slot.sequence.compareContextTokens(prompt)
    const counts = {
      promptTokens: prompt.length,
      cachedTokens: Math.min(firstDifferentIndex, prompt.length - 1),
    }
    emit({ type: "start", ...counts, droppedMessages: dropped })
    if (await prefillInSlot(runtime, slot, prompt, signal, onStep))
      emit(await answer(answering, slot, toHistory(answering, messages), counts))
    else emit(aborted(counts))
  } finally {
    runtime.release(slot)
  }
}

/** Counts the tokens of a prompt with all its messages, whether or not they fit. Throws like `generate`. */
export function countPrompt(runtime: ChatRuntime, request: GenerateRequest): number {
  const plan = planAnswer(request)
  return renderPrompt({ runtime, plan }, toHistory({ request, plan }, request.messages)).length
}

/** Returns null if the signal stopped it. */
async function fitToContext(answering: Answering): Promise<FittedHistory<Token[]> | null> {
  const { runtime, request, signal } = answering
  const { contextSize } = runtime.context
  const maker = {
    render: (messages: EngineMessage[]) => renderPrompt(answering, toHistory(answering, messages)),
    async pause() {
      await setImmediate()
      signal.throwIfAborted()
    },
  }
  const wanted = Math.min(request.maxTokens ?? usualAnswer, Math.floor(contextSize / 4))
  const rooms = [contextSize - Math.max(wanted, minAnswerLength), contextSize - minAnswerLength]
  try {
    for (const room of rooms) {
      const fitted = await fitHistory(request.messages, room, maker)
      if (fitted !== null) return fitted
    }
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
  throw await tooLong(answering)
}

async function tooLong({ runtime, request }: Answering): Promise<AppError> {
  const { contextSize } = runtime.context
  const size = (text: string) => countTokens(text, contextSize, (all) => runtime.model.tokenize(all).length)
  const { messages, functions = [] } = request
  const system = messages.flatMap(({ role, content }) => (role === "system" ? [content] : []))
  return promptTooLong(contextSize, [
    { name: "instructions", tokens: await size(system.join("\n")) },
    { name: "tools", tokens: functions.length === 0 ? 0 : await size(JSON.stringify(functions)) },
    { name: "message", tokens: await size(messages.findLast(({ role }) => role === "user")?.content ?? "") },
  ])
}

function toHistory(
  { request, plan }: Pick<Answering, "request" | "plan">,
  messages: EngineMessage[],
): ChatHistoryItem[] {
  const history = toChatHistory(plan.prepare(messages), request.functions ?? [])
  return history.at(-1)?.type === "model" ? history : [...history, { type: "model", response: [] }]
}

/** Returns the tokens that LlamaChat will make from this history, so that all but the last can be evaluated in advance. */
function renderPrompt(
  { runtime, plan }: Pick<Answering, "runtime" | "plan">,
  chatHistory: ChatHistoryItem[],
): Token[] {
  const { contextText } = runtime.wrapper.generateContextState({
    chatHistory,
    ...(plan.functions === undefined ? {} : { availableFunctions: plan.functions }),
  })
  return contextText.tokenize(runtime.model.tokenizer)
}

async function prefillInSlot(
  runtime: ChatRuntime,
  slot: SequenceSlot,
  prompt: Token[],
  signal: AbortSignal,
  onStep: () => void,
): Promise<boolean> {
  runtime.prefilling++
  try {
    return await prefill(slot.sequence, prompt, runtime, signal, onStep)
  } finally {
    runtime.prefilling--
  }
}

/** Evaluating fewer tokens than this is about as fast as looking them up. */
const minTokens = 64

/** Evaluates the prefix that all such chats share, in a slot that no one currently needs. */
export async function prepare(runtime: ChatRuntime, prefix: PromptPrefix, onStep: () => void): Promise<void> {
  const plan = planAnswer(prefix)
  const [one = [], other = []] = ["A", "?"].map((content) =>
    renderPrompt(
      { runtime, plan },
      toHistory({ request: prefix, plan }, [...prefix.messages, { role: "user", content }]),
    ),
  )
  const length = commonPrefix(one, other)
  if (length < minTokens || length > runtime.context.contextSize / 2) return
  while (runtime.preparation !== null) await runtime.preparation.cancel()
  const slot = runtime.acquireSpare(one.slice(0, length))
  if (slot === null) return
  const stopping = new AbortController()
  // Pass one token more than the shared prefix, because the last token of a prompt is left to the answer.
  const working = prefillInSlot(runtime, slot, one.slice(0, length + 1), stopping.signal, onStep).finally(
    () => {
      runtime.release(slot)
      runtime.preparation = null
    },
  )
  runtime.preparation = {
    async cancel() {
      stopping.abort()
      await working.catch(() => false) // the caller gets the error
    },
  }
  await working
}
