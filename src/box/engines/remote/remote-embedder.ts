import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { eitherSignal } from "../../core/waiting/abort-and-timeout.ts"
import { type EmbeddingEngine, type EngineState, createObservedState } from "../engine.ts"
import { createModelName, connectToServer, type RemoteModel } from "./server-connection.ts"

const batchSize = 32

const Embeddings = z.object({
  data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()).min(1) })),
})

/** Gets embeddings from an OpenAI-compatible server. The server cuts or refuses texts longer than its context. */
export function createRemoteEmbedder(remote: RemoteModel): EmbeddingEngine {
  const server = connectToServer(remote.server, "embedding-model")
  const name = createModelName(server, remote.name)
  const disposal = new AbortController()
  const state = createObservedState()
  let dimensions: number | null = null

  const request = async (input: string[], outer?: AbortSignal): Promise<Float32Array[]> => {
    // Checked first: indexing calls this repeatedly, and these refusals needn't be logged.
    const refusal = server.refusal()
    if (refusal) throw refusal
    const signal = eitherSignal(outer, disposal.signal)
    const body = { model: await name.get(signal), input }
    const parsed = Embeddings.safeParse(await server.json("/embeddings", body, signal))
    if (!parsed.success || parsed.data.data.length !== input.length)
      throw new AppError("unavailable", sentence("remote.not_embeddings"))
    const vectors = parsed.data.data
      .sort((a, b) => a.index - b.index)
      .map(({ embedding }) => normalise(embedding))
    for (const { length } of vectors) {
      dimensions ??= length
      if (length !== dimensions) throw new AppError("unavailable", sentence("remote.vectors_changed"))
    }
    state.set({ status: "ready", gpu: false, threads: 0 })
    return vectors
  }
  return {
    model: {
      get id() {
        return name.known() ?? server.name
      },
      kind: "remote",
      contextSize: 512,
    },
    names: () => [name.known() ?? ""],
    get state(): EngineState {
      const refusal = server.refusal()
      return refusal ? { status: "failed", error: refusal.message, ...refusal.sentence.field } : state.current
    },
    onState: (listener) => state.onState(listener),
    async dimensions() {
      if (dimensions === null) await request(["."])
      return dimensions ?? 0
    },
    async embed(texts, signal) {
      const vectors: Float32Array[] = []
      for (let start = 0; start < texts.length; start += batchSize)
        vectors.push(...(await request(texts.slice(start, start + batchSize), signal)))
      return vectors
    },
    async [Symbol.asyncDispose]() {
      disposal.abort()
    },
  }
}

function normalise(vector: number[]): Float32Array {
  const length = Math.hypot(...vector)
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length))
}
