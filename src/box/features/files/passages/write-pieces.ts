import { sql } from "kysely"
import type { FileReason } from "../../../../shared/contract/files.ts"
import type { Location } from "../../../../shared/contract/location.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { fileEvents, applyTransition } from "../file-state.ts"
import type { Job } from "../ingestion/job.ts"
import { describeWaiting, type WaitingPages } from "../ingestion/waiting-pages.ts"
import { slices } from "./slices.ts"
import { toEmbeddingRows } from "./stored-embeddings.ts"

export interface NewPassage {
  id: string
  position: number
  text: string
  location: Location
  embedding?: Float32Array
}

/** A piece of a file's text, ready to be stored. A large file has several pieces. */
export interface Piece {
  job: Job
  position: number
  blocks: Buffer
  characters: number
  passages: NewPassage[]
  /** Progress of the file in percent, before and after this piece is indexed. */
  progressBefore: number
  progress: number
  /** Scanned pages that still have to be read after this piece is written. */
  waiting?: WaitingPages
  /** Set on the last piece of the job. Without a hash, the file's hash stays unchanged. */
  end?: { notes: readonly FileReason[]; contentHash?: string | null }
}

/** Stores the extracted text of files, whether or not they have changed since it was read. */
export function createPieceWriter(db: DbOf<"files">) {
  return {
    /** Writes pieces in one transaction and returns those whose file hasn't changed since it was read. */
    write: (pieces: readonly Piece[], modelId: string | null): Promise<Piece[]> =>
      db.transaction().execute(async (trx) => {
        const rows = await trx
          .selectFrom("files")
          .select(["id", "revision", "status"])
          .where("id", "in", [...new Set(pieces.map((piece) => piece.job.fileId))])
          .execute()
        const current = new Map(rows.map((row) => [row.id, row]))
        const live = pieces.filter(({ job }) => {
          const row = current.get(job.fileId)
          return row?.status === "processing" && row.revision === job.revision
        })
        const texts = live.map(({ job, position, blocks, characters }) => ({
          fileId: job.fileId,
          position,
          blocks,
          characters,
        }))
        for (const some of slices(texts)) await trx.insertInto("fileTexts").values(some).execute()
        const passages = live.flatMap(({ job, passages }) =>
          passages.map(({ id, position, text, location }) => {
            return { id, fileId: job.fileId, position, text, location: JSON.stringify(location) }
          }),
        )
        for (const some of slices(passages)) await trx.insertInto("passages").values(some).execute()
        const embedded = live.flatMap(({ passages }) => toEmbeddingRows(passages, modelId))
        for (const some of slices(embedded)) await trx.insertInto("passageEmbeddings").values(some).execute()
        for (const piece of live) await applyTransition(trx, written(piece), { ids: [piece.job.fileId] })
        return live
      }),

    /** Stores the progress of files while the passages of these pieces are embedded. Returns the IDs of those files. */
    async showProgress(pieces: readonly Piece[]): Promise<string[]> {
      const shown: string[] = []
      for (const { job, passages, progressBefore, progress } of pieces) {
        const embedded = passages.filter(({ embedding }) => embedding).length
        if (embedded === 0) continue
        const gained = Math.max(0, progress - progressBefore) * (embedded / passages.length)
        const event = fileEvents.embedded(Math.round(progressBefore + gained))
        shown.push(...(await applyTransition(db, event, { ids: [job.fileId], revision: job.revision })))
      }
      return shown
    },

    /** Completes files whose last piece is in the index, or makes them wait for OCR. Returns the pieces that were still current. */
    complete: (pieces: readonly Piece[]): Promise<Piece[]> =>
      db.transaction().execute(async (trx) => {
        const completed: Piece[] = []
        for (const piece of pieces) {
          const { fileId, revision } = piece.job
          if ((await applyTransition(trx, ended(piece), { ids: [fileId], revision })).length === 0) continue
          completed.push(piece)
          if (isLastPage(piece)) await numberInPageOrder(trx, piece.job.fileId)
        }
        return completed
      }),
  }
}

/** Whether pages still have to be read after this piece is written. */
export const isWaitingForOcr = ({ waiting }: Piece) => waiting !== undefined && waiting.pages.length > 0

/** Applies only to pages of the file itself: pages of documents inside it have no order relative to the others. */
const isLastPage = ({ job, waiting }: Piece) =>
  job.waiting?.pages[0]?.inside === undefined && job.waiting !== null && waiting?.pages.length === 0

function written({ job, progress, waiting }: Piece) {
  if (!job.waiting || !waiting) return fileEvents.pieceWritten(progress)
  return fileEvents.pageWritten(progress, waiting, waiting.pages.length > 0 ? describeWaiting(waiting) : null)
}

function ended({ waiting, end }: Piece) {
  const readResult = { notes: end?.notes ?? [], contentHash: end?.contentHash }
  return waiting && waiting.pages.length > 0
    ? fileEvents.pagesLeft(waiting, readResult)
    : fileEvents.completed(readResult)
}

/** Renumbers passages of scanned pages, which arrived last, by page order. */
async function numberInPageOrder(trx: DbOf<"files">, fileId: string): Promise<void> {
  await sql`
    UPDATE passages SET position = ordered.number FROM (
      SELECT id, row_number() OVER (ORDER BY cast(json_extract(location, '$.page') AS integer), position) - 1 AS number
      FROM passages WHERE "fileId" = ${fileId}
    ) AS ordered WHERE passages.id = ordered.id`.execute(trx)
}
