import type { Workers } from "../../../http/workers/workers.ts"
import { WorkerLost } from "../../../http/workers/worker-channel.ts"
import type { EmbeddingEngine } from "../../engine.ts"
import type { EmbedRequest } from "./messages.ts"

type Engine = Pick<EmbeddingEngine, "embed">

/** Timeout of one call, which first loads the model. */
const timeoutMs = 5 * 60_000

/**
 * Embeds at a standby box that has the same model and a free slot, otherwise here. Texts that the other box didn't finish are also embedded
 * here.
 */
export function createWorkerEmbedder(
  here: Engine,
  model: EmbedRequest["model"],
  workers: Pick<Workers, "take">,
): Engine {
  return {
    async embed(texts, signal) {
      using slot = texts.length === 0 ? null : workers.take("embed")
      if (!slot) return here.embed(texts, signal)
      try {
        await slot.send({ type: "embed", model, texts: [...texts] } satisfies EmbedRequest, signal)
        const answer = await slot.receive(timeoutMs, signal)
        const vectors = Buffer.isBuffer(answer) ? decodeVectors(answer, texts.length) : null
        if (vectors !== null) {
          slot.done()
          return vectors
        }
      } catch (error) {
        if (!(error instanceof WorkerLost)) throw error
      }
      return here.embed(texts, signal)
    },
  }
}

/** Returns null if the bytes don't contain this number of vectors. */
function decodeVectors(bytes: Buffer, count: number): Float32Array[] | null {
  const dimensions = bytes.length / Float32Array.BYTES_PER_ELEMENT / count
  if (!Number.isInteger(dimensions) || dimensions === 0) return null
  const numbers = new Float32Array(Uint8Array.from(bytes).buffer)
  return Array.from({ length: count }, (_, at) => numbers.slice(at * dimensions, (at + 1) * dimensions))
}
