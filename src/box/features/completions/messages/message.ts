import type { AppError } from "../../../../shared/contract/errors.ts"
import { newId } from "../../../core/ids.ts"
import type { EngineEvent, EngineFinish, EngineToolCall, EngineUsage } from "../../../engines/engine.ts"
import { toAnthropic } from "../../../http/error-response.ts"
import type { MessageRequest } from "./request.ts"

type Event = { type: string; [field: string]: unknown }
type Block =
  | { type: "text"; text: string; citations: null }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use"; id: string; name: string; input: unknown }

/**
 * Builds an answer in Anthropic's Messages format: `add` converts an engine event into stream events, and `message` returns the complete
 * message at the end. Includes reasoning only if the request asks for it.
 */
function createMessage(request: MessageRequest, model: string) {
  const showsThoughts = request.thinking?.type === "enabled" || request.thinking?.type === "adaptive"
  const head = { id: `msg_${newId()}`, type: "message", role: "assistant", model }
  const content: Block[] = []
  let open: Block | null = null
  let ended: { stop_reason: string; stop_sequence: string | null; usage: object } | null = null

  function* opened(block: Block): Generator<Event> {
    yield* closed()
    open = block
    yield {
      type: "content_block_start",
      index: content.length,
      content_block: { ...block, ...getEmpty(block) },
    }
  }

  function* closed(): Generator<Event> {
    if (open === null) return
    const index = content.length
    if (open.type === "thinking") {
      yield { type: "content_block_delta", index, delta: { type: "signature_delta", signature: "" } }
    }
    yield { type: "content_block_stop", index }
    content.push(open)
    open = null
  }

  function* added(type: "text" | "thinking", text: string): Generator<Event> {
    if (open?.type !== type) {
      yield* opened(
        type === "text" ? { type, text: "", citations: null } : { type, thinking: "", signature: "" },
      )
    }
    if (open?.type === "text") open.text += text
    else if (open?.type === "thinking") open.thinking += text
    yield {
      type: "content_block_delta",
      index: content.length,
      delta: { type: `${type}_delta`, [type]: text },
    }
  }

  function* called({ toolCallId, name, args }: EngineToolCall): Generator<Event> {
    yield* opened({ type: "tool_use", id: toolCallId, name, input: getInput(args) })
    const delta = { type: "input_json_delta", partial_json: args }
    yield { type: "content_block_delta", index: content.length, delta }
    yield* closed()
  }

  function* written(event: EngineEvent): Generator<Event> {
    if (event.type === "start") {
      const usage = toUsage({ ...event, completionTokens: 0 })
      const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage }
      yield { type: "message_start", message }
    } else if (event.type === "text") yield* added("text", event.text)
    else if (event.type === "reasoning" && showsThoughts) yield* added("thinking", event.text)
    else if (event.type === "tool-call") yield* called(event)
    else if (event.type === "finish") yield* finished(event)
  }

  function* finished({ finishReason, stopSequence, usage }: EngineFinish): Generator<Event> {
    yield* closed()
    const stop = {
      stop_reason: stopSequence === undefined ? stopReasons[finishReason] : "stop_sequence",
      stop_sequence: stopSequence ?? null,
    }
    ended = { ...stop, usage: toUsage(usage) }
    yield { type: "message_delta", delta: stop, usage: ended.usage }
    yield { type: "message_stop" }
  }

  return {
    add: (event: EngineEvent): Event[] => [...written(event)],
    message: () => ({ ...head, content, stop_reason: null, stop_sequence: null, ...ended }),
  }
}

const stopReasons = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  filtered: "refusal",
  aborted: "end_turn",
} as const

/** Returns the start of a block, before its deltas. */
function getEmpty(block: Block): object {
  return block.type === "tool_use" ? { input: {} } : {}
}

/** Models without enforced JSON may send any arguments. Clients accept only objects, which must also be serialisable. */
function getInput(args: string): unknown {
  try {
    const input: unknown = JSON.parse(args)
    JSON.stringify(input)
    return typeof input === "object" && input !== null && !Array.isArray(input) ? input : { value: input }
  } catch {
    return { value: args }
  }
}

/** As in Anthropic's API, tokens read from the engine's cache are listed separately and aren't included in the input tokens. */
function toUsage(usage: Pick<EngineUsage, "promptTokens" | "cachedTokens" | "completionTokens">) {
  const { promptTokens, cachedTokens, completionTokens } = usage
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
    service_tier: "standard",
  }
}

/** Maps the chat completions parameters named by the engine to those of Messages. */
export const messageBlame = {
  prompt: "messages",
  requiresFullHistory: true,
  rename: (parameter: string) =>
    parameter
      .replace(/^response_format\.json_schema/, "output_config.format")
      .replace(/^response_format/, "output_config.format")
      .replace(/\.function\.parameters\b/, ".input_schema"),
}

/** Yields the events of a Messages stream. A failure is one of them. */
export async function* messageEvents(
  request: MessageRequest,
  model: string,
  events: AsyncIterable<EngineEvent>,
  explain: (error: unknown) => AppError,
): AsyncGenerator<{ type: string }> {
  const message = createMessage(request, model)
  try {
    for await (const event of events) {
      yield* message.add(event)
    }
  } catch (error) {
    yield toAnthropic(explain(error))
  }
}

/** Returns a complete message. Passes on errors of the engine. */
export async function collectMessage(
  request: MessageRequest,
  model: string,
  events: AsyncIterable<EngineEvent>,
): Promise<unknown> {
  const message = createMessage(request, model)
  for await (const event of events) message.add(event)
  return message.message()
}
