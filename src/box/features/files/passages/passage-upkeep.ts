import { sql } from "kysely"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { newId } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import type { PassageRecord } from "../../../engines/vectors/passage-record.ts"
import type { Block } from "../../../parsers/parser.ts"
import { fileEvents, applyTransition } from "../file-state.ts"
import type { ChunkBlocks } from "../ingestion/read-job.ts"
import { embedPassages, type Embedder } from "./embed-passages.ts"
import { type PassageStore, firstDraft, toFloats, type NewPassage } from "./passage-store.ts"

interface BackfillDeps {
  store: PassageStore
  index: Pick<PassageIndex, "put">
  embedder: Embedder
  logger: Logger
}

/**
 * Embeds stored passages without an embedding by the current model: after a change of model, or after it failed during ingestion. Ends
 * early if `signal` is aborted or the model fails. Returns whether nothing is left.
 */
async function backfillEmbeddings(deps: BackfillDeps, signal: AbortSignal): Promise<boolean> {
  const { store, index, embedder, logger } = deps
  for (let after = ""; !signal.aborted;) {
    const { passages, last } = await store.listWithoutEmbedding(embedder.modelId, after)
    if (last === null) return true
    after = last
    if (passages.length === 0) continue
    if (!(await embedPassages(passages, embedder, signal, logger))) return false
    const embedded = passages.filter(({ embedding }) => embedding !== undefined)
    await index.put(await store.addEmbeddings(embedded, embedder.modelId))
  }
  return false
}

/** A file whose passages were cut by another version of the chunker. */
interface OutdatedFile {
  id: string
  folderId: string
  revision: number
}

const rowsPerRead = 250

/** Stores passages that will replace others. Until then they are drafts and aren't shown. */
export function createRechunkStore(db: DbOf<"files">) {
  const drafts = (fileId: string) =>
    db.deleteFrom("passages").where("fileId", "=", fileId).where("position", ">=", firstDraft)

  return {
    /** Returns the next outdated file by ID. */
    next: (version: number, after: string): Promise<OutdatedFile | undefined> =>
      db
        .selectFrom("files")
        .select(["id", "folderId", "revision"])
        .where("status", "=", "completed")
        .where("chunker", "!=", version)
        .where("id", ">", after)
        .orderBy("id")
        .limit(1)
        .executeTakeFirst(),

    async dropDrafts(fileId: string): Promise<void> {
      await drafts(fileId).execute()
    },

    /** Adds drafts, with the embeddings of passages of the same file with the same text. */
    async addDrafts(fileId: string, passages: readonly NewPassage[]): Promise<void> {
      if (passages.length === 0) return
      const rows = passages.map(({ id, position, text, location }) => {
        return { id, fileId, position: firstDraft + position, text, location: JSON.stringify(location) }
      })
      const ids = sql.join(rows.map(({ id }) => id))
      await db.transaction().execute(async (trx) => {
        await trx.insertInto("passages").values(rows).execute()
        await sql`
          INSERT INTO "passageEmbeddings" ("passageId", "modelId", vector)
          SELECT draft.id, embedding."modelId", embedding.vector
          FROM passages AS old
          JOIN passages AS draft ON draft.id IN (${ids}) AND draft.text = old.text
          JOIN "passageEmbeddings" AS embedding ON embedding."passageId" = old.id
          WHERE old."fileId" = ${fileId} AND old.position < ${firstDraft}
          ON CONFLICT DO NOTHING`.execute(trx)
      })
    },

    /** Replaces all other passages with the drafts, unless the file was changed or deleted in the meantime. */
    useDrafts: ({ id, revision }: OutdatedFile, version: number): Promise<boolean> =>
      db.transaction().execute(async (trx) => {
        const current = await applyTransition(trx, fileEvents.rechunked(version), { ids: [id], revision })
        if (current.length === 0) return false
        await trx.deleteFrom("passages").where("fileId", "=", id).where("position", "<", firstDraft).execute()
        await trx
          .updateTable("passages")
          .set((e) => ({ position: e("position", "-", firstDraft) }))
          .where("fileId", "=", id)
          .execute()
        return true
      }),

    /** Yields the passages of a file for the index. */
    async *records({ id, folderId }: Pick<OutdatedFile, "id" | "folderId">): AsyncGenerator<PassageRecord[]> {
      for (let after = -1; ;) {
        const rows = await db
          .selectFrom("passages")
          .leftJoin("passageEmbeddings as embedding", "embedding.passageId", "passages.id")
          .select(["passages.id", "text", "position", "embedding.vector"])
          .where("fileId", "=", id)
          .where("position", ">", after)
          .orderBy("position")
          .limit(rowsPerRead)
          .execute()
        const last = rows.at(-1)
        if (!last) return
        yield rows.map(({ id: passageId, text, vector }) => {
          const record = { id: passageId, fileId: id, vectorId: folderId, text }
          return vector ? { ...record, embedding: toFloats(vector) } : record
        })
        after = last.position
      }
    },
  }
}

type RechunkStore = ReturnType<typeof createRechunkStore>

interface RechunkDeps {
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

/** Updates passages of indexed files to what they would be if the files were indexed now. */
export interface PassageRefresher {
  /** Reports that passages were stored without their embeddings. */
  reportMissingEmbeddings(): void
  /** Cuts outdated passages again, then embeds those without an embedding. Returns immediately if there is nothing to do. */
  run(): Promise<void>
}

export interface PassageRefresherDeps {
  db: DbOf<"files">
  store: PassageStore
  index: Pick<PassageIndex, "put" | "removeFile">
  embedder: Embedder | null
  chunk: ChunkBlocks
  chunkerVersion: number
  logger: Logger
  /** Settles when everything that was read is stored. */
  written(): Promise<void>
  signal: AbortSignal
}

export function createPassageRefresher(deps: PassageRefresherDeps): PassageRefresher {
  const { db, store, index, embedder, chunk, chunkerVersion, logger, written, signal } = deps
  let hasMissingEmbeddings = embedder !== null
  let hasOutdatedPassages = true

  async function renew(): Promise<void> {
    if (!hasOutdatedPassages) return
    hasOutdatedPassages = false
    const renewed = { texts: store, store: createRechunkStore(db), index, chunk, chunkerVersion }
    if (await rechunk(renewed, signal)) hasMissingEmbeddings = embedder !== null
  }

  async function backfill(): Promise<void> {
    if (!embedder || !hasMissingEmbeddings) return
    hasMissingEmbeddings = false
    await written()
    const complete = await backfillEmbeddings({ store, index, embedder, logger }, signal)
    if (!complete) hasMissingEmbeddings = true
  }

  return {
    reportMissingEmbeddings() {
      hasMissingEmbeddings = true
    },
    async run() {
      await renew()
      await backfill()
    },
  }
}
