import { freemem, totalmem } from "node:os"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { GgufHeader } from "./gguf/gguf-header.ts"

/** How a model is loaded: tokens of context for each conversation, and conversations that are answered at once. */
export interface ModelPlan {
  contextSize: number
  sequences: number
  /** Whether the context is as long as was wanted. */
  isWhole: boolean
}

/** Enough for long documents in the prompt, and small enough for the memory of a usual computer. */
const usualContext = 8_192
const smallestContext = 1_024
const mostSequences = 4
/** Room for llama.cpp's own buffers. */
const overheadBytes = 128 << 20

/**
 * Fits a model's context into the memory that is free: first fewer conversations at once, then a shorter context.
 *
 * @throws AppError `unavailable` when the model doesn't fit at all.
 */
export function planChatModel(
  header: GgufHeader,
  freeBytes: number,
  wantedContext = usualContext,
): ModelPlan {
  const trained = numberOf(header, "context_length") ?? usualContext
  const longest = Math.max(256, Math.min(wantedContext, trained))
  const tokenBytes = cacheBytesPerToken(header)
  const shortest = Math.min(smallestContext, longest)
  const needed = header.tensorBytes + overheadBytes + shortest * tokenBytes
  if (needed > freeBytes) throw tooLarge(needed, freeBytes)

  // Half of what is left, so that the person's other programs keep room.
  const budget = (freeBytes - header.tensorBytes - overheadBytes) / 2
  const fitting = tokenBytes === 0 ? Number.POSITIVE_INFINITY : Math.floor(budget / tokenBytes)
  for (const sequences of [mostSequences, 2])
    if (longest * sequences <= fitting) return { contextSize: longest, sequences, isWhole: true }
  const contextSize = Math.max(shortest, Math.min(longest, Math.floor(fitting / 256) * 256))
  return { contextSize, sequences: 1, isWhole: contextSize === longest }
}

/** Context of an embedding model: all it was trained for, within reason. */
export function planEmbeddingModel(header: GgufHeader, freeBytes: number): ModelPlan {
  const contextSize = Math.min(numberOf(header, "context_length") ?? 512, 2_048)
  const needed = header.tensorBytes + overheadBytes + contextSize * cacheBytesPerToken(header)
  if (needed > freeBytes) throw tooLarge(needed, freeBytes)
  return { contextSize, sequences: 1, isWhole: true }
}

/** Length of an embedding model's vectors, if its file tells. */
export const embeddingLength = (header: GgufHeader): number | undefined =>
  numberOf(header, "embedding_length")

/** Memory that a new process may use, in bytes. */
export function freeMemory(): number {
  // macOS counts its file cache as used; it gives that back when somebody needs it.
  const free = process.platform === "darwin" ? Math.max(freemem(), totalmem() * 0.6) : freemem()
  return process.constrainedMemory() > 0 ? Math.min(free, process.availableMemory()) : free
}

function tooLarge(needed: number, free: number): AppError {
  return new AppError(
    "unavailable",
    sentence("llama.needs_memory", { size: gigabytes(needed), free: gigabytes(free) }),
    { details: { neededBytes: needed, freeBytes: free } },
  )
}

function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GB`
}

/** Bytes that one token of context takes: keys and values of every layer, at two bytes a number. */
function cacheBytesPerToken(header: GgufHeader): number {
  const layers = numberOf(header, "block_count") ?? 0
  const heads = numberOf(header, "attention.head_count") ?? 1
  const headLength = (numberOf(header, "embedding_length") ?? 0) / Math.max(heads, 1)
  const keyLength = numberOf(header, "attention.key_length") ?? headLength
  const valueLength = numberOf(header, "attention.value_length") ?? headLength
  const keyHeads = header.metadata.get(`${header.architecture}.attention.head_count_kv`) ?? heads
  const allHeads = Array.isArray(keyHeads)
    ? keyHeads.reduce((sum, count) => sum + count, 0)
    : layers * (typeof keyHeads === "number" ? keyHeads : heads)
  return allHeads * (keyLength + valueLength) * 2
}

function numberOf(header: GgufHeader, key: string): number | undefined {
  const value = header.metadata.get(`${header.architecture}.${key}`)
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}
