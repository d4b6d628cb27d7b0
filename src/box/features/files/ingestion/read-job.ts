import type { FileHandle } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { reason } from "../../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../../shared/contract/files.ts"
import type { Location, PageArea } from "../../../../shared/contract/location.ts"
import { hashFile } from "../../../core/files/file-contents.ts"
import { openInside } from "../../../core/files/path-jail.ts"
import { newId } from "../../../core/ids.ts"
import { isShownOnly } from "../../../engines/folder-watcher/scan.ts"
import { getIdentity } from "../../../parsers/document/opened-document.ts"
import {
  type Block,
  detectionBytes,
  ParseFailure,
  type WantedScan,
  skipped,
  type ScannedPages,
  type StatedProperties,
} from "../../../parsers/parser.ts"
import type { DocumentReader, ReadOptions } from "../../../parsers/process/document-reader.ts"
import type { FindBytes } from "../disk/find-stored.ts"
import type { StatedColumns } from "../file-state.ts"
import { getNames } from "../file-entry.ts"
import type { NewPassage, Piece } from "../passages/passage-store.ts"
import { countCharacters, encodeBlocks, lateText } from "../passages/stored-texts.ts"
import {
  type Job,
  describeWaiting,
  pagesToRead,
  getPercentRead,
  describeEnd,
  getFirstPage,
  dropFirst,
  dropPictures,
  type WaitingPages,
} from "./job.ts"

/** Maximum size of a file that is read, as for uploads. */
const maxFileBytes = 2 ** 30

/** The dependencies for reading a job's file. */
export interface JobReading {
  reader: Pick<DocumentReader, "read">
  find: FindBytes
}

/**
 * Returns the blocks of a job's file. Throws `ParseFailure` with outcome `skipped` for files that the folder doesn't support, and
 * `AppError` `not_found` if the file is gone or has become a link.
 */
export async function* readJob(
  job: Job,
  { reader, find }: JobReading,
  {
    scan,
    onHash,
    ...options
  }: Omit<ReadOptions, "ocr"> & { scan?: WantedScan; onHash?: (hash: string) => void },
): AsyncGenerator<Block> {
  if (job.storage === "cloud") {
    throw skipped("cloud_only")
  }
  using stored = await find(job.root, job)
  await using handle = await openInside(stored.root, stored.names).catch((error: unknown) => {
    const isMissing = error instanceof AppError && error.code === "not_found"
    throw isMissing && getNames(job).some(isShownOnly) ? skipped("name_not_utf8") : error
  })
  if ((await handle.stat()).size > maxFileBytes) throw skipped("too_large")
  if (job.pipeline === "light") await requireAccepted(handle, job)
  if (onHash) onHash(await hashFile(handle, options.signal))
  const identity = await getIdentity(handle)
  const input = {
    path: join(stored.root, ...stored.names),
    identity,
    name: job.name,
    ...(scan && { scan }),
    ...(job.readAs && { readAs: job.readAs }),
    marksHidden: job.marksHidden,
  }
  options.signal?.throwIfAborted()
  const { wantsPictures, ownerId: person } = job
  yield* reader.read(input, { ...options, person, ocr: scan !== undefined, wantsPictures })
}

async function requireAccepted(handle: FileHandle, { name, pipeline }: Job): Promise<void> {
  const head = Buffer.alloc(detectionBytes)
  const { bytesRead } = await handle.read(head, 0, head.length, 0)
  const { detectUpload } = await import("../../../parsers/document/detect-type.ts")
  const detection = await detectUpload(head.subarray(0, bytesRead), name, pipeline)
  if ("unsupported" in detection) throw new ParseFailure(detection.unsupported, "skipped")
}

export type ChunkBlocks = (
  blocks: AsyncIterable<Block>,
) => AsyncIterable<{ text: string; location: Location }>

/** The properties of a document that a reader reports in addition to its text. */
export interface Remarks {
  notes: FileReason[]
  scans?: ScannedPages
  /** SHA-256 of the file. */
  contentHash?: string
  properties?: StatedProperties
  /** The readers that read the file, as `UsedReaders` describes them. */
  readers?: string
}

