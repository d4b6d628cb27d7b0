import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { ContextCost } from "../../../shared/contract/models.ts"
import { conversationsAtOnce } from "../../../shared/conversations-at-once.ts"
import type { GgufHeader } from "./gguf/gguf-header.ts"

/** How a model is loaded: the tokens of context for each chat, and the number of chats answered at once. */
export interface ModelPlan {
  contextSize: number
  sequences: number
  /** Whether the context is as long as requested. */
  isWhole: boolean
}

/** Context assumed for a model that doesn't state its trained context, and enough for a model with a longer one. */
const usualContext = 8_192
const smallestContext = 1_024
/** Minimum context of a chat, up to the trained context, before a second chat gets its own slot. */
const roomyContext = 16_384
/** Memory for llama.cpp's own buffers. */
const overheadBytes = 128 << 20
/** Maximum memory for contexts when no size is requested. Filling it is part of loading a model. */
const usualCacheBytes = 4 * 2 ** 30

/**
 * Fits a model's context into the free memory. Without a requested size, the context is as long as fits, and serves as many chats at once
 * as leave each chat enough. A requested size is kept by serving fewer chats first, and is shortened only after that.
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

/** Returns how much memory a model's contexts need on a computer with `totalBytes` of memory. */
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
  Math.max(256, getNumber(header, "context_length") ?? usualContext)

/** Returns the tokens of context that fit next to the model in half of the remaining memory. The other half is left to other programs. */
function fittingTokens(header: GgufHeader, freeBytes: number, minTokens: number, maxBytes: number): number {
  const tokenBytes = cacheBytesPerToken(header)
  const needed = header.tensorBytes + overheadBytes + minTokens * tokenBytes
  if (needed > freeBytes) throw tooLarge(needed, freeBytes)
  const budget = Math.min((freeBytes - header.tensorBytes - overheadBytes) / 2, maxBytes)
  return tokenBytes === 0 ? Number.POSITIVE_INFINITY : Math.floor(budget / tokenBytes)
}

/** Context of an embedding model: its full trained context, up to 2,048 tokens. */
export function planEmbeddingModel(header: GgufHeader, freeBytes: number): ModelPlan {
  const contextSize = Math.min(getNumber(header, "context_length") ?? 512, 2_048)
  const needed = header.tensorBytes + overheadBytes + contextSize * cacheBytesPerToken(header)
  if (needed > freeBytes) throw tooLarge(needed, freeBytes)
  return { contextSize, sequences: 1, isWhole: true }
}

/** Vector length of an embedding model, if its file states it. */
export const embeddingLength = (header: GgufHeader): number | undefined =>
  getNumber(header, "embedding_length")

function tooLarge(needed: number, free: number): AppError {
  return new AppError(
    "unavailable",
    sentence("llama.needs_more_memory", { size: gigabytes(needed), free: gigabytes(free) }),
    { details: { neededBytes: needed, freeBytes: free } },
  )
}

/** With one decimal, as messages show it. */
const gigabytes = (bytes: number): number => Math.round((bytes / 2 ** 30) * 10) / 10

/** Bytes per token of context: the keys and values of every layer, at two bytes per number. */
function cacheBytesPerToken(header: GgufHeader): number {
  const layers = getNumber(header, "block_count") ?? 0
  const heads = getNumber(header, "attention.head_count") ?? 1
  const headLength = (getNumber(header, "embedding_length") ?? 0) / Math.max(heads, 1)
  const keyLength = getNumber(header, "attention.key_length") ?? headLength
  const valueLength = getNumber(header, "attention.value_length") ?? headLength
  const keyHeads = header.metadata.get(`${header.architecture}.attention.head_count_kv`) ?? heads
  const allHeads = Array.isArray(keyHeads)
    ? keyHeads.reduce((sum, count) => sum + count, 0)
    : layers * (typeof keyHeads === "number" ? keyHeads : heads)
  return allHeads * (keyLength + valueLength) * 2
}

function getNumber(header: GgufHeader, key: string): number | undefined {
  const value = header.metadata.get(`${header.architecture}.${key}`)
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}
