import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type {
  ChatEngine,
  EngineEvent,
  EngineMessage,
  EngineUsage,
  GenerateRequest,
} from "../../../engines/engine.ts"

/** The end of a model's answer to one request. */
export interface SaidEnd {
  finishReason: "stop" | "length" | "aborted"
  usage: EngineUsage | null
}

/** A model's answer to one request. */
export interface ModelReply extends SaidEnd {
  text: string
}

/** Any truncated answer is treated alike: half of a text may pass the filter that the whole didn't. */
const getEnd = {
  stop: "stop",
  "tool-calls": "stop",
  length: "length",
  filtered: "length",
  aborted: "aborted",
} as const

type Piece = Extract<EngineEvent, { type: "text" | "reasoning" }>

/**
 * Streams a model's answer to one request, without tools. The answer is ended after a piece that makes it too long. The last event is
 * `end`.
 */
export async function* say(
  engine: ChatEngine,
  request: GenerateRequest,
  isTooLong: (piece: Piece) => boolean,
  signal: AbortSignal,
): AsyncGenerator<Piece | ({ type: "end" } & SaidEnd)> {
  const tooLong = new AbortController()
  const end: SaidEnd = { finishReason: "stop", usage: null }
  for await (const event of engine.generate(request, AbortSignal.any([signal, tooLong.signal]))) {
    if (event.type === "text" || event.type === "reasoning") {
      yield event
      if (isTooLong(event)) tooLong.abort()
    } else if (event.type === "finish") {
      end.usage = event.usage
      end.finishReason = getEnd[event.finishReason]
      if (tooLong.signal.aborted) end.finishReason = "length"
    }
  }
  yield { type: "end", ...end, ...(signal.aborted && { finishReason: "aborted" }) }
}

/** Maximum number of characters per allowed token of a hidden answer, including thoughts. */
const charactersPerToken = 8

/** Sends one request to a model, without tools; the answer isn't shown. */
export async function askModel(
  engine: ChatEngine,
  { messages, conversationKey, maxTokens }: AskedModel,
  signal: AbortSignal,
): Promise<ModelReply> {
  const reply: ModelReply = { text: "", finishReason: "stop", usage: null }
  const request = {
    messages,
    conversationKey,
    maxTokens,
    ...(engine.model.kind === "local" && { effort: "none" as const }),
  }
  const max = maxTokens * charactersPerToken
  let written = 0
  const isTooLong = ({ text }: { text: string }) => (written += text.length) > max
  for await (const event of say(engine, request, isTooLong, signal)) {
    // a single piece may be longer than the limit
    if (event.type === "text") reply.text += event.text.slice(0, max - reply.text.length)
    else if (event.type === "end")
      Object.assign(reply, { finishReason: event.finishReason, usage: event.usage })
  }
  return reply
}

export interface AskedModel {
  messages: EngineMessage[]
  conversationKey: string
  maxTokens: number
}

/** Shares of a model's context for reading, in tokens. */
export interface Room {
  /** Notes on one part. */
  notes: number
  /** One part of a document. */
  part: number
  /** All notes together when they are combined. */
  combined: number
}

/** Maximum size of a part: a small model overlooks details in long texts, and a failed part is lost as a whole. */
const maxPartLength = 8_000
const maxNoteTokens = { local: 1_024, remote: 4_096 }
const minPartLength = 200
/** Tokens for the tags and the model's own template. */
const tokensAround = 100
/** Share of the context for the answer when notes are combined. */
const answerShare = 0.3

/**
 * Throws `unprocessable` if almost nothing fits.
 * @param fixed tokens of instructions and question, in the request for a part and in the combining request
 */
export function computeRoom({ model }: ChatEngine, fixed: { part: number; combined: number }): Room {
  const { contextSize, kind, id } = model
  const notes = Math.min(maxNoteTokens[kind], Math.floor(contextSize / 4))
  const room = (taken: number) => contextSize - taken - tokensAround
  const part = Math.min(maxPartLength, room(fixed.part + notes))
  const combined = room(fixed.combined + Math.floor(contextSize * answerShare))
  if (Math.min(part, combined) < minPartLength)
    throw new AppError("unprocessable", sentence("reading.no_room", { model: id, count: contextSize }))
  return { notes, part, combined }
}
