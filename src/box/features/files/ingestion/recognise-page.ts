import { reason } from "../../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../../shared/contract/files.ts"
import type { Location, PageArea } from "../../../../shared/contract/location.ts"
import { newId } from "../../../core/ids.ts"
import { type Block, ParseFailure, type WantedScan } from "../../../parsers/parser.ts"
import { withoutPictures } from "../../../parsers/readers.ts"
import { addHiddenMark } from "../../../parsers/text/hidden-text.ts"
import type { NewPassage, Piece } from "../passages/passage-store.ts"
import { countCharacters, encodeBlocks, lateText } from "../passages/stored-texts.ts"
import {
  countKinds,
  describeEnd,
  describeWaiting,
  getFirstPage,
  getPercentRead,
  type Job,
  leftOut,
  mayBeTransient,
  type WaitingPages,
  type WaitingScan,
} from "./job.ts"
import { describeNext } from "./picture-descriptions.ts"
import { type ChunkBlocks, type JobReading, openJob, readJob } from "./read-job.ts"

/** Timeout for all pages of one document. */
const timeoutMs = 2 * 3_600_000

/**
 * Reads the next page of a document that waits for OCR, or describes its next picture. It reads only one, so that others can go ahead of a
 * long scan. Throws `ParseFailure` if it was the last page, none could be read and the document contains nothing else, and
 * `ModelUnavailable`.
 */
export async function recognisePage(
  job: Job,
  waiting: WaitingPages,
  reading: JobReading,
  chunk: ChunkBlocks,
  signal: AbortSignal,
): Promise<Piece> {
  const { place, picture, isDescribed } = getFirstPage(waiting)
  const scan = toWantedScan(getFirstPage(waiting))
  if (isDescribed) {
    const open = () => openJob(job, reading, { scan, signal })
    const describing = { describer: reading.describer, open }
    const { left, blocks, readers } = await describeNext(job, waiting, describing, signal)
    const passages = await toPassages(blocks, chunk, waiting.passages)
    const after = { ...left, passages: left.passages + passages.length }
    const piece = await toPiece(job, place, blocks, passages, after)
    return readers === undefined ? piece : { ...piece, end: { notes: [], ...piece.end, readers } }
  }
  if (picture && !job.wantsPictures) {
    const readers = job.readers === null ? undefined : withoutPictures(job.readers)
    const piece = await toPiece(job, place, [], [], dropPictures(waiting))
    return { ...piece, end: { notes: [], ...piece.end, readers } }
  }
  const started = performance.now()
  const blocks: Block[] = []
  let failure: ParseFailure | undefined
  try {
    for await (const block of readJob(job, reading, { signal, scan }))
      if (!picture) blocks.push(block)
      else if (block.kind === "image")
        blocks.push({ ...(picture.isHidden ? addHiddenMark(block) : block), ...getPlace(picture) })
  } catch (error) {
    if (!(error instanceof ParseFailure) || mayBeTransient(error, job)) throw error
    failure = error
  }
  const passages = await toPassages(blocks, chunk, waiting.passages)
  const left = dropFirst(waiting, {
    legible: blocks.length > 0,
    failed: failure !== undefined,
    passages: passages.length,
    ms: performance.now() - started,
  })
  if (left.pages.length === 0 && failure && left.passages === 0 && !picture) throw failure
  return toPiece(job, place, blocks, passages, left)
}

/**
 * Returns the waiting pages after the text of the first was recognised. If the total time exceeds the limit, that of the others is left out.
 */
function dropFirst(
  waiting: WaitingPages,
  turn: { legible: boolean; failed: boolean; passages: number; ms: number },
): WaitingPages {
  const { pageCount, notes } = waiting
  const [first, ...pages] = waiting.pages
  const spentMs = Math.round(waiting.spentMs + turn.ms)
  const described = pages.filter(({ isDescribed }) => isDescribed)
  const tooLong = spentMs > timeoutMs && pages.length > described.length
  const counts = first?.picture ? waiting.pictures : waiting
  const { legible, failed } = {
    legible: counts.legible + (turn.legible ? 1 : 0),
    failed: counts.failed + (turn.failed ? 1 : 0),
  }
  return {
    ...(first?.picture
      ? {
          legible: waiting.legible,
          failed: waiting.failed,
          pictures: { ...waiting.pictures, legible, failed },
        }
      : { legible, failed, pictures: waiting.pictures }),
    descriptions: waiting.descriptions,
    pages: tooLong ? described : pages,
    pageCount,
    passages: waiting.passages + turn.passages,
    spentMs,
    notes: tooLong ? [...notes, ...describeLeftOut(pages, pageCount)] : notes,
  }
}

/** Returns the waiting pages without the pictures, which are no longer wanted. */
function dropPictures(waiting: WaitingPages): WaitingPages {
  const dropped = countKinds(waiting.pages)
  const { pictures, descriptions } = waiting
  return {
    ...waiting,
    pages: waiting.pages.filter(({ picture }) => !picture),
    pictures: { ...pictures, count: pictures.count - dropped.pictures },
    descriptions: { ...descriptions, count: descriptions.count - dropped.descriptions },
  }
}

function describeLeftOut(pages: WaitingPages["pages"], pageCount: number): FileReason[] {
  const { scans, pictures } = countKinds(pages)
  return [
    ...(scans > 0 ? [leftOut(scans, pageCount)] : []),
    ...(pictures > 0 ? [reason("images_left_out", { count: pictures })] : []),
  ]
}

const toWantedScan = ({ page, inside, picture }: WaitingScan): WantedScan => ({
  page,
  ...(inside && { inside }),
  ...(picture && { picture: picture.key }),
})

/** The location of a picture's text is that of the picture, because OCR knows only the picture. */
const getPlace = ({ location, area }: { location: Location; area?: PageArea }) => ({
  location,
  ...(area && { area }),
})

/** @param left what remains after the page at this place */
async function toPiece(
  job: Job,
  place: number,
  blocks: readonly Block[],
  passages: NewPassage[],
  left: WaitingPages,
): Promise<Piece> {
  return {
    job,
    position: lateText + place,
    blocks: await encodeBlocks(blocks),
    characters: countCharacters(blocks),
    passages,
    progressBefore: job.waiting ? getPercentRead(job.waiting) : 0,
    progress: getPercentRead(left),
    waiting: left,
    end: { notes: left.pages.length === 0 ? describeEnd(left) : describeWaiting(left) },
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
