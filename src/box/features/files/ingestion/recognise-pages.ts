import { newId } from "../../../core/ids.ts"
import { type Block, ParseFailure } from "../../../parsers/parser.ts"
import type { ChunkBlocks } from "./extract.ts"
import { lateText } from "../passages/stored-texts.ts"
import type { NewPassage, Piece } from "../passages/write-pieces.ts"
import type { Job } from "./job.ts"
import { readJob, type JobReading } from "./read-job.ts"
import { countCharacters, encodeBlocks } from "../passages/text-codec.ts"
import {
  describeEnd,
  describeWaiting,
  getFirstPage,
  getPercentRead,
  dropFirst,
  type WaitingPages,
} from "./waiting-pages.ts"

/** Number of attempts after which a page is treated as the cause if the reading process dies. */
const maxDeaths = 2

/**
 * Reads the next page of a document that waits for OCR. It reads only one, so that others can go ahead of a long scan. Throws
 * `ParseFailure` if it was the last page, none could be read and the document contains nothing else.
 */
export async function recognisePage(
  job: Job,
  waiting: WaitingPages,
  reading: JobReading,
  chunk: ChunkBlocks,
  signal: AbortSignal,
): Promise<Piece> {
  const { place, ...scan } = getFirstPage(waiting)
  const started = performance.now()
  const blocks: Block[] = []
  let failure: ParseFailure | undefined
  try {
    for await (const block of readJob(job, reading, { signal, scan })) blocks.push(block)
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error
    const isTheirs = error.transientCause === "died" && job.attempts >= maxDeaths
    if (error.transientCause && !isTheirs) throw error
    failure = error
  }
  const passages = await toPassages(blocks, chunk, waiting.passages)
  const left = dropFirst(waiting, {
    legible: blocks.length > 0,
    failed: failure !== undefined,
    passages: passages.length,
    ms: performance.now() - started,
  })
  const isLast = left.pages.length === 0
  if (isLast && failure && left.passages === 0) throw failure
  return {
    job,
    position: lateText + place,
    blocks: await encodeBlocks(blocks),
    characters: countCharacters(blocks),
    passages,
    progressBefore: getPercentRead(waiting),
    progress: getPercentRead(left),
    waiting: left,
    end: { notes: isLast ? describeEnd(left) : describeWaiting(left) },
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
    // skips one position, because the previous passage is on another page
    passages.push({ id: newId(), position: first + 1 + passages.length, text, location })
  }
  return passages
}
