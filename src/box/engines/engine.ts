import { AppError, invalidField } from "../../shared/contract/errors.ts"
import type { SentenceBody } from "../../shared/contract/sentence.ts"
import { sentence } from "../../shared/sentences/sentences.ts"

/** Interface to a chat model, whether it is a local GGUF or on an OpenAI-compatible server. */

export interface EngineToolCall {
  toolCallId: string
  name: string
  /** Arguments as JSON text, as the model wrote them. */
  args: string
}

/** An image for a model: scaled down, and without metadata. */
export interface EnginePicture {
  mediaType: "image/png" | "image/jpeg"
  bytes: Uint8Array
  width: number
  height: number
  /** Index of the character in the message before which the image is placed. */
  at: number
}

export type EngineMessage =
  | { role: "system"; content: string }
  /** Images in order, only for models with `vision`. */
  | { role: "user"; content: string; pictures?: readonly EnginePicture[] }
  | { role: "assistant"; content: string; toolCalls?: EngineToolCall[] }
  | { role: "tool"; content: string; toolCallId: string }

export interface EngineFunction {
  name: string
  description?: string
  /** JSON Schema of the arguments object. */
  parameters?: Record<string, unknown>
  /** Arguments must follow the whole schema; a schema that can't be guaranteed is refused with `validation`. */
  strict?: boolean
  /**
   * The model may call it, but the prompt doesn't describe it: the conversation does. It isn't sent to a remote server, which accepts only
   * calls of the tools that it receives.
   */
  hidden?: boolean
}

/** OpenAI's names. */
type ThinkingEffort = "none" | "minimal" | "low" | "medium" | "high"

export interface GenerateRequest {
  /** The whole history, newest message last. The engine drops the oldest turns if it doesn't fit. */
  messages: EngineMessage[]
  /** Conversations with the same key reuse the tokens that are already evaluated. */
  conversationKey?: string
  temperature?: number
  topP?: number
  minP?: number
  /** Maximum number of thinking tokens; 0 disables thinking. Default: the model's own limit. */
  thinkingTokens?: number
  /** Thinking effort; models that don't think ignore it. */
  effort?: ThinkingEffort
  /** Maximum number of generated tokens; the context size limits it too. */
  maxTokens?: number
  stop?: string[]
  seed?: number
  presencePenalty?: number
  frequencyPenalty?: number
  responseFormat?: { type: "json_object" } | { type: "json_schema"; schema: Record<string, unknown> }
  functions?: EngineFunction[]
  functionChoice?: "auto" | "none" | "required" | { name: string }
}

/** The common start of many conversations' prompts: instructions and tools. */
export type PromptPrefix = Pick<GenerateRequest, "messages" | "functions">

export interface EngineUsage {
  promptTokens: number
  /** Number of prompt tokens that were already evaluated. */
  cachedTokens: number
  completionTokens: number
  /** From the call of `generate` to the first generated token, in milliseconds. */
  firstTokenMs: number | null
  tokensPerSecond: number | null
}

export type EngineEvent =
  /**
   * The prompt is accepted and its evaluation starts. `droppedMessages` counts the oldest messages that were omitted for lack of space.
   * Both counts are 0 if a remote server reports them only at the end.
   */
  | { type: "start"; promptTokens: number; cachedTokens: number; droppedMessages: number }
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | ({ type: "tool-call" } & EngineToolCall)
  | {
      type: "finish"
      /** `filtered`: a server's own filter has truncated the answer. */
      finishReason: "stop" | "length" | "tool-calls" | "filtered" | "aborted"
      /** The request's `stop` text that ended the answer; absent if none did, or the server doesn't report it. */
      stopSequence?: string
      usage: EngineUsage
    }

export type EngineFinish = Extract<EngineEvent, { type: "finish" }>

export interface EngineModel {
  /** Name shown to users and in `/api/v1/models`, such as the file name without `.gguf`. */
  id: string
  kind: "local" | "remote"
  /** Maximum number of context tokens per conversation. */
  contextSize: number
}

export interface ChatModel extends EngineModel {
  /** Whether it accepts images. */
  vision: boolean
  /** Whether it can call tools: a local model's chat template describes them, and a server hasn't refused them. */
  readonly callsFunctions: boolean
}

/** How a model's process uses the processor. */
export interface ProcessorUse {
  /** Maximum number of threads that read prompts. */
  promptThreads: number
  /** The best instruction set that its native code was built for, in llama.cpp's terms; null if it isn't reported. */
  instructionSet: string | null
}

