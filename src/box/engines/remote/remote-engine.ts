import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import {
  type EngineMessage,
  type EnginePicture,
  type GenerateRequest,
  type ChatEngine,
  type EngineEvent,
  type EngineFinish,
  type EngineState,
  type EngineUsage,
  createObservedState,
  tokensOfPicture,
} from "../engine.ts"
import { type CompletionChunk, createCallCollector, readChunks } from "./completion-chunks.ts"
import { refusesFunctions } from "./refusal.ts"
import { connectToServer, type RemoteModel, createModelName } from "./server-connection.ts"
import { createThoughtSplitter } from "./thoughts.ts"

/** Converts an engine request to OpenAI's chat completions format. */
function toCompletionRequest(request: GenerateRequest, model: string): Record<string, unknown> {
  const { functionChoice, responseFormat } = request
  const functions = (request.functions ?? []).filter(({ hidden }) => hidden !== true)
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: request.messages.map(toMessage),
    ...defined({
      temperature: request.temperature,
      top_p: request.topP,
      min_p: request.minP,
      reasoning_effort: request.effort,
      max_tokens: request.maxTokens,
      stop: request.stop,
      seed: request.seed,
      presence_penalty: request.presencePenalty,
      frequency_penalty: request.frequencyPenalty,
    }),
    ...(functions.length === 0
      ? {}
      : {
          tools: functions.map((definition) => ({ type: "function", function: definition })),
          ...defined({ tool_choice: toToolChoice(functionChoice) }),
        }),
    ...(responseFormat === undefined ? {} : { response_format: toResponseFormat(responseFormat) }),
  }
}

function toMessage(message: EngineMessage): Record<string, unknown> {
  if (message.role === "tool")
    return { role: "tool", content: message.content, tool_call_id: message.toolCallId }
  if (message.role === "user" && message.pictures !== undefined && message.pictures.length > 0)
    return { role: "user", content: toParts(message.content, message.pictures) }
  if (message.role !== "assistant" || message.toolCalls === undefined || message.toolCalls.length === 0)
    return { role: message.role, content: message.content }
  return {
    role: "assistant",
    content: message.content === "" ? null : message.content,
    tool_calls: message.toolCalls.map(({ toolCallId, name, args }) => ({
      id: toolCallId,
      type: "function",
      function: { name, arguments: args },
    })),
  }
}

/** Text and images in their original order. */
function toParts(text: string, pictures: readonly EnginePicture[]): object[] {
  const parts: object[] = []
  const say = (some: string) => void (some !== "" && parts.push({ type: "text", text: some }))
  let answered = 0
  for (const { mediaType, bytes, at } of pictures) {
    say(text.slice(answered, at))
    answered = at
    const url = `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}`
    parts.push({ type: "image_url", image_url: { url } })
  }
  say(text.slice(answered))
  return parts
}

function toToolChoice(choice: GenerateRequest["functionChoice"]): unknown {
  return typeof choice === "object" ? { type: "function", function: { name: choice.name } } : choice
}

