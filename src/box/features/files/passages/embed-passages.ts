import type { Logger } from "../../../core/logging/logger.ts"
import type { TextEmbedder } from "../../../engines/embedding/text-embedder.ts"

const textsPerCall = 32

/** The properties of an embedding model that ingestion needs. */
export interface Embedder extends TextEmbedder {
  /** ID under which its vectors are stored. */
  modelId: string
  /** Returns the IDs of folders whose passages it may not read. Called before each request. */
  getExcludedFolders(): Promise<ReadonlySet<string>>
  /** Returns how many concurrent requests it accepts; one by default. */
  concurrency?(): number
}

export const getMaxConcurrentCalls = ({ concurrency }: Embedder): number => concurrency?.() ?? 1

export interface Embeddable {
  vectorId: string
  text: string
  embedding?: Float32Array
}

/**
 * Embeds passages, except those that the model may not read. A failing model doesn't delay a file: its passages are found by keyword and
 * embedded later. Returns whether all have an embedding.
 * @param onEmbedded called whenever some passages were embedded
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
      const forbidden = await embedder.getExcludedFolders()
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
    await waitForAll(Array.from({ length: getMaxConcurrentCalls(embedder) }, embedInTurn))
    return true
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, "Passages are indexed without embeddings for now")
    return false
  }
}

/** Waits until all have ended, then throws the first failure. */
async function waitForAll(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}
