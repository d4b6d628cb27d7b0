import type { Logger } from "../../../core/logging/logger.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import { embedPassages, type Embedder } from "./embed-passages.ts"
import type { PassageStore } from "./passage-store.ts"

export interface BackfillDeps {
  store: PassageStore
  index: Pick<PassageIndex, "put">
  embedder: Embedder
  logger: Logger
}

/**
 * Embeds stored passages without an embedding by the current model: after a change of model, or after it failed during ingestion. Ends
 * early if `signal` is aborted or the model fails. Returns whether nothing is left.
 */
export async function backfillEmbeddings(deps: BackfillDeps, signal: AbortSignal): Promise<boolean> {
  const { store, index, embedder, logger } = deps
  for (let after = ""; !signal.aborted;) {
    const { passages, last } = await store.listWithoutEmbedding(embedder.modelId, after)
    if (last === null) return true
    after = last
    if (passages.length === 0) continue
    if (!(await embedPassages(passages, embedder, signal, logger))) return false
    const embedded = passages.filter(({ embedding }) => embedding !== undefined)
    await index.put(await store.addEmbeddings(embedded, embedder.modelId))
  }
  return false
}
