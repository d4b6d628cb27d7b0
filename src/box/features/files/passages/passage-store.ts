import { sql } from "kysely"
import type { FileReason } from "../../../../shared/contract/files.ts"
import { Location } from "../../../../shared/contract/location.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { PassageRecord } from "../../../engines/vectors/passage-record.ts"
import type { Block } from "../../../parsers/parser.ts"
import type { Job } from "../ingestion/queue-store.ts"
import { fileEvents, happen } from "../file-state.ts"
import { decodeBlocks } from "./text-codec.ts"
import { describeWaiting, type WaitingPages } from "../ingestion/waiting-pages.ts"

export interface NewPassage {
  id: string
  position: number
  text: string
  location: Location
  embedding?: Float32Array
}

/** A piece of a file's text, ready to be written; large files come in several. */
export interface Piece {
  job: Job
  position: number
  blocks: Buffer
  passages: NewPassage[]
  progress: number
  /** Scanned pages that are still to be read once this piece is written. */
  waiting?: WaitingPages
  /** Set on the last piece of the job; without a hash the file's stays. */
  end?: { notes: readonly FileReason[]; contentHash?: string | null }
}

/** Passages from this position on are drafts that will take the place of the others. */
export const firstDraft = 1_000_000_000

/** Text of scanned pages lies behind all other text of its document: its position is this and the page. */
export const lateText = 1_000_000_000

/** A passage that may be shown: its file is completely indexed, or only waits for OCR. */
export interface LivePassage {
  id: string
  fileId: string
  fileName: string
  vectorId: string
  relativePath: string
  text: string
  location: Location
  /** Number of the passage in its document, from 0. */
  position: number
}

const rowsPerInsert = 200
const rowsPerRead = 500

/** Extracted texts, passages and their embeddings. */
export function createPassageStore(db: DbOf<"files">) {
  const storedPassages = () => db.selectFrom("passages").innerJoin("files", "files.id", "passages.fileId")
  const livePassages = () =>
    storedPassages()
      .where("passages.position", "<", firstDraft)
      .where((e) => e.or([e("files.status", "=", "completed"), e("files.waitingPages", "is not", null)]))

  async function textAfter(fileId: string, position: number) {
    const row = await db
      .selectFrom("fileTexts")
      .select(["position", "blocks"])
      .where("fileId", "=", fileId)
      .where("position", ">", position)
      .orderBy("position")
      .limit(1)
      .executeTakeFirst()
    return row && { position: row.position, blocks: await decodeBlocks(row.blocks) }
  }

  return {
    /** Writes pieces in one transaction and answers those whose file is still as it was when it was read. */
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
        const texts = live.map(({ job, position, blocks }) => ({ fileId: job.fileId, position, blocks }))
        for (const some of slices(texts)) await trx.insertInto("fileTexts").values(some).execute()
        const passages = live.flatMap(({ job, passages }) =>
          passages.map(({ id, position, text, location }) => {
            return { id, fileId: job.fileId, position, text, location: JSON.stringify(location) }
          }),
        )
        for (const some of slices(passages)) await trx.insertInto("passages").values(some).execute()
        const embedded = live.flatMap(({ passages }) => toEmbeddingRows(passages, modelId))
        for (const some of slices(embedded)) await trx.insertInto("passageEmbeddings").values(some).execute()
        for (const piece of live) await happen(trx, written(piece), { ids: [piece.job.fileId] })
        return live
      }),

    /**
     * Completes files whose last piece is in the index, or lets them wait for OCR. Answers those that were still
     * current.
     */
    complete: (pieces: readonly Piece[]): Promise<Piece[]> =>
      db.transaction().execute(async (trx) => {
        const completed: Piece[] = []
        for (const piece of pieces) {
          const { fileId, revision } = piece.job
          if ((await happen(trx, ended(piece), { ids: [fileId], revision })).length === 0) continue
          completed.push(piece)
          if (isLastPage(piece)) await numberInPageOrder(trx, piece.job.fileId)
        }
        return completed
      }),

    /** Passages of completed files by id, in no particular order; those of deleted or replaced files are left out. */
    async byIds(ids: readonly string[]): Promise<LivePassage[]> {
      const rows = []
      for (const some of slices(ids)) {
        rows.push(
          ...(await livePassages()
            .select(["passages.id", "fileId", "files.name as fileName", "files.folderId as vectorId"])
            .select(["subFolder", "text", "location", "position"])
            .where("passages.id", "in", some)
            .execute()),
        )
      }
      return rows.map(({ subFolder, location, ...row }) => ({
        ...row,
        relativePath: [row.vectorId, subFolder, row.fileName].filter((part) => part !== "").join("/"),
        location: readStored(Location, location) ?? {},
      }))
    },

    /** The first passage of each of these files that has any. */
    firstOf: (fileIds: readonly string[]): Promise<{ id: string; fileId: string }[]> =>
      livePassages()
        .select(["passages.id", "fileId"])
        .where("fileId", "in", [...fileIds])
        .where("position", "=", 0)
        .execute(),

    /** Every passage, for building the index anew; those of files that are still being read will be found later. */
    async *all(modelId: string | null): AsyncGenerator<PassageRecord[]> {
      for (let after = ""; ;) {
        const rows = await storedPassages()
          .leftJoin("passageEmbeddings as embedding", (join) =>
            join.onRef("embedding.passageId", "=", "passages.id").on("embedding.modelId", "=", modelId ?? ""),
          )
          .select(["passages.id", "fileId", "files.folderId as vectorId", "text", "embedding.vector"])
          .where("passages.id", ">", after)
          .orderBy("passages.id")
          .limit(rowsPerRead)
          .execute()
        const last = rows.at(-1)
        if (!last) return
        yield rows.map(({ vector, ...row }) => (vector ? { ...row, embedding: toFloats(vector) } : row))
        after = last.id
      }
    },

    /** Of the next passages by id, those that the embedding model hasn't seen; `last` is null after the end. */
    async withoutEmbedding(
      modelId: string,
      after: string,
    ): Promise<{ passages: PassageRecord[]; last: string | null }> {
      const rows = await livePassages()
        .leftJoin("passageEmbeddings as embedding", (join) =>
          join.onRef("embedding.passageId", "=", "passages.id").on("embedding.modelId", "=", modelId),
        )
        .select(["passages.id", "fileId", "files.folderId as vectorId", "text", "embedding.modelId"])
        .where("passages.id", ">", after)
        .orderBy("passages.id")
        .limit(rowsPerRead)
        .execute()
      const passages = rows.flatMap(({ modelId, ...row }) => (modelId === null ? [row] : []))
      return { passages, last: rows.at(-1)?.id ?? null }
    },

    /** Stores embeddings of passages that are still there, and answers those. */
    addEmbeddings: (records: readonly PassageRecord[], modelId: string): Promise<PassageRecord[]> =>
      db.transaction().execute(async (trx) => {
        const ids = records.map((record) => record.id)
        const rows = await trx.selectFrom("passages").select("id").where("id", "in", ids).execute()
        const there = new Set(rows.map((row) => row.id))
        const live = records.filter((record) => there.has(record.id))
        const embedded = toEmbeddingRows(live, modelId)
        if (embedded.length > 0) {
          await trx
            .insertInto("passageEmbeddings")
            .values(embedded)
            .onConflict((conflict) =>
              conflict.column("passageId").doUpdateSet((e) => ({
                modelId: e.ref("excluded.modelId"),
                vector: e.ref("excluded.vector"),
              })),
            )
            .execute()
        }
        return live
      }),

    /** The text of a file in reading order: what scanned pages show stands where these pages are. */
    async *blocks(fileId: string): AsyncGenerator<Block[]> {
      let late = await textAfter(fileId, lateText)
      for (let piece = await textAfter(fileId, -1); piece && piece.position < lateText;) {
        let from = 0
        for (const [index, { location }] of piece.blocks.entries()) {
          while (late && late.position - lateText < (location.page ?? 0)) {
            if (index > from) yield piece.blocks.slice(from, index)
            from = index
            yield late.blocks
            late = await textAfter(fileId, late.position)
          }
        }
        yield piece.blocks.slice(from)
        piece = await textAfter(fileId, piece.position)
      }
      for (; late; late = await textAfter(fileId, late.position)) yield late.blocks
    },
  }
}