/** Size limits of a piece in characters, passages or blocks. Most files are one piece. */
const charactersPerPiece = 256_000
const passagesPerPiece = 250
const blocksPerPiece = 10_000
/** Share of the progress for reading, in percent. The rest is for writing and indexing. */
const readShare = 90

/**
 * Cuts a document into pieces while it is read: passages with the text they came from. The last piece has `end`; a document without text is
 * one empty piece with a note.
 *
 * @param remarks complete after all blocks were read
 */
export async function* extractPieces(
  job: Job,
  blocks: AsyncIterable<Block>,
  chunk: ChunkBlocks,
  remarks: Remarks,
): AsyncGenerator<Piece> {
  let read: Block[] = []
  let passages: NewPassage[] = []
  let characters = 0
  let total = 0
  let pieces = 0
  let position = 0
  let progress = 0

  async function* remembered() {
    for await (const block of blocks) {
      read.push(block)
      characters += block.text.length
      yield block
    }
  }

  const take = async (): Promise<Piece> => {
    total += characters
    const share = job.size > 0 ? Math.round((total / job.size) * readShare) : readShare
    const progressBefore = progress
    progress = Math.min(share, readShare)
    const piece: Piece = {
      job,
      position: pieces++,
      blocks: await encodeBlocks(read),
      characters: countCharacters(read),
      passages,
      progressBefore,
      progress,
    }
    read = []
    passages = []
    characters = 0
    return piece
  }

  for await (const { text, location } of chunk(remembered())) {
    passages.push({ id: newId(), position: position++, text, location })
    const isFull = passages.length >= passagesPerPiece || read.length >= blocksPerPiece
    if (isFull || characters >= charactersPerPiece) yield await take()
  }
  const last = await take()
  const { notes, scans, contentHash = null, properties, readers = "" } = remarks
  const stated = properties && (await toColumns(properties))
  if (scans) {
    const waiting = pagesToRead(scans, position, notes)
    yield {
      ...last,
      progress: getPercentRead(waiting),
      waiting,
      end: { notes: describeWaiting(waiting), contentHash, stated, readers },
    }
  } else {
    const said = position === 0 ? [reason("no_text"), ...notes] : notes
    yield { ...last, progress: readShare, end: { notes: said, contentHash, stated, readers } }
  }
}

async function toColumns({ dateMs, people }: StatedProperties): Promise<StatedColumns> {
  if (people.length === 0) return { contentMs: dateMs, people: null }
  const { foldPeople } = await import("../filtering/people.ts") // loaded with the first message
  return { contentMs: dateMs, people: foldPeople(people) }
}

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
  const { place, picture, ...page } = getFirstPage(waiting)
  if (picture && !job.wantsPictures) {
    const { withoutPictures } = await import("../../../parsers/readers.ts")
    const readers = job.readers === null ? undefined : withoutPictures(job.readers)
    const piece = await toPiece(job, place, [], [], dropPictures(waiting))
    return { ...piece, end: { notes: [], ...piece.end, readers } }
  }
  const scan = { ...page, ...(picture && { picture: picture.key }) }
  const mark = picture?.isHidden ? await loadHiddenMark() : undefined
  const started = performance.now()
  const blocks: Block[] = []
  let failure: ParseFailure | undefined
  try {
    for await (const block of readJob(job, reading, { signal, scan }))
      if (!picture) blocks.push(block)
      else if (block.kind === "image") blocks.push({ ...(mark?.(block) ?? block), ...getPlace(picture) })
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
  if (left.pages.length === 0 && failure && left.passages === 0 && !picture) throw failure
  return toPiece(job, place, blocks, passages, left)
}

/** Loaded with the first hidden picture. */
async function loadHiddenMark(): Promise<(block: Block) => Block> {
  return (await import("../../../parsers/text/hidden-text.ts")).addHiddenMark
}

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
