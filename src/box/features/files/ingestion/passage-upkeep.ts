import type { DbOf } from "../../../core/database/database.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import type { Embedder } from "../passages/embed-passages.ts"
import { backfillEmbeddings } from "../passages/embedding-backfill.ts"
import type { PassageStore } from "../passages/passage-store.ts"
import { createRechunkStore } from "../passages/rechunk-store.ts"
import { rechunk } from "../passages/rechunk.ts"
import type { ChunkBlocks } from "./extract.ts"

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
    const renewed = { texts: store, store: createRechunkStore(db), index, chunk, chunkerVersion }
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