function toResponseFormat(format: NonNullable<GenerateRequest["responseFormat"]>): unknown {
  return format.type === "json_object"
    ? format
    : { type: "json_schema", json_schema: { name: "answer", schema: format.schema, strict: true } }
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** Context assumed when the model's context window is unknown. */
const usualContext = 8_192

/**
 * A chat model on an OpenAI-compatible server. The server fits the history to its context, queues and caches. The start event's
 * `promptTokens` is 0, because the server reports the number only at the end.
 */
export function createRemoteEngine(remote: RemoteModel): ChatEngine {
  const server = connectToServer(remote.server, "chat-model")
  const name = createModelName(server, remote.name)
  const state = createObservedState()
  let callsFunctions = true
  /** Whether the model's template puts the opening thought tag into the prompt, as shown by the last answer. */
  let startsInThoughts = false
  const disposal = new AbortController()
  /** The protocol has no request for counting tokens, so this is an estimate. Throws the refusal if requests to the server are blocked. */
  const estimate = async (text: string) => {
    const refusal = server.refusal()
    if (refusal) throw refusal
    return Math.ceil(Buffer.byteLength(text) / 4)
  }

  return {
    model: {
      get id() {
        return name.known() ?? server.name
      },
      kind: "remote",
      contextSize: remote.contextSize ?? usualContext,
      vision: remote.vision ?? false,
      get callsFunctions() {
        return callsFunctions
      },
    },
    get state(): EngineState {
      const refusal = server.refusal()
      return refusal ? { status: "failed", error: refusal.message, ...refusal.sentence.field } : state.current
    },
    onState: (listener) => state.onState(listener),
    // Servers cache evaluated prompts themselves.
    prepare: () => Promise.resolve(),
    async *generate(request: GenerateRequest, outer: AbortSignal): AsyncGenerator<EngineEvent> {
      const called = performance.now()
      const signal = AbortSignal.any([outer, disposal.signal])
      const answer = createAnswer(server.name, called, request.stop ?? [], startsInThoughts)
      try {
        const body = toCompletionRequest(request, await name.get(signal))
        yield { type: "start", promptTokens: 0, cachedTokens: 0, droppedMessages: 0 }
        const stream = server.stream("/chat/completions", body, signal)
        for await (const chunk of readChunks(stream, server.redactKey)) {
          state.set({ status: "ready", gpu: false, threads: 0 })
          yield* answer.events(chunk)
        }
        yield* answer.end()
        startsInThoughts = answer.beganInThoughts()
      } catch (error) {
        if (signal.aborted) yield answer.finish("aborted")
        else if (request.functions !== undefined && error instanceof AppError && refusesFunctions(error)) {
          callsFunctions = false
          throw invalidField("tools", error.sentence)
        } else {
          if (error instanceof Error && !server.refusal()) {
            const said = error instanceof AppError ? error.sentence.field : {}
            state.set({ status: "failed", error: error.message, ...said })
          }
          throw error
        }
      }
    },
    countTokens: (text) => estimate(text),
    async countPrompt({ messages, functions }) {
      const texts = messages.map((message) => ({ ...message, pictures: undefined }))
      return (await estimate(JSON.stringify({ messages: texts, functions }))) + tokensOfPictures(messages)
    },
    unload: () => Promise.resolve(),
    async [Symbol.asyncDispose]() {
      disposal.abort()
    },
  }
}

/**
 * Maximum length of one answer in characters, including thoughts. The box holds the whole answer in memory for callers that don't stream
 * it.
 */
const maxAnswerLength = 16_000_000
/** Maps the server's finish reasons. Any other reason is a normal end. */
const reasons: Partial<Record<string, EngineFinish["finishReason"]>> = {
  length: "length",
  content_filter: "filtered",
}
/** Characters counted for an empty piece, so that an endless stream of empty pieces also reaches the limit. */
const emptyPiece = 50

const tokensOfPictures = (messages: readonly EngineMessage[]): number =>
  messages
    .flatMap((message) => (message.role === "user" ? (message.pictures ?? []) : []))
    .reduce((sum, picture) => sum + tokensOfPicture(picture), 0)

/** @param stop the texts that end the answer; some servers report which of them did */
function createAnswer(server: string, called: number, stop: readonly string[], startsInThoughts: boolean) {
  let characters = 0
  let stopSequence: string | undefined
  const calls = createCallCollector()
  const thoughts = createThoughtSplitter(startsInThoughts)
  let reason: string | null = null
  let usage: CompletionChunk["usage"]
  let firstAt: number | null = null
  let lastAt = 0
  let counted = 0

  const measure = (): EngineUsage => {
    const completionTokens = usage?.completion_tokens ?? counted
    const seconds = firstAt === null ? 0 : (lastAt - firstAt) / 1000
    return {
      promptTokens: usage?.prompt_tokens ?? 0,
      cachedTokens: Math.min(usage?.prompt_tokens_details?.cached_tokens ?? 0, usage?.prompt_tokens ?? 0),
      completionTokens,
      firstTokenMs: firstAt === null ? null : firstAt - called,
      tokensPerSecond: seconds > 0 && completionTokens > 1 ? (completionTokens - 1) / seconds : null,
    }
  }
  const finish = (finishReason: EngineFinish["finishReason"]): EngineEvent => ({
    type: "finish",
    finishReason,
    ...(stopSequence !== undefined && { stopSequence }),
    usage: measure(),
  })
  return {
    finish,
    beganInThoughts: () => thoughts.beganInThoughts,
    *events(chunk: CompletionChunk): Generator<EngineEvent> {
      usage = chunk.usage ?? usage
      characters += getLength(chunk)
      if (characters > maxAnswerLength)
        throw new AppError("unavailable", sentence("remote.answer_too_large", { server }))
      const [choice] = chunk.choices
      if (choice === undefined) return
      reason = choice.finish_reason ?? reason
      const stoppedBy = choice.stop_reason
      if (typeof stoppedBy === "string" && stop.includes(stoppedBy)) stopSequence = stoppedBy
      const { text, thought, calls: pieces } = choice.delta ?? nothing
      if (text === "" && thought === "" && pieces.length === 0) return
      lastAt = performance.now()
      firstAt ??= lastAt
      counted++
      if (thought !== "") yield { type: "reasoning", text: thought }
      if (text !== "") yield* thoughts.add(text)
      calls.add(pieces)
    },
    *end(): Generator<EngineEvent> {
      yield* thoughts.end(reason === "length")
      const finished = calls.calls()
      for (const call of finished) yield { type: "tool-call", ...call }
      if (finished.length > 0) yield finish("tool-calls")
      else yield finish(reasons[reason ?? ""] ?? "stop")
    },
  }
}

const nothing = { text: "", thought: "", calls: [] }

const getLength = ({ choices: [choice] }: CompletionChunk): number => {
  const { text, thought } = choice?.delta ?? nothing
  return text.length + thought.length || emptyPiece
}
