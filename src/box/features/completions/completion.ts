import type { EngineEvent, EngineFinish, EngineToolCall, EngineUsage } from "../../engines/engine.ts"
import type { AppError } from "../../../shared/contract/errors.ts"
import { newId } from "../../core/ids.ts"
import { toOpenAi } from "../../http/error-response.ts"

/** Fields that all parts of one response share. */
export interface CompletionHead {
  id: string
  created: number
  model: string
}

export const newCompletionHead = (model: string): CompletionHead => ({
  id: `chatcmpl-${newId()}`,
  created: Math.floor(Date.now() / 1000),
  model,
})

const finishReasons = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  filtered: "content_filter",
  aborted: "stop",
} as const

/** Collects the events of an answer into one chat completion in OpenAI's format. */
export async function collectCompletion(head: CompletionHead, events: AsyncIterable<EngineEvent>) {
  let content = ""
  let reasoning = ""
  const calls: EngineToolCall[] = []
  let finish: EngineFinish | undefined
  for await (const event of events) {
    if (event.type === "text") content += event.text
    else if (event.type === "reasoning") reasoning += event.text
    else if (event.type === "tool-call") calls.push(event)
    else if (event.type === "finish") finish = event
  }
  return {
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: content === "" && calls.length > 0 ? null : content,
          refusal: null,
          ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
          ...(calls.length === 0 ? {} : { tool_calls: calls.map(toToolCall) }),
        },
        logprobs: null,
        finish_reason: finishReasons[finish?.finishReason ?? "stop"],
      },
    ],
    ...(finish ? { usage: toUsage(finish.usage) } : {}),
  }
}

/** Converts the events of an answer into chunks of a streamed chat completion in OpenAI's format. A failure is the last chunk. */
export async function* toChunks(
  head: CompletionHead,
  events: AsyncIterable<EngineEvent>,
  { includeUsage, explain }: { includeUsage: boolean; explain(error: unknown): AppError },
) {
  const chunk = (delta: object, finishReason: string | null = null) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(includeUsage ? { usage: null } : {}),
  })
  let calls = 0
  yield chunk({ role: "assistant", content: "", refusal: null })
  try {
    for await (const event of events) {
      if (event.type === "text") yield chunk({ content: event.text })
      else if (event.type === "reasoning") yield chunk({ reasoning_content: event.text })
      else if (event.type === "tool-call") {
        yield chunk({ tool_calls: [{ index: calls++, ...toToolCall(event) }] })
      } else if (event.type === "finish") {
        yield chunk({}, finishReasons[event.finishReason])
        if (includeUsage) {
          yield { ...head, object: "chat.completion.chunk", choices: [], usage: toUsage(event.usage) }
        }
      }
    }
  } catch (error) {
    yield toOpenAi(explain(error))
  }
}

function toToolCall({ toolCallId, name, args }: EngineToolCall) {
  return { id: toolCallId, type: "function", function: { name, arguments: args } }
}

function toUsage({ promptTokens, completionTokens, cachedTokens }: EngineUsage) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  }
}
