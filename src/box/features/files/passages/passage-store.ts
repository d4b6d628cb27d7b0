import { sql } from "kysely"
import { z } from "zod"
import type { FileReason } from "../../../../shared/contract/files.ts"
import { Location } from "../../../../shared/contract/location.ts"
import type { BoxValues } from "../../../core/database/box-values.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import { isDiskFull } from "../../../core/disk/disk-space.ts"
import type { IndexStamp } from "../../../engines/vectors/index-files.ts"
import type { PassageRecord } from "../../../engines/vectors/passage-record.ts"
import type { Block } from "../../../parsers/parser.ts"
import { fileEvents, applyTransition, type StatedColumns } from "../file-state.ts"
import { type Job, describeWaiting, type WaitingPages } from "../ingestion/job.ts"
import { slices, createStoredTexts } from "./stored-texts.ts"

/** Passages from this position on are drafts that will replace the others. */
export const firstDraft = 1_000_000_000

/** Number of passages per read when all passages are read. */
const passagesPerRead = 500

const storedPassages = (db: DbOf<"files">) =>
  db.selectFrom("passages").innerJoin("files", "files.id", "passages.fileId")

/** Selects passages that may be shown: their files are completely indexed, or only wait for OCR. */
const livePassages = (db: DbOf<"files">) =>
  storedPassages(db)
    .where("passages.position", "<", firstDraft)
    .where((e) => e.or([e("files.status", "=", "completed"), e("files.waitingPages", "is not", null)]))

