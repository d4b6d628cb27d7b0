import type { DbOf } from "../../../core/database/database.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import type { ChunkBlocks } from "../ingestion/read-job.ts"
import { embedPassages, type Embedder } from "./embed-passages.ts"
import type { PassageStore } from "./passage-store.ts"

/**
 * Embeds stored passages without an embedding by the current model: after a change of model, or after it failed during ingestion. Ends
 * early if `signal` is aborted or the model fails. Returns whether nothing is left.
 */
async function backfillEmbeddings(
  deps: {
    store: PassageStore
    index: Pick<PassageIndex, "put">
    embedder: Embedder
    logger: Logger
  },
  signal: AbortSignal,
): Promise<boolean> {
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

/** Updates passages of indexed files to what they would be if the files were indexed now. */
export interface PassageRefresher {
  /** Reports that passages were stored without their embeddings. */
  reportMissingEmbeddings(): void
  /** Cuts outdated passages again, then embeds those without an embedding. Returns immediately if there is nothing to do. */
  run(): Promise<void>
}

export interface PassageRefresherDeps {
  db: DbOf<"files">
  store: PassageStore
  index: Pick<PassageIndex, "put" | "removeFile">
  embedder: Embedder | null
  chunk: ChunkBlocks
  chunkerVersion: number
  logger: Logger
  /** Settles when everything that was read is stored. */
  written(): Promise<void>
  signal: AbortSignal
}

export function createPassageRefresher(deps: PassageRefresherDeps): PassageRefresher {
  const { db, store, index, embedder, chunk, chunkerVersion, logger, written, signal } = deps
  let hasMissingEmbeddings = embedder !== null
  let hasOutdatedPassages = true

  async function renew(): Promise<void> {
    if (!hasOutdatedPassages) return
    hasOutdatedPassages = false
    const outdated = db
      .selectFrom("files")
      .select("id")
      .where("status", "=", "completed")
      .where("chunker", "!=", chunkerVersion)
    if (!(await outdated.limit(1).executeTakeFirst())) return
    const { rechunk } = await import("./rechunk.ts")
    const { createDraftStore } = await import("./drafts.ts")
    const renewed = { texts: store, store: createDraftStore(db), index, chunk, chunkerVersion }
    if (await rechunk(renewed, signal)) hasMissingEmbeddings = embedder !== null
  }

  async function backfill(): Promise<void> {
    if (!embedder || !hasMissingEmbeddings) return
    hasMissingEmbeddings = false
    await written()
    const complete = await backfillEmbeddings({ store, index, embedder, logger }, signal)
    if (!complete) hasMissingEmbeddings = true
  }

  return {
    reportMissingEmbeddings() {
      hasMissingEmbeddings = true
    },
    async run() {
      await renew()
      await backfill()
    },
  }
}
