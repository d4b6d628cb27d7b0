import { z } from "zod"
import { ErrorCode } from "../../../shared/contract/errors.ts"
import { GpuKind, type FromEngine, type ProcessEvent } from "./protocol.ts"

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
