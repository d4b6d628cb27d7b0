import { AppError } from "../../../../shared/contract/errors.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import { fileEvents } from "../file-state.ts"
import type { ChunkBlocks } from "../ingestion/read-job.ts"
import { cutIntoDrafts, type DraftStore, indexAgain, type OutdatedFile } from "./drafts.ts"
import type { PassageStore } from "./passage-store.ts"

/** Texts to cut, and where the passages go. */
interface Rechunking {
  texts: Pick<PassageStore, "blocks">
  store: Pick<DraftStore, "next" | "dropDrafts" | "addDrafts" | "useDrafts" | "records" | "findFolder">
  index: Pick<PassageIndex, "put" | "removeFile">
  chunk: ChunkBlocks
  /** Passages made by another chunker version are made again. */
  chunkerVersion: number
}

/**
 * Cuts stored texts again, file by file, after the chunker has changed. Nothing is read again, and passages with unchanged text keep their
 * embeddings. Old passages are used until the new ones of a file are complete. Ends early when `signal` is aborted, and continues with the
 * same file at the next call. Returns whether anything was done.
 */
export async function rechunk(deps: Rechunking, signal: AbortSignal): Promise<boolean> {
  let after = ""
  for (; !signal.aborted;) {
    const file = await deps.store.next(deps.chunkerVersion, after)
    if (!file) break
    await rechunkFile(deps, file, signal).catch((error: unknown) => {
      // If a text can't be read, the file keeps its passages.
      if (!(error instanceof AppError && error.code === "conflict")) throw error
    })
    after = file.id
  }
  return after !== ""
}

async function rechunkFile(deps: Rechunking, file: OutdatedFile, signal: AbortSignal): Promise<void> {
  const { store, index, texts, chunk, chunkerVersion } = deps
  const drafted = await cutIntoDrafts(store, file.id, texts.blocks(file.id), chunk, signal)
  if (drafted === undefined) return
  if (!(await store.useDrafts(file, fileEvents.rechunked(chunkerVersion)))) return store.dropDrafts(file.id)
  await indexAgain(index, store, file)
}
