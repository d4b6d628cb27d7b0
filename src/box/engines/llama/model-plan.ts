import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { ContextCost } from "../../../shared/contract/model-options.ts"
import { conversationsAtOnce } from "../../../shared/conversations-at-once.ts"
import type { GgufHeader } from "./gguf/gguf-header.ts"

/** How a model is loaded: tokens of context for each conversation, and conversations that are answered at once. */
export interface ModelPlan {
  contextSize: number
  sequences: number
  /** Whether the context is as long as was wanted. */
  isWhole: boolean
}

/** What a model has that doesn't say what it was trained for, and what counts as enough of a longer one. */
const usualContext = 8_192
const smallestContext = 1_024
/** A conversation has at least so much, as far as it was trained for it, before another one has a place beside it. */
const roomyContext = 16_384
/** Room for llama.cpp's own buffers. */
const overheadBytes = 128 << 20
/** Memory that contexts take at most by themselves: filling it is part of loading a model. */
const usualCacheBytes = 4 * 2 ** 30

/**
 * Fits a model's context into the memory that is free: as long as it fits, for as many conversations at once as leave each
 * enough; one that is wanted as long as it is wanted, first for fewer conversations, then shorter.
 *
 * @param wantedContext null: as long as fits
 * @throws AppError `unavailable` when the model doesn't fit at all.
 */
export function planChatModel(
  header: GgufHeader,
  freeBytes: number,
  wantedContext: number | null = null,
): ModelPlan {
  const trained = trainedContext(header)
  const longest = Math.max(256, Math.min(wantedContext ?? trained, trained))
  const shortest = Math.min(smallestContext, longest)
  const fitting = fittingTokens(
    header,
    freeBytes,
    shortest,
    wantedContext === null ? usualCacheBytes : Infinity,
  )
  const enough = Math.min(longest, wantedContext ?? usualContext)
  const sequences = conversationsAtOnce(
    fitting,
    wantedContext === null ? Math.min(longest, roomyContext) : longest,
  )
  const each = Math.floor(fitting / sequences / 256) * 256
  const contextSize = Math.max(shortest, Math.min(longest, each))
  return { contextSize, sequences, isWhole: contextSize >= enough }
}

/** What contexts of a model cost on a computer with so much memory. */
export function contextCost(header: GgufHeader, totalBytes: number): ContextCost {
  const trained = trainedContext(header)
  const { contextSize: usual, sequences: usualAtOnce } = planChatModel(header, totalBytes)
  const together = fittingTokens(header, totalBytes, Math.min(smallestContext, trained), Infinity)
  return {
    trained,
    largest: planChatModel(header, totalBytes, trained).contextSize,
    usual,
    usualAtOnce,
    together: Math.min(together, Number.MAX_SAFE_INTEGER),
    modelBytes: header.tensorBytes,
    bytesPerToken: Math.round(cacheBytesPerToken(header)),
    memoryBytes: totalBytes,
  }
}

const trainedContext = (header: GgufHeader) =>
  Math.max(256, numberOf(header, "context_length") ?? usualContext)

/** Tokens of context that there is room for beside the model, in half of what is left: other programs keep the rest. */
function fittingTokens(header: GgufHeader, freeBytes: number, fewest: number, mostBytes: number): number {
  const tokenBytes = cacheBytesPerToken(header)
  const needed = header.tensorBytes + overheadBytes + fewest * tokenBytes
  if (needed > freeBytes) throw tooLarge(needed, freeBytes)
  const budget = Math.min((freeBytes - header.tensorBytes - overheadBytes) / 2, mostBytes)
  return tokenBytes === 0 ? Number.POSITIVE_INFINITY : Math.floor(budget / tokenBytes)
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
