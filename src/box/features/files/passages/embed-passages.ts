import type { Logger } from "../../../core/logging/logger.ts"
import type { TextEmbedder } from "../../../engines/embedding/text-embedder.ts"

const textsPerCall = 32

/** What ingestion needs of an embedding model. */
export interface Embedder extends TextEmbedder {
  /** What its vectors are stored under. */
  modelId: string
  /** Ids of the folders whose passages it may not read; asked before each call. */
  notForIt(): Promise<ReadonlySet<string>>
  /** How many calls it answers side by side; one after the other unless given. */
  atOnce?(): number
}

export const callsAtOnce = ({ atOnce }: Embedder): number => atOnce?.() ?? 1

export interface Embeddable {
  vectorId: string
  text: string
  embedding?: Float32Array
}

/**
 * Gives passages their embeddings, but those that the model may not read. A failing model doesn't hold a file up: its passages stay without, are found by
 * keyword, and are embedded later. Answers whether all have one.
 * @param onEmbedded called each time that some have theirs
 */
export async function embedPassages(
  passages: readonly Embeddable[],
  embedder: Embedder,
  signal: AbortSignal,
  logger: Logger,
  onEmbedded?: () => Promise<void>,
): Promise<boolean> {
  let next = 0
  async function embedInTurn(): Promise<void> {
    while (next < passages.length) {
      const group = passages.slice(next, (next += textsPerCall))
      const forbidden = await embedder.notForIt()
      const some = group.filter(({ vectorId }) => !forbidden.has(vectorId))
      if (some.length === 0) continue
      const vectors = await embedder.embed(
        some.map((passage) => passage.text),
        "document",
        signal,
      )
      for (const [index, passage] of some.entries()) {
        const vector = vectors[index]
        if (vector) passage.embedding = vector
      }
      await onEmbedded?.()
    }
  }
  try {
    await allEnded(Array.from({ length: callsAtOnce(embedder) }, embedInTurn))
    return true
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, "Passages are indexed without embeddings for now")
    return false
  }
}

/** Throws what the first of them failed with, once all have ended. */
async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}
