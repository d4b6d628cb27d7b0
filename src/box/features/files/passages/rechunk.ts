import { AppError } from "../../../../shared/contract/errors.ts"
import { newId } from "../../../core/ids.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import type { Block } from "../../../parsers/parser.ts"
import type { ChunkBlocks } from "../ingestion/extract.ts"
import type { PassageStore } from "./passage-store.ts"
import type { OutdatedFile, RechunkStore } from "./rechunk-store.ts"
import type { NewPassage } from "./write-pieces.ts"

export interface RechunkDeps {
  texts: Pick<PassageStore, "blocks">
  store: RechunkStore
  index: Pick<PassageIndex, "put" | "removeFile">
  chunk: ChunkBlocks
  /** Passages made by another chunker version are made again. */
  chunkerVersion: number
}

const passagesPerStep = 250

/**
 * Cuts stored texts again, file by file, after the chunker has changed. Nothing is read again, and passages with unchanged text keep their
 * embeddings. Old passages are used until the new ones of a file are complete. Ends early when `signal` is aborted, and continues with the
 * same file at the next call. Returns whether anything was done.
 */
export async function rechunk(deps: RechunkDeps, signal: AbortSignal): Promise<boolean> {
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

async function rechunkFile(deps: RechunkDeps, file: OutdatedFile, signal: AbortSignal): Promise<void> {
  const { store, index, texts, chunk, chunkerVersion } = deps
  await store.dropDrafts(file.id)
  let drafts: NewPassage[] = []
  let position = 0
  for await (const { text, location } of chunk(singly(texts.blocks(file.id)))) {
    drafts.push({ id: newId(), position: position++, text, location })
    if (drafts.length < passagesPerStep) continue
    await store.addDrafts(file.id, drafts)
    drafts = []
    if (signal.aborted) return
  }
  await store.addDrafts(file.id, drafts)
  if (!(await store.useDrafts(file, chunkerVersion))) return store.dropDrafts(file.id)
  // after a crash from here on, comparing the index with the database repairs it
  await index.removeFile(file.id)
  for await (const records of store.records(file)) await index.put(records)
}

async function* singly(pieces: AsyncIterable<Block[]>): AsyncGenerator<Block> {
  for await (const blocks of pieces) yield* blocks
}
