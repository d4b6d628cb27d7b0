import { basename } from "node:path"
import { unlessAborted } from "../../core/waiting/abort-and-timeout.ts"
import type { EmbeddingEngine } from "../engine.ts"
import { askProcess } from "./model-process.ts"
import { createEncoderHost, type EncoderOptions } from "./model-host.ts"
import { readGgufHeader } from "./gguf/gguf-header.ts"
import { embeddingLength } from "./model-plan.ts"

/** Maximum number of texts per call to the process, so that a query never waits long for a document's passages. */
const batchSize = 16
/** GGUF header keys for a model's names. */
const nameKeys = ["general.name", "general.basename", "general.base_model.0.name"]

/** An embedding model in a separate process, which starts at its first use and again after it died. */
export function createLlamaEmbedder(options: EncoderOptions): EmbeddingEngine {
  const { modelPath } = options
  const { host, model } = createEncoderHost("embedding", options)
  let lastId = 0

  return {
    model,
    names() {
      const { architecture, metadata } = readGgufHeader(modelPath)
      const told = nameKeys.map((key) => metadata.get(key)).filter((value) => typeof value === "string")
      return [...told, architecture, basename(modelPath)]
    },
    get state() {
      return host.state
    },
    onState: (listener) => host.onState(listener),
    async dimensions() {
      const told = embeddingLength(readGgufHeader(modelPath))
      if (told !== undefined) return told
      const { loaded } = await host.use()
      return loaded.dimensions
    },
    async embed(texts, signal) {
      const vectors: Float32Array[] = []
      for (let start = 0; start < texts.length; start += batchSize) {
        signal?.throwIfAborted()
        const { process } = await unlessAborted(host.use(), signal)
        const question = {
          type: "embed" as const,
          id: ++lastId,
          texts: texts.slice(start, start + batchSize),
        }
        vectors.push(...(await askProcess(process, question, "embedded", signal)).vectors)
        host.worked()
      }
      return vectors
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}
