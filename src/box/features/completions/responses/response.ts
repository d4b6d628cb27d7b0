import type { AppError } from "../../../../shared/contract/errors.ts"
import { newId } from "../../../core/ids.ts"
import type { EngineEvent, EngineFinish, EngineToolCall, EngineUsage } from "../../../engines/engine.ts"
import { parameterName } from "../validate-request.ts"
import { type ResponseRequest, getFunctions, omitOtherTools } from "./request.ts"

type Status = "in_progress" | "completed" | "incomplete" | "failed"
/** An event in OpenAI's format; the stream numbers them. */
type Event = { type: string; [field: string]: unknown }

const itemTypes = {
  text: { prefix: "msg", part: "output_text", stream: "response.output_text" },
  reasoning: { prefix: "rs", part: "reasoning_text", stream: "response.reasoning_text" },
} as const

/**
 * Builds an answer in OpenAI's Responses format: `add` converts an engine event into stream events, `fail` returns those of an answer that
 * broke off, and `response` returns the complete response at the end.
 */
export class ResponseEvents {
  readonly #request: ResponseRequest
  readonly #head: { id: string; object: string; created_at: number; model: string }
  readonly #names: Map<string, { name: string; namespace?: string }>
  readonly #output: object[] = []
  #ended: object | null = null
  #open: { kind: keyof typeof itemTypes; id: string; text: string } | null = null

  constructor(request: ResponseRequest, model: string) {
    this.#request = request
    this.#head = { id: `resp_${newId()}`, object: "response", created_at: seconds(), model: model }
    this.#names = new Map(getFunctions(request.tools).map(({ name, called }) => [name, called]))
  }

