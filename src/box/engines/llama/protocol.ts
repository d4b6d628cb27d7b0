import { z } from "zod"
import { ErrorCode } from "../../../shared/contract/errors.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"
import type { ProcessorUse, PromptPrefix, EngineEvent, EngineFinish, GenerateRequest } from "../engine.ts"

/** Messages between the box and a model process: plain objects that survive a structured clone. */

/** Kinds of native code: for a GPU, or for the processor only. */
export const GpuKind = z.union([z.enum(["metal", "cuda", "vulkan"]), z.literal(false)])
export type GpuKind = z.infer<typeof GpuKind>

export interface LoadModel {
  type: "load"
  modelPath: string
  purpose: "chat" | "embedding" | "reranking"
  gpu: boolean
  /** The kind of native code that has already loaded a model on this computer. With null, the code is tested first. */
  proven: GpuKind | null
  /** Tokens per chat, and the number of chats that share the context. */
  contextSize: number
  sequences: number
}

export type ToEngine =
  | LoadModel
  /** Starts one answer. `events` with the same id follow until one of them is `finish` or `failed`. */
  | { type: "generate"; id: number; request: GenerateRequest }
  | { type: "stop"; id: number }
  | { type: "prepare"; id: number; prefix: PromptPrefix }
  | { type: "count"; id: number; text: string }
  | { type: "count-prompt"; id: number; request: GenerateRequest }
  | { type: "embed"; id: number; texts: string[] }
  | { type: "rank"; id: number; query: string; texts: string[] }
  /** Starts the GPU drivers and reports the result. The process ends afterwards. */
  | { type: "probe" }

/** Usage as measured by the process. The box measures the time to the first token, from the call to its arrival. */
export type ProcessEvent = Exclude<EngineEvent, { type: "finish" }> | ProcessFinish

export interface ProcessFinish {
  type: "finish"
  finishReason: EngineFinish["finishReason"]
  promptTokens: number
  cachedTokens: number
  stopSequence?: string
  completionTokens: number
  tokensPerSecond: number | null
}

export type FromEngine =
  | { type: "progress"; progress: number }
  | {
      type: "ready"
      gpu: GpuKind
      threads: number
      /** The maximum number of threads that read prompts, and the instruction set that the native code uses. */
      processor: ProcessorUse
      dimensions: number
    }
  | { type: "threads"; threads: number }
  /** Long work is still running: a long prompt, or many texts to embed or rank. */
  | { type: "working" }
  | { type: "events"; id: number; events: ProcessEvent[] }
  /** Also sent when other work took precedence. */
  | { type: "prepared"; id: number }
  | { type: "counted"; id: number; tokens: number }
  | { type: "embedded"; id: number; vectors: Float32Array[] }
  | { type: "ranked"; id: number; scores: number[] }
  | {
      type: "failed"
      id: number | null
      code: ErrorCode
      message: string
      sentence?: SentenceBody
      details?: unknown
    }
  | { type: "probed"; gpu: GpuKind; memoryBytes: number }

const count = z.number().nonnegative()
const id = z.int()

const event: z.ZodType<ProcessEvent> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("start"), promptTokens: count, cachedTokens: count, droppedMessages: count }),
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("reasoning"), text: z.string() }),
  z.object({ type: z.literal("tool-call"), toolCallId: z.string(), name: z.string(), args: z.string() }),
  z.object({
    type: z.literal("finish"),
    finishReason: z.enum(["stop", "length", "tool-calls", "aborted"]),
    promptTokens: count,
    cachedTokens: count,
    stopSequence: z.exactOptional(z.string()),
    completionTokens: count,
    tokensPerSecond: count.nullable(),
  }),
])

/** Schema of valid messages from a model process, which isn't trusted because the model file comes from someone else. */
export const fromEngine: z.ZodType<FromEngine> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("progress"), progress: z.number() }),
  z.object({
    type: z.literal("ready"),
    gpu: GpuKind,
    threads: count,
    processor: z.object({ promptThreads: count, instructionSet: z.string().max(40).nullable() }),
    dimensions: count,
  }),
  z.object({ type: z.literal("threads"), threads: count }),
  z.object({ type: z.literal("working") }),
  z.object({ type: z.literal("events"), id, events: z.array(event) }),
  z.object({ type: z.literal("prepared"), id }),
  z.object({ type: z.literal("counted"), id, tokens: count }),
  z.object({ type: z.literal("embedded"), id, vectors: z.array(z.instanceof(Float32Array)) }),
  z.object({ type: z.literal("ranked"), id, scores: z.array(z.number()) }),
  z.object({
    type: z.literal("failed"),
    id: id.nullable(),
    code: ErrorCode,
    message: z.string(),
    details: z.unknown().optional(),
  }),
  z.object({
    type: z.literal("probed"),
    gpu: GpuKind,
    memoryBytes: count,
  }),
])