export type EngineState =
  | { status: "idle" }
  | { status: "loading"; progress: number }
  | { status: "ready"; gpu: string | false; threads: number; processor?: ProcessorUse }
  | { status: "failed"; error: string; sentence?: SentenceBody }

export interface ChatEngine extends AsyncDisposable {
  readonly model: ChatModel
  readonly state: EngineState
  /** Calls the listener on every change of `state`; returns how to stop listening. */
  onState(listener: (state: EngineState) => void): () => void
  /**
   * Streams one answer. Aborting the signal stops generation in the engine itself, and the iterable finishes with `aborted`. Throws
   * `AppError`: `engine_crashed` if the engine process died, `rate_limited` if its queue is full, `validation` if the newest message alone
   * doesn't fit the context, `unavailable` if the model can't be loaded.
   */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<EngineEvent>
  /**
   * Evaluates the start of the next new conversation in advance, so that its first question needs only its own evaluation. Runs while the
   * model is loaded and idle. Other requests go first, and a later prefix replaces an unfinished one.
   */
  prepare(prefix: PromptPrefix): Promise<void>
  countTokens(text: string): Promise<number>
  /** Returns the number of tokens in a request's whole prompt, as the model reads it; an estimate if a remote server can't count them. */
  countPrompt(request: GenerateRequest): Promise<number>
  /** Releases the memory of its model; the next use loads it again. Call it only while the model is idle. */
  unload(): Promise<void>
}

export interface EmbeddingEngine extends AsyncDisposable {
  readonly model: EngineModel
  /** Returns the model's names from its file or server, which identify its family. */
  names(): string[]
  readonly state: EngineState
  /** Calls the listener on every change of `state`; returns how to stop listening. */
  onState(listener: (state: EngineState) => void): () => void
  /** Returns the length of every vector; known after the model is loaded. */
  dimensions(): Promise<number>
  /** Returns unit-length vectors, in the order of the texts. Texts that exceed the context are truncated. */
  embed(texts: string[], signal?: AbortSignal): Promise<Float32Array[]>
}

export interface RankingEngine extends AsyncDisposable {
  readonly model: EngineModel
  readonly state: EngineState
  /** Calls the listener on every change of `state`; returns how to stop listening. */
  onState(listener: (state: EngineState) => void): () => void
  /** Returns for each text how well it answers the query, from 0 to 1. Texts that exceed the context are truncated. */
  rank(query: string, texts: string[]): Promise<number[]>
}

/** The state of an engine and the listeners for its changes. */
export interface ObservedState {
  readonly current: EngineState
  /** Notifies the listeners, unless nothing changed. */
  set(next: EngineState): void
  onState(listener: (state: EngineState) => void): () => void
}

export function createObservedState(): ObservedState {
  const listeners = new Set<(state: EngineState) => void>()
  let current: EngineState = { status: "idle" }
  return {
    get current() {
      return current
    },
    set(next) {
      if (JSON.stringify(next) === JSON.stringify(current)) return
      current = next
      for (const listener of listeners) listener(next)
    },
    onState(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** One part of a prompt, with its size. */
export interface PromptPiece {
  name: "instructions" | "folder passages" | "tools" | "message"
  tokens: number
}

const tooLong = {
  instructions: "models.instructions_over_context",
  "folder passages": "models.passages_over_context",
  tools: "models.tools_over_context",
  message: "models.message_over_context",
} as const

/** Returns the 400 error for a prompt that is too long even without any history. It names the largest part. */
export function promptTooLong(contextSize: number, pieces: readonly PromptPiece[]): AppError {
  const [largest] = pieces.toSorted((a, b) => b.tokens - a.tokens)
  const total = pieces.reduce((sum, { tokens }) => sum + tokens, 0)
  const values = { count: contextSize, total, size: largest?.tokens ?? 0 }
  return invalidField("messages", sentence(tooLong[largest?.name ?? "message"], values))
}

/** The size of texts far above the context is estimated, because counting their tokens is slow. */
export async function countTokens(
  text: string,
  contextSize: number,
  count: (text: string) => number | Promise<number>,
): Promise<number> {
  return text.length > 16 * contextSize ? Math.round(text.length / 4) : count(text)
}

/** Whether an engine rejected a request because of its content, such as its length or a schema that is too complex. */
export const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === "validation"

/** Estimates the tokens that vision models use for an image: one per 28 by 28 pixels. */
export const tokensOfPicture = ({ width, height }: Pick<EnginePicture, "width" | "height">): number =>
  Math.ceil((width * height) / 784)
