import { reason } from "../../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../../shared/contract/files.ts"
import { newId } from "../../../core/ids.ts"
import type { Block, ScannedPages } from "../../../parsers/parser.ts"
import type { Location } from "../../../../shared/contract/location.ts"
import type { NewPassage, Piece } from "../passages/write-pieces.ts"
import type { Job } from "./job.ts"
import { countCharacters, encodeBlocks } from "../passages/text-codec.ts"
import { describeWaiting, pagesToRead, getPercentRead } from "./waiting-pages.ts"

export type ChunkBlocks = (
  blocks: AsyncIterable<Block>,
) => AsyncIterable<{ text: string; location: Location }>

/** The properties of a document that a reader reports in addition to its text. */
export interface Remarks {
  notes: FileReason[]
  scans?: ScannedPages
  /** SHA-256 of the file. */
  contentHash?: string
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
  const { notes, scans, contentHash = null } = remarks
  if (scans) {
    const waiting = pagesToRead(scans, position, notes)
    yield {
      ...last,
      progress: getPercentRead(waiting),
      waiting,
      end: { notes: describeWaiting(waiting), contentHash },
    }
  } else {
    const said = position === 0 ? [reason("no_text"), ...notes] : notes
    yield { ...last, progress: readShare, end: { notes: said, contentHash } }
  }
}
