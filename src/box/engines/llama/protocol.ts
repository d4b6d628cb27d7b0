import { z } from "zod"
import type { ErrorCode } from "../../../shared/contract/errors.ts"
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
