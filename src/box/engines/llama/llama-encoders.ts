import { basename } from "node:path"
import { currentCause } from "../../core/async-context.ts"
import { unlessAborted } from "../../core/waiting/abort-and-timeout.ts"
import { createSemaphore } from "../../core/waiting/locks.ts"
import type { EmbeddingEngine, RankingEngine } from "../engine.ts"
import { readGgufHeader } from "./gguf/gguf-header.ts"
import { createEncoderHost, type EncoderOptions } from "./model-host.ts"
import { embeddingLength } from "./model-plan.ts"
import { askProcess } from "./model-process.ts"

/** Maximum number of texts per call to the process, so that a query never waits long for a document's passages. */
const batchSize = 16
/** Batches that the process has at once: the next one is there when it has finished one. */
const batchSlots = 2
/** GGUF header keys for a model's names. */
const nameKeys = ["general.name", "general.basename", "general.base_model.0.name"]

/** An embedding model in a separate process, which starts at its first use and again after it died. */
export function createLlamaEmbedder(options: EncoderOptions): EmbeddingEngine {
  const { modelPath } = options
  const { host, model } = createEncoderHost("embedding", options)
  // People take turns with each batch, so that a question doesn't wait for all texts of someone else.
  const batches = createSemaphore({ slots: () => batchSlots, maxWaiting: Infinity, isFair: true })
  let lastId = 0

  /** Embeds at most `batchSize` texts. */
  async function embedBatch(texts: string[], signal: AbortSignal): Promise<Float32Array[]> {
    using _ = await batches.acquire(signal, currentCause().userId ?? "")
    const { process } = await unlessAborted(host.use(), signal)
    const { vectors } = await askProcess(
      process,
      { type: "embed" as const, id: ++lastId, texts },
      "embedded",
      signal,
    )
    host.worked()
    return vectors
  }

  return {
    model,
    names() {
      const { architecture, metadata } = readGgufHeader(modelPath)
      const stated = nameKeys.map((key) => metadata.get(key)).filter((value) => typeof value === "string")
      return [...stated, architecture, basename(modelPath)]
    },
    get state() {
      return host.state
    },
    onState: (listener) => host.onState(listener),
    async dimensions() {
      const stated = embeddingLength(readGgufHeader(modelPath))
      if (stated !== undefined) return stated
      const { loaded } = await host.use()
      return loaded.dimensions
    },
    async embed(texts, signal = new AbortController().signal) {
      const vectors: Float32Array[] = []
      for (let start = 0; start < texts.length; start += batchSize)
        vectors.push(...(await embedBatch(texts.slice(start, start + batchSize), signal)))
      return vectors
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

/** A reranking model in a separate process, started on first use and restarted after a crash. */
export function createLlamaReranker(options: EncoderOptions): RankingEngine {
  const { host, model } = createEncoderHost("reranking", options)
  let lastId = 0

  return {
    model,
    get state() {
      return host.state
    },
    onState: (listener) => host.onState(listener),
    async rank(query, texts) {
      const { process } = await host.use()
      const { scores } = await askProcess(process, { type: "rank", id: ++lastId, query, texts }, "ranked")
      host.worked()
      return scores
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}
