import type { FileHandle } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "../../../../shared/contract/errors.ts"
import { reason } from "../../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../../shared/contract/files.ts"
import type { Location } from "../../../../shared/contract/location.ts"
import { hashFile } from "../../../core/files/file-contents.ts"
import { openInside } from "../../../core/files/path-jail.ts"
import { newId } from "../../../core/ids.ts"
import { isShownOnly } from "../../../engines/folder-watcher/scan.ts"
import { getIdentity } from "../../../parsers/document/opened-document.ts"
import {
  type Block,
  detectionBytes,
  ParseFailure,
  type ParserInput,
  type WantedScan,
  skipped,
  type ScannedPages,
  type StatedProperties,
} from "../../../parsers/parser.ts"
import type { DocumentReader, ReadOptions } from "../../../parsers/process/document-reader.ts"
import type { PictureDescriber } from "../descriptions/describe-pictures.ts"
import type { FindBytes } from "../disk/find-stored.ts"
import type { StatedColumns } from "../file-state.ts"
import { getNames } from "../file-entry.ts"
import type { NewPassage, Piece } from "../passages/passage-store.ts"
import { countCharacters, encodeBlocks } from "../passages/stored-texts.ts"
import { type Job, describeWaiting, pagesToRead, getPercentRead } from "./job.ts"
import type { DescriptionPlan } from "./picture-descriptions.ts"

/** Maximum size of a file that is read, as for uploads. */
const maxFileBytes = 2 ** 30

/** The dependencies for reading a job's file. */
export interface JobReading {
  reader: Pick<DocumentReader, "read">
  find: FindBytes
  /** Describes pictures; null: nothing can. */
  describer: PictureDescriber | null
  /** Password of the file, if it is known. */
  password?: string
}

/** A job's file, which exists until this is disposed of. */
interface OpenJob extends AsyncDisposable {
  input: ParserInput
}

/**
 * Returns a job's file for the parsers. Throws `ParseFailure` with outcome `skipped` for files that the folder doesn't support, and
 * `AppError` `not_found` if the file is gone or has become a link.
 */
export async function openJob(
  job: Job,
  { find, password }: Pick<JobReading, "find" | "password">,
  { scan, onHash, signal }: { scan?: WantedScan; onHash?: (hash: string) => void; signal?: AbortSignal },
): Promise<OpenJob> {
  if (job.storage === "cloud") {
    throw skipped("cloud_only")
  }
  await using stack = new AsyncDisposableStack()
  const stored = stack.use(await find(job.root, job))
  const handle = stack.use(
    await openInside(stored.root, stored.names).catch((error: unknown) => {
      const isMissing = error instanceof AppError && error.code === "not_found"
      throw isMissing && getNames(job).some(isShownOnly) ? skipped("name_not_utf8") : error
    }),
  )
  if ((await handle.stat()).size > maxFileBytes) throw skipped("too_large")
  if (job.pipeline === "light") await requireAccepted(handle, job)
  if (onHash) onHash(await hashFile(handle, signal))
  const input = {
    path: join(stored.root, ...stored.names),
    identity: await getIdentity(handle),
    name: job.name,
    ...(password !== undefined && { password }),
    ...(scan && { scan }),
    ...(job.readAs && { readAs: job.readAs }),
    marksHidden: job.marksHidden,
  }
  signal?.throwIfAborted()
  const resources = stack.move()
  return { input, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Yields the blocks of a job's file. Throws like `openJob`, and `ParseFailure` for a file that can't be read. */
export async function* readJob(
  job: Job,
  reading: Pick<JobReading, "reader" | "find" | "password">,
  {
    scan,
    onHash,
    ...options
  }: Omit<ReadOptions, "ocr"> & { scan?: WantedScan; onHash?: (hash: string) => void },
): AsyncGenerator<Block> {
  const { signal } = options
  await using opened = await openJob(job, reading, {
    ...(scan && { scan }),
    ...(onHash && { onHash }),
    ...(signal && { signal }),
  })
  const { wantsPictures, ownerId: person } = job
  yield* reading.reader.read(opened.input, { ...options, person, ocr: scan !== undefined, wantsPictures })
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
 * @param describer describes pictures; null: nothing can
 */
export async function* extractPieces(
  job: Job,
  blocks: AsyncIterable<Block>,
  chunk: ChunkBlocks,
  remarks: Remarks,
  describer: Pick<PictureDescriber, "getObstacle"> | null,
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
  const { notes, scans, contentHash = null, properties } = remarks
  const stated = properties && (await toColumns(properties))
  const plan = await planDescriptions(job, remarks, describer)
  const { readers, describesPictures } = plan
  if (scans) {
    const all = [...notes, ...plan.notes]
    const waiting = pagesToRead(scans, { passages: position, notes: all, describesPictures })
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

/** The code that describes pictures is loaded with the first document of a folder that wants it. */
async function planDescriptions(
  { folderId, wantsDescriptions }: Job,
  remarks: Remarks,
  describer: Pick<PictureDescriber, "getObstacle"> | null,
): Promise<DescriptionPlan> {
  if (!wantsDescriptions) return { describesPictures: false, notes: [], readers: remarks.readers ?? "" }
  const { planDescriptions: plan } = await import("./picture-descriptions.ts")
  return plan(folderId, remarks, describer)
}

async function toColumns({ dateMs, people }: StatedProperties): Promise<StatedColumns> {
  if (people.length === 0) return { contentMs: dateMs, people: null }
  const { foldPeople } = await import("../filtering/people.ts") // loaded with the first message
  return { contentMs: dateMs, people: foldPeople(people) }
}