/** Whether pages are still to be read once this piece is written. */
export const waits = ({ waiting }: Piece) => waiting !== undefined && waiting.pages.length > 0

/** Of the file itself: those of documents inside it have no order with the others. */
const isLastPage = ({ job, waiting }: Piece) =>
  job.waiting?.pages[0]?.inside === undefined && job.waiting !== null && waiting?.pages.length === 0

function written({ job, progress, waiting }: Piece) {
  if (!job.waiting || !waiting) return fileEvents.pieceWritten(progress)
  return fileEvents.pageWritten(progress, waiting, waiting.pages.length > 0 ? describeWaiting(waiting) : null)
}

function ended({ waiting, end }: Piece) {
  const said = { notes: end?.notes ?? [], contentHash: end?.contentHash }
  return waiting && waiting.pages.length > 0
    ? fileEvents.pagesLeft(waiting, said)
    : fileEvents.completed(said)
}

/** Passages of scanned pages, which came last, get the numbers that their pages give them. */
async function numberInPageOrder(trx: DbOf<"files">, fileId: string): Promise<void> {
  await sql`
    UPDATE passages SET position = ordered.number FROM (
      SELECT id, row_number() OVER (ORDER BY location ->> 'page', position) - 1 AS number
      FROM passages WHERE fileId = ${fileId}
    ) AS ordered WHERE passages.id = ordered.id`.execute(trx)
}

export type PassageStore = ReturnType<typeof createPassageStore>

function toEmbeddingRows(
  passages: readonly { id: string; embedding?: Float32Array }[],
  modelId: string | null,
) {
  return passages.flatMap(({ id, embedding }) =>
    embedding && modelId !== null ? [{ passageId: id, modelId, vector: toBytes(embedding) }] : [],
  )
}

const toBytes = (vector: Float32Array) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
export const toFloats = (bytes: Buffer) => new Float32Array(new Uint8Array(bytes).buffer)

function* slices<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += rowsPerInsert) yield items.slice(from, from + rowsPerInsert)
}
