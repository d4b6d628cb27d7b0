import { z } from "zod"
import { WorkerLost, type Channel } from "../../../http/workers/worker-channel.ts"
import type { Workers } from "../../../http/workers/workers.ts"
import type { EmbeddingEngine } from "../../engine.ts"

/** Texts for a standby box to embed. It responds with the numbers of all vectors, one after another, or `unable`. */
export const EmbedRequest = z.object({
  type: z.literal("embed"),
  model: z.object({
    /** Path of the model file at the requesting box. */
    path: z.string(),
    /** Fingerprint of the file's content. */
    fingerprint: z.string(),
  }),
  texts: z.string().array(),
})
export type EmbedRequest = z.infer<typeof EmbedRequest>

/** The standby box doesn't have the model. */
const unable = { type: "unable" } as const

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

/**
 * Embeds texts for the running box until the connection ends, or until it requests a model that this box doesn't have.
 * @param open opens the model in use, or another file; returns null if this computer doesn't have it
 */
export async function embedFor(
  channel: Channel,
  open: (model: EmbedRequest["model"]) => Promise<Pick<EmbeddingEngine, "embed"> | null>,
): Promise<void> {
  for (;;) {
    const { model, texts } = EmbedRequest.parse(await channel.receive())
    const engine = await open(model)
    if (engine === null) return channel.send(unable)
    const vectors = await engine.embed(texts, channel.gone)
    const length = vectors[0]?.length ?? 0
    const numbers = new Float32Array(length * vectors.length)
    for (const [at, vector] of vectors.entries()) numbers.set(vector, at * length)
    await channel.send(new Uint8Array(numbers.buffer))
  }
}
