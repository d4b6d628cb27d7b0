import type { SentenceBody } from "../../shared/contract/sentence.ts"
/** What the box needs of a chat model, whether it is a local GGUF or an OpenAI-compatible server elsewhere. */

export interface EngineToolCall {
  toolCallId: string
  name: string
  /** Arguments as the model wrote them: JSON text. */
  args: string
}

/** A picture as a model is shown it: scaled down, and nothing in it but what it shows. */
export interface EnginePicture {
  mediaType: "image/png" | "image/jpeg"
  bytes: Uint8Array
  width: number
  height: number
  /** Before which character of the message it stands. */
  at: number
}

export type EngineMessage =
  | { role: "system"; content: string }
  /** Pictures in their order, for models with `vision` only. */
  | { role: "user"; content: string; pictures?: readonly EnginePicture[] }
  | { role: "assistant"; content: string; toolCalls?: EngineToolCall[] }
  | { role: "tool"; content: string; toolCallId: string }

export interface EngineFunction {
  name: string
  description?: string
  /** JSON Schema of the arguments object. */
  parameters?: Record<string, unknown>
  /** Arguments must follow the whole schema; one that can't be promised is refused with `validation`. */
  strict?: boolean
  /**
   * It may be called, but the prompt doesn't describe it: the conversation does. A server elsewhere, which takes calls of
   * what it is sent only, isn't sent it.
   */
  hidden?: boolean
}

/** As OpenAI names it. */
export type ThinkingEffort = "none" | "minimal" | "low" | "medium" | "high"

export interface GenerateRequest {
  /** The whole history, newest message last. The engine drops the oldest turns when it doesn't fit. */
  messages: EngineMessage[]
  /** Conversations with the same key reuse what is already evaluated. */
  conversationKey?: string
  temperature?: number
  topP?: number
  minP?: number
  /** Most tokens of thoughts; 0: the model isn't to think. The model's own unless given. */
  thinkingTokens?: number
  /** How much a model that thinks is to think; models that don't ignore it. */
  effort?: ThinkingEffort
  /** Limit of generated tokens; the context size limits it too. */
  maxTokens?: number
  stop?: string[]
  seed?: number
  presencePenalty?: number
  frequencyPenalty?: number
  responseFormat?: { type: "json_object" } | { type: "json_schema"; schema: Record<string, unknown> }
  functions?: EngineFunction[]
  functionChoice?: "auto" | "none" | "required" | { name: string }
}

/** What the prompts of many conversations begin with: instructions and functions. */
export type PromptPrefix = Pick<GenerateRequest, "messages" | "functions">

export interface EngineUsage {
  promptTokens: number
  /** How many of the prompt tokens were already evaluated. */
  cachedTokens: number
  completionTokens: number
  /** From the call of `generate` to the first generated token, in milliseconds. */
  firstTokenMs: number | null
  tokensPerSecond: number | null
}

export type EngineEvent =
  /**
   * The prompt is understood and its evaluation begins. `droppedMessages` counts the oldest messages left out for lack
   * of room. Both counts are 0 where a server elsewhere tells them only at the end.
   */
  | { type: "start"; promptTokens: number; cachedTokens: number; droppedMessages: number }
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | ({ type: "tool-call" } & EngineToolCall)
  | {
      type: "finish"
      /** `filtered`: a server's own filter has cut it short. */
      finishReason: "stop" | "length" | "tool-calls" | "filtered" | "aborted"
      /** Which of the request's `stop` texts ended the answer; absent where none did, or a server doesn't tell. */
      stopSequence?: string
      usage: EngineUsage
    }

export type EngineFinish = Extract<EngineEvent, { type: "finish" }>

export interface EngineModel {
  /** Name shown to people and in `/api/v1/models`, such as the file name without `.gguf`. */
  id: string
  kind: "local" | "remote"
  /** Tokens of context one conversation may use. */
  contextSize: number
}

export interface ChatModel extends EngineModel {
  /** Whether it may be shown pictures. */
  vision: boolean
  /** Whether it was made to call functions: a local one's chat template describes them, and a server hasn't refused them. */
  readonly callsFunctions: boolean
}

/** How a model's process uses the processor. */
export interface ProcessorUse {
  /** Most threads that read prompts. */
  promptThreads: number
  /** The best instructions that its native code was built for, as llama.cpp calls them; null where it doesn't say. */
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
  /** Called on every change of `state`; returns how to stop listening. */
  onState(listener: (state: EngineState) => void): () => void
  /**
   * Streams one answer. Aborting the signal ends the generation in the engine itself and the iterable finishes with
   * `aborted`. Throws `AppError`: `engine_crashed` when the engine process died, `rate_limited` when its queue is
   * full, `validation` when the newest message alone doesn't fit the context, `unavailable` when it can't be loaded.
   */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<EngineEvent>
  /**
   * Evaluates ahead what the next new conversation begins with, so that its first question pays for itself only. Does so
   * while the model is loaded and has nothing else to do; whatever it is asked meanwhile goes first, and a later prefix
   * takes the place of one that isn't done.
   */
  prepare(prefix: PromptPrefix): Promise<void>
  countTokens(text: string): Promise<number>
  /** Tokens of a request's whole prompt, as the model reads it; an estimate where a server elsewhere can't be asked. */
  countPrompt(request: GenerateRequest): Promise<number>
  /** Gives the memory of its model back; the next use loads it anew. For one that does nothing at the moment. */
  unload(): Promise<void>
}

export interface EmbeddingEngine extends AsyncDisposable {
  readonly model: EngineModel
  /** What its file or server calls the model; tells the family that it is of. */
  names(): string[]
  readonly state: EngineState
  /** Called on every change of `state`; returns how to stop listening. */
  onState(listener: (state: EngineState) => void): () => void
  /** Length of every vector; known once the model is loaded. */
  dimensions(): Promise<number>
  /** Unit-length vectors, in the order of the texts. Texts over the context are cut. */
  embed(texts: string[], signal?: AbortSignal): Promise<Float32Array[]>
}

export interface RankingEngine extends AsyncDisposable {
  readonly model: EngineModel
  readonly state: EngineState
  /** Called on every change of `state`; returns how to stop listening. */
  onState(listener: (state: EngineState) => void): () => void
  /** For each text, 0–1: how well it answers the query. Texts over the context are cut. */
  rank(query: string, texts: string[]): Promise<number[]>
}
