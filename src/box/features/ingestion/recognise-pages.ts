import { newId } from "../../core/ids.ts"
import type { DocumentReader } from "../../parsers/document-reader.ts"
import { type Block, ParseFailure } from "../../parsers/parser.ts"
import type { ChunkBlocks } from "./extract.ts"
import { lateText, type NewPassage, type Piece } from "./passage-store.ts"
import type { Job } from "./queue-store.ts"
import { readJob } from "./read-job.ts"
import { encodeBlocks } from "./text-codec.ts"
import { describeEnd, shareRead, withoutFirst, type WaitingPages } from "./waiting-pages.ts"

/**
 * Reads the waiting pages of a document one by one; each is a piece of its own, so that an interruption loses no more
 * than one. Throws `ParseFailure` when none could be read and nothing else is in the document.
 */
export async function* recognisePages(
  job: Job,
  waiting: WaitingPages,
  reader: Pick<DocumentReader, "read">,
  chunk: ChunkBlocks,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  let state = waiting
  for (let page = state.pages[0]; page !== undefined; page = state.pages[0]) {
    const started = performance.now()
    const blocks: Block[] = []
    let failure: ParseFailure | undefined
    try {
      for await (const block of readJob(job, reader, { signal, scannedPage: page })) blocks.push(block)
    } catch (error) {
      if (!(error instanceof ParseFailure) || error.obstacle) throw error
      failure = error
    }
    const passages = await toPassages(blocks, chunk, state.passages)
    state = withoutFirst(state, {
      legible: blocks.length > 0,
      failed: failure !== undefined,
      passages: passages.length,
      ms: performance.now() - started,
    })
    const last = state.pages.length === 0
    if (last && failure && state.passages === 0) throw failure
    yield {
      job,
      position: lateText + page,
      blocks: await encodeBlocks(blocks),
      passages,
      progress: shareRead(state),
      waiting: state,
      ...(last && { end: { notes: describeEnd(state) } }),
    }
  }
}

async function toPassages(
  blocks: readonly Block[],
  chunk: ChunkBlocks,
  first: number,
): Promise<NewPassage[]> {
  const passages: NewPassage[] = []
  async function* all() {
    yield* blocks
  }
  for await (const { text, location } of chunk(all())) {
    // one number is left out, because the passage before stands on another page
    passages.push({ id: newId(), position: first + 1 + passages.length, text, location })
  }
  return passages
}
