import { createParser } from "eventsource-parser"
import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { yieldToEventLoop } from "../../core/waiting/yield-to-event-loop.ts"
import type { EngineToolCall } from "../engine.ts"
import { errorWords } from "./refusal.ts"

/** Limits in characters, except `calls`. `answer` applies to answers that aren't streamed. */
const limits = { event: 1 << 20, answer: 4 << 20, calls: 64, args: 1 << 20, name: 200 }

/** Reads anything but a valid number of tokens as 0. */
const Tokens = z.int().min(0).max(1e9).catch(0)

const ToolCallPiece = z.object({
  /** Servers that send one call at a time omit it or send null. */
  index: z.int().nonnegative().nullish().catch(null),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      /** JSON text in OpenAI's protocol; some servers send the object itself. */
      arguments: z
        .unknown()
        .optional()
        .transform((args) => (typeof args === "string" ? args : isMissing(args) ? "" : JSON.stringify(args))),
    })
    .nullish(),
})
export type ToolCallPiece = z.infer<typeof ToolCallPiece>

const ContentParts = z.array(
  z.object({
    type: z.string(),
    text: z.string().nullish(),
    thinking: z.unknown().optional(),
  }),
)

const Delta = z.object({
  /** A text, or the list of parts that Mistral sends for models that think. See `readContent`. */
  content: z.unknown().optional(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(ToolCallPiece).nullish(),
})

const ThinkingText = z.object({ text: z.string() })

function textsOfThinking(thinking: unknown): string[] {
  if (typeof thinking === "string") return [thinking]
  if (!Array.isArray(thinking)) return []
  return thinking.flatMap((part) => ThinkingText.safeParse(part).data?.text ?? [])
}

const isMissing = (value: unknown): value is null | undefined => value === null || value === undefined

/** Apart from tool calls, it has neither unions nor transformations: they would allocate more than the rest of a chunk. */
const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: Delta.nullish(),
        /** Replaces `delta` if the answer isn't streamed. */
        message: Delta.nullish(),
        finish_reason: z.string().nullish(),
        stop_reason: z.unknown().optional(),
      }),
    )
    .nullish(),
  usage: z
    .object({
      prompt_tokens: Tokens,
      completion_tokens: Tokens,
      prompt_tokens_details: z.object({ cached_tokens: Tokens.nullish() }).nullish(),
    })
    .nullish(),
})

/** The text, thoughts and tool calls that one chunk adds to an answer. */
export interface AnswerDelta {
  text: string
  thought: string
  calls: readonly ToolCallPiece[]
}

export interface CompletionChunk {
  /** `delta` is undefined if a choice adds nothing. */
  choices: {
    delta: AnswerDelta | undefined
    finish_reason: string | null | undefined
    stop_reason: unknown
  }[]
  usage: z.infer<typeof Chunk>["usage"]
}

function toDelta(delta: z.infer<typeof Delta> | null | undefined): AnswerDelta | undefined {
  if (isMissing(delta)) return undefined
  const { text, thought } = readContent(delta.content)
  return {
    text,
    thought: (delta.reasoning_content ?? delta.reasoning ?? "") + thought,
    calls: delta.tool_calls ?? [],
  }
}

function readContent(content: unknown): { text: string; thought: string } {
  if (typeof content === "string") return { text: content, thought: "" }
  if (isMissing(content)) return { text: "", thought: "" }
  const parts = ContentParts.safeParse(content)
  if (!parts.success) throw notACompletion(parts.error)
  return {
    text: parts.data.flatMap(({ type, text }) => (type === "text" ? (text ?? []) : [])).join(""),
    thought: parts.data.flatMap(({ thinking }) => textsOfThinking(thinking)).join(""),
  }
}

/**
 * Returns the chunks of a completion, processed by `clean`. An answer that isn't streamed is one chunk. Throws AppError if the stream
 * breaks off before the end of the answer, reports an error or isn't a completion.
 */