  add(event: EngineEvent): Event[] {
    return [...this.#written(event)]
  }

  *#written(event: EngineEvent): Generator<Event> {
    if (event.type === "start") {
      yield { type: "response.created", response: this.#whole("in_progress") }
      yield { type: "response.in_progress", response: this.#whole("in_progress") }
    } else if (event.type === "tool-call") yield* this.#called(event)
    else if (event.type === "finish") yield* this.#finished(event)
    else yield* this.#added(event)
  }

  #whole(status: Status, more: object = {}) {
    return {
      ...this.#head,
      status,
      completed_at: status === "completed" ? seconds() : null,
      error: null,
      incomplete_details: null,
      ...echoed(this.#request),
      output: [...this.#output],
      usage: null,
      ...more,
    }
  }

  *#called({ toolCallId, name, args }: EngineToolCall): Generator<Event> {
    yield* this.#closed("completed")
    const called = this.#names.get(name) ?? { name }
    const call = { id: `fc_${newId()}`, type: "function_call", call_id: toolCallId, ...called }
    const location = { item_id: call.id, output_index: this.#output.length }
    yield {
      type: "response.output_item.added",
      output_index: this.#output.length,
      item: { ...call, arguments: "", status: "in_progress" },
    }
    yield { type: "response.function_call_arguments.delta", ...location, delta: args }
    yield { type: "response.function_call_arguments.done", ...location, name: called.name, arguments: args }
    yield* this.#settled({ ...call, arguments: args, status: "completed" })
  }

  *#closed(status: "completed" | "incomplete"): Generator<Event> {
    if (this.#open === null) return
    const { kind, id, text } = this.#open
    const location = this.#place(id)
    const logprobs = kind === "text" ? { logprobs: [] } : {}
    yield { type: `${itemTypes[kind].stream}.done`, ...location, text, ...logprobs }
    yield { type: "response.content_part.done", ...location, part: getPart(kind, text) }
    yield* this.#settled(this.#item(status))
    this.#open = null
  }

  #place(itemId: string) {
    return { item_id: itemId, output_index: this.#output.length, content_index: 0 }
  }

  *#settled(done: object): Generator<Event> {
    yield { type: "response.output_item.done", output_index: this.#output.length, item: done }
    this.#output.push(done)
  }

  #item(status: Status): object {
    if (this.#open === null) throw new Error("No item is open.")
    const { kind, id, text } = this.#open
    if (kind === "reasoning") {
      const content = text === "" ? [] : [{ type: "reasoning_text", text }]
      return { id, type: "reasoning", status, summary: [], content }
    }
    return { id, type: "message", status, role: "assistant", content: text === "" ? [] : [textPart(text)] }
  }

  *#finished({ finishReason, usage }: EngineFinish): Generator<Event> {
    const status = finishReason === "stop" || finishReason === "tool-calls" ? "completed" : "incomplete"
    // An answer without content is an empty message rather than no message.
    if (this.#open === null && this.#output.length === 0) yield* this.#opened("text")
    yield* this.#closed(status)
    const details =
      status === "completed"
        ? null
        : { reason: finishReason === "filtered" ? "content_filter" : "max_output_tokens" }
    this.#ended = this.#whole(status, { incomplete_details: details, usage: toUsage(usage) })
    yield { type: `response.${status}`, response: this.#ended }
  }

  *#opened(kind: keyof typeof itemTypes): Generator<Event> {
    if (this.#open?.kind === kind) return
    yield* this.#closed("completed")
    this.#open = { kind, id: `${itemTypes[kind].prefix}_${newId()}`, text: "" }
    yield {
      type: "response.output_item.added",
      output_index: this.#output.length,
      item: this.#item("in_progress"),
    }
    yield { type: "response.content_part.added", ...this.#place(this.#open.id), part: getPart(kind, "") }
  }

  *#added({ type, text }: Extract<EngineEvent, { type: keyof typeof itemTypes }>): Generator<Event> {
    yield* this.#opened(type)
    if (this.#open === null) return
    this.#open.text += text
    const logprobs = type === "text" ? { logprobs: [] } : {}
    yield { type: `${itemTypes[type].stream}.delta`, ...this.#place(this.#open.id), delta: text, ...logprobs }
  }

  fail(error: AppError): Event[] {
    const code = error.status === 429 ? "rate_limit_exceeded" : "server_error"
    const response = this.#whole("failed", { error: { code, message: error.message } })
    return [
      { type: "response.failed", response },
      { type: "error", code: error.code, message: error.message, param: null },
    ]
  }

  response() {
    return this.#ended
  }
}

const createResponse = (request: ResponseRequest, model: string): ResponseEvents =>
  new ResponseEvents(request, model)

const seconds = () => Math.floor(Date.now() / 1000)

const textPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] })

const getPart = (kind: keyof typeof itemTypes, text: string) =>
  kind === "text" ? textPart(text) : { type: "reasoning_text", text }

/** Returns the request fields that a response repeats. */
function echoed(request: ResponseRequest): object {
  return {
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: null },
    service_tier: "default",
    store: false,
    temperature: request.temperature ?? null,
    text: { format: request.text?.format ?? { type: "text" }, verbosity: "medium" },
    tool_choice: request.tool_choice ?? "auto",
    tools: omitOtherTools(request.tools ?? []),
    top_p: request.top_p ?? null,
    truncation: request.truncation ?? "disabled",
    background: false,
    ...(request.user ? { user: request.user } : {}),
  }
}

/** Reasoning tokens aren't counted separately from those of the answer. */
function toUsage({ promptTokens, completionTokens, cachedTokens }: EngineUsage) {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: promptTokens + completionTokens,
  }
}

/** Maps the chat completions parameters named by the engine to those of Responses. */
export const responseBlame = (request: ResponseRequest) => ({
  prompt: "input",
  requiresFullHistory: request.truncation !== "auto",
  rename: (parameter: string) =>
    parameter
      .replace(/^messages/, "input")
      .replace(/^tools\[(\d+)\]/, (whole, index) => {
        const path = getFunctions(request.tools)[Number(index)]?.path
        return path ? parameterName(path) : whole
      })
      .replace(/^response_format\.json_schema/, "text.format")
      .replace(/^response_format/, "text.format")
      .replace(/\.function\b/, ""),
})

/** Yields the numbered events of a Responses stream. A failure is one of them. */
export async function* responseEvents(
  request: ResponseRequest,
  model: string,
  events: AsyncIterable<EngineEvent>,
  explain: (error: unknown) => AppError,
) {
  const response = createResponse(request, model)
  let count = 0
  const counted = (some: { type: string }[]) => some.map((event) => ({ ...event, sequence_number: count++ }))
  try {
    for await (const event of events) yield* counted(response.add(event))
  } catch (error) {
    yield* counted(response.fail(explain(error)))
  }
}

/** Returns a complete response. Passes on errors of the engine. */
export async function collectResponse(
  request: ResponseRequest,
  model: string,
  events: AsyncIterable<EngineEvent>,
): Promise<unknown> {
  const response = createResponse(request, model)
  for await (const event of events) response.add(event)
  return response.response()
}
