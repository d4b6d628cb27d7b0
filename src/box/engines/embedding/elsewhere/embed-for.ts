import type { Channel } from "../../../http/workers/worker-channel.ts"
import type { EmbeddingEngine } from "../../engine.ts"
import { EmbedRequest, unable } from "./messages.ts"

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