export async function* readChunks(
  stream: AsyncIterable<string>,
  clean: (value: unknown) => unknown,
): AsyncGenerator<CompletionChunk> {
  const events: string[] = []
  const parser = createParser({
    onEvent: ({ data }) => events.push(data),
    onError(cause) {
      if (cause.type === "max-buffer-size-exceeded") throw pieceTooLarge(cause)
    },
    maxBufferSize: limits.event,
  })
  let isStarted = false
  let hasFinished = false
  let sinceEvent = 0
  let format: "unknown" | "events" | "json" = "unknown"
  /** Everything received before the first event, or the whole answer if it is JSON. */
  let received = ""
  const take = (data: string): CompletionChunk => {
    isStarted = true
    const chunk = parseChunk(data, clean)
    hasFinished ||= chunk.choices.some(({ finish_reason }) => finish_reason)
    return chunk
  }
  for await (let text of readUntilBroken(stream, () => hasFinished)) {
    if (format !== "events") {
      received += text
      if (received.length > limits.answer) throw pieceTooLarge()
      if (format === "unknown") format = getFormat(received)
      if (format !== "events") continue
      text = received
    }
    parser.feed(text)
    // The parser skips other kinds of lines, however long they are.
    sinceEvent = events.length > 0 ? 0 : sinceEvent + text.length
    if (sinceEvent > 2 * limits.event) throw notACompletion()
    for (const data of events.splice(0)) {
      await yieldToEventLoop() // events that have already arrived would block the event loop
      if (data === "[DONE]") return
      yield take(data)
    }
  }
  if (format === "events" && !hasFinished) {
    parser.feed("\n\n") // some servers leave out the blank line after the last event
    const [last] = events
    if (last === "[DONE]") return
    if (last !== undefined && isJson(last)) yield take(last)
  }
  if (format === "json") {
    const chunk = parseChunk(received, clean)
    if (chunk.choices.length === 0) throw notACompletion()
    return yield chunk
  }
  // A response without events, such as a sign-in page, isn't a completion.
  if (!isStarted) throw notACompletion()
  if (!hasFinished) throw new AppError("engine_crashed", sentence("remote.broke_off"))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns the stream. After the answer has finished, a failure is treated as the stream's end, because only the usage can be missing. */
async function* readUntilBroken(stream: AsyncIterable<string>, hasFinished: () => boolean) {
  try {
    yield* stream
  } catch (error) {
    if (!hasFinished()) throw error
  }
}

function getFormat(start: string): "unknown" | "events" | "json" {
  const first = start.trimStart()[0]
  if (first === undefined) return "unknown"
  return first === "{" || first === "[" ? "json" : "events"
}

const notACompletion = (cause?: unknown) =>
  new AppError("unavailable", sentence("remote.not_a_completion"), { cause })
const pieceTooLarge = (cause?: unknown) =>
  new AppError("unavailable", sentence("remote.piece_too_large"), { cause })

/** Whether a server sent more than the limit, in one piece or in total. */
export const isAnswerTooLarge = (error: unknown): error is AppError =>
  error instanceof AppError &&
  ["remote.piece_too_large", "remote.answer_too_large"].includes(error.sentence.field.sentence?.code ?? "")

function parseChunk(data: string, clean: (value: unknown) => unknown): CompletionChunk {
  let value: unknown
  try {
    value = clean(JSON.parse(data))
  } catch (cause) {
    throw notACompletion(cause)
  }
  const words = errorWords(value)
  if (words !== null) throw new AppError("unavailable", sentence("remote.failed_answering", { words }))
  const parsed = Chunk.safeParse(value)
  if (!parsed.success) throw notACompletion(parsed.error)
  const { choices, usage } = parsed.data
  return {
    choices: (choices ?? []).map(({ delta, message, finish_reason, stop_reason }) => ({
      delta: toDelta(delta ?? message),
      finish_reason,
      stop_reason,
    })),
    usage,
  }
}

/** Assembles tool calls from pieces that are spread over many chunks. */
export interface CallCollector {
  add(pieces: readonly ToolCallPiece[]): void
  /** Throws AppError if a call has no valid name. */
  calls(): EngineToolCall[]
}

const isName = (name: string) => name !== "" && name.length <= limits.name && !/[\s\p{Cc}\p{Cf}]/u.test(name)

export function createCallCollector(): CallCollector {
  /** In the order in which they started. `index` is null if the server sends none. */
  const calls: (EngineToolCall & { index: number | null })[] = []

  const findCall = ({ index = null, id, function: piece }: ToolCallPiece) => {
    const last = index === null ? calls.at(-1) : calls.findLast((call) => call.index === index)
    const byId = index === null && id ? calls.findLast((call) => call.toolCallId === id) : undefined
    const call = byId ?? last
    if (call !== undefined && !startsAnother(call, id, piece)) return call
    const started = { index, toolCallId: "", name: "", args: "" }
    calls.push(started)
    return started
  }

  return {
    add(pieces) {
      for (const piece of pieces) {
        const call = findCall(piece)
        call.toolCallId ||= piece.id ?? ""
        call.name ||= piece.function?.name ?? ""
        call.args += piece.function?.arguments ?? ""
        if (calls.length > limits.calls || call.args.length > limits.args)
          throw new AppError("unavailable", sentence("remote.too_many_calls"))
      }
    },
    calls() {
      if (!calls.every(({ name }) => isName(name))) throw notACompletion()
      return calls
        .toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
        .map(({ toolCallId, name, args }, position) => ({
          toolCallId: toolCallId === "" ? `call_${position}` : toolCallId,
          name,
          args: args === "" ? "{}" : args,
        }))
    },
  }
}

/**
 * Whether a piece that names a function starts another call, even though it has no index or an earlier call's index. Servers that repeat
 * the name in every piece of a call repeat its id as well.
 */
function startsAnother(
  call: EngineToolCall & { index: number | null },
  id: string | null | undefined,
  piece: ToolCallPiece["function"],
): boolean {
  if (!piece?.name || call.name === "") return false
  if (id && call.toolCallId !== "") return id !== call.toolCallId
  return call.index === null || piece.name !== call.name || piece.arguments.startsWith("{")
}