/** Stores the embeddings of passages. */
function createStoredEmbeddings(db: DbOf<"files">) {
  return {
    /** Returns those of the next passages by ID that have no embedding by the model. `last` is null after the end. */
    async listWithoutEmbedding(
      modelId: string,
      after: string,
    ): Promise<{ passages: PassageRecord[]; last: string | null }> {
      const rows = await livePassages(db)
        .leftJoin("passageEmbeddings as embedding", (join) =>
          join.onRef("embedding.passageId", "=", "passages.id").on("embedding.modelId", "=", modelId),
        )
        .select(["passages.id", "fileId", "files.folderId as vectorId", "text", "embedding.modelId"])
        .where("passages.id", ">", after)
        .orderBy("passages.id")
        .limit(passagesPerRead)
        .execute()
      const passages = rows.flatMap(({ modelId, ...row }) => (modelId === null ? [row] : []))
      return { passages, last: rows.at(-1)?.id ?? null }
    },

    /** Stores embeddings of passages that still exist, and returns those, each in the folder that now contains its file. */
    addEmbeddings: (records: readonly PassageRecord[], modelId: string): Promise<PassageRecord[]> =>
      db.transaction().execute(async (trx) => {
        const ids = records.map((record) => record.id)
        const rows = await trx
          .selectFrom("passages")
          .innerJoin("files", "files.id", "passages.fileId")
          .select(["passages.id", "files.folderId"])
          .where("passages.id", "in", ids)
          .execute()
        const folders = new Map(rows.map(({ id, folderId }) => [id, folderId]))
        const live = records.flatMap((record) => {
          const vectorId = folders.get(record.id)
          return vectorId === undefined ? [] : [{ ...record, vectorId }]
        })
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
  }
}

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
  /** Set on the last piece of the job. Without a hash, readers, or what the content states, those of the file stay unchanged. */
  end?: {
    notes: readonly FileReason[]
    contentHash?: string | null
    stated?: StatedColumns | undefined
    readers?: string | undefined
  }
}

/** Stores the extracted text of files, whether or not they have changed since it was read. */
function createPieceWriter(db: DbOf<"files">) {
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

/**
 * Applies only to pages of the file itself, and pictures on them: pages of documents inside it have no order relative to the others, and
 * neither have pictures elsewhere.
 */
function isLastPage({ job, waiting }: Piece): boolean {
  const last = job.waiting?.pages[0]
  if (!last || last.inside || waiting?.pages.length !== 0) return false
  return last.picture === undefined || last.picture.location.page !== undefined
}

function written({ job, progress, waiting }: Piece) {
  if (!job.waiting || !waiting) return fileEvents.pieceWritten(progress)
  return fileEvents.pageWritten(progress, waiting, waiting.pages.length > 0 ? describeWaiting(waiting) : null)
}

function ended({ waiting, end }: Piece) {
  const { notes = [], contentHash, stated, readers } = end ?? {}
  const readResult = { notes, contentHash, stated, readers }
  return waiting && waiting.pages.length > 0
    ? fileEvents.pagesLeft(waiting, readResult)
    : fileEvents.completed(readResult)
}

/** The page in a stored location, which is null in one that can't be read. */
const pageNumber = sql<
  number | null
>`CASE WHEN json_valid(location) THEN cast(json_extract(location, '$.page') AS integer) END`

/** Renumbers passages of scanned pages, which arrived last, by page order. */
async function numberInPageOrder(trx: DbOf<"files">, fileId: string): Promise<void> {
  await sql`
    UPDATE passages SET position = ordered.number FROM (
      SELECT id, row_number() OVER (ORDER BY ${pageNumber}, position) - 1 AS number
      FROM passages WHERE "fileId" = ${fileId}
    ) AS ordered WHERE passages.id = ordered.id`.execute(trx)
}

/** A passage that may be shown: its file is completely indexed, or only waits for OCR. */
export interface LivePassage {
  id: string
  fileId: string
  fileName: string
  vectorId: string
  relativePath: string
  text: string
  location: Location
  /** Zero-based position of the passage in its document. */
  position: number
  /** Set if a model wrote its file. */
  generated?: true
}

/** The part of a stored location that the API doesn't return. */
type LineStart = [at: number, line: number, heading?: string]
const LineStarts = z.object({
  lines: z.array(
    z.custom<LineStart>(
      (value) =>
        Array.isArray(value) &&
        value.slice(0, 2).every(Number.isInteger) &&
        [2, 3].includes(value.length) &&
        ["undefined", "string"].includes(typeof value[2]),
    ),
  ),
})

/** Number of characters of a block's first line that are searched for in passages. */
const comparedCharacters = 60

/** Stores extracted texts, passages and their embeddings. */
export function createPassageStore(db: DbOf<"files">) {
  const shown = () =>
    livePassages(db)
      .select(["passages.id", "fileId", "files.name as fileName", "files.folderId as vectorId"])
      .select(["subFolder", "text", "location", "position", "generatedBy"])

  return {
    ...createPieceWriter(db),
    ...createStoredTexts(db),
    ...createStoredEmbeddings(db),

    /** Returns passages of completed files by ID, in no particular order. Those of deleted or replaced files are left out. */
    async findByIds(ids: readonly string[]): Promise<LivePassage[]> {
      const rows = []
      for (const some of slices(ids)) rows.push(...(await shown().where("passages.id", "in", some).execute()))
      return rows.map(present)
    },

    /** Returns the line numbers of these passages as the chunker stored them. */
    async readLineStarts(ids: readonly string[]): Promise<Map<string, LineStart[]>> {
      const lines = new Map<string, LineStart[]>()
      for (const some of slices(ids)) {
        const rows = await db
          .selectFrom("passages")
          .select(["id", "location"])
          .where("id", "in", some)
          .execute()
        for (const { id, location } of rows) lines.set(id, readStored(LineStarts, location)?.lines ?? [])
      }
      return lines
    },

    /** Returns the first passages of a file, in order. */
    async beginning(fileId: string, max: number): Promise<LivePassage[]> {
      const rows = await shown().where("fileId", "=", fileId).orderBy("position").limit(max).execute()
      return rows.map(present)
    },

    /** Returns the passage that contains a block of a file's text: one with its beginning, one at its location, or the first. */
    async findContaining(
      fileId: string,
      { text, location }: Pick<Block, "text" | "location">,
    ): Promise<string | null> {
      const beginning = text.trim().split("\n", 1)[0]?.slice(0, comparedCharacters) ?? ""
      const page = location.page ?? 0
      const [found] = await livePassages(db)
        .select("passages.id")
        .where("fileId", "=", fileId)
        .orderBy(
          sql`CASE WHEN instr(text, ${beginning}) > 0 THEN 2 ELSE 0 END
            + CASE WHEN coalesce(${pageNumber}, 0) = ${page} THEN 1 ELSE 0 END`,
          "desc",
        )
        .orderBy("position")
        .limit(1)
        .execute()
      return found?.id ?? null
    },

    /** Returns the first passage of each of these files that has any. */
    findFirstPassages: (fileIds: readonly string[]): Promise<{ id: string; fileId: string }[]> =>
      livePassages(db)
        .select(["passages.id", "fileId"])
        .where("fileId", "in", [...fileIds])
        .where("position", "=", 0)
        .execute(),

    /** Yields every passage for rebuilding the index. Passages of files that are still being read are added later. */
    async *all(modelId: string | null): AsyncGenerator<PassageRecord[]> {
      for (let after = ""; ;) {
        const rows = await storedPassages(db)
          .leftJoin("passageEmbeddings as embedding", (join) =>
            join.onRef("embedding.passageId", "=", "passages.id").on("embedding.modelId", "=", modelId ?? ""),
          )
          .select(["passages.id", "fileId", "files.folderId as vectorId", "text", "embedding.vector"])
          .where("passages.id", ">", after)
          .orderBy("passages.id")
          .limit(passagesPerRead)
          .execute()
        const last = rows.at(-1)
        if (!last) return
        yield rows.map(({ vector, ...row }) => (vector ? { ...row, embedding: toFloats(vector) } : row))
        after = last.id
      }
    },
  }
}

const present = ({
  subFolder,
  location,
  generatedBy,
  ...row
}: Omit<LivePassage, "relativePath" | "location" | "generated"> & {
  subFolder: string
  location: string
  generatedBy: string | null
}): LivePassage => ({
  ...row,
  ...(generatedBy !== null && { generated: true }),
  relativePath: [row.vectorId, subFolder, row.fileName].filter((part) => part !== "").join("/"),
  location: readStored(Location, location) ?? {},
})

export type PassageStore = ReturnType<typeof createPassageStore>

/** Limits one statement to a few ms: passages are deleted with their embeddings. */
export const passagesAtOnce = 500
const textsAtOnce = 20

/** Deletes the texts and passages of files step by step. Outside a transaction, call it only for files whose rows no longer show any. */
export async function deleteContents(
  on: Pick<DbOf<"files">, "deleteFrom" | "selectFrom">,
  fileIds: readonly string[],
): Promise<void> {
  for (const [table, batchSize] of [
    ["passages", passagesAtOnce],
    ["fileTexts", textsAtOnce],
  ] as const) {
    const some = on
      .selectFrom(table)
      .select(["fileId", "position"])
      .where("fileId", "in", fileIds)
      .limit(batchSize)
    for (let deleted: number = batchSize; deleted === batchSize;) {
      const { numDeletedRows } = await on
        .deleteFrom(table)
        .where(({ eb, refTuple }) =>
          eb(refTuple("fileId", "position"), "in", some.$asTuple("fileId", "position")),
        )
        .executeTakeFirst()
      deleted = Number(numDeletedRows)
    }
  }
}

const key = "indexStamp"

/** Stored in the database itself, so that an older copy of the database has an older stamp or none. */
export function createIndexStamp(values: Pick<BoxValues, "read" | "write" | "remove">): IndexStamp {
  return {
    read: () => values.read(key),
    write: (value) => values.write([{ key, value }]),
    remove: () =>
      values.remove(key).catch((error: unknown) => {
        if (!isDiskFull(error)) throw error // the box is then read-only
      }),
  }
}
