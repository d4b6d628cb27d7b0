import { sql } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"
import { newId } from "../../../core/ids.ts"
import type { PassageIndex } from "../../../engines/vectors/passage-index.ts"
import type { PassageRecord } from "../../../engines/vectors/passage-record.ts"
import type { Block } from "../../../parsers/parser.ts"
import { applyTransition, type FileEvent } from "../file-state.ts"
import type { ChunkBlocks } from "../ingestion/read-job.ts"
import { firstDraft, type NewPassage, type Piece, toFloats } from "./passage-store.ts"
import { firstDraftText, lateText, slices } from "./stored-texts.ts"

/** A file whose passages were cut by another version of the chunker. */
export interface OutdatedFile {
  id: string
  folderId: string
  revision: number
}

const rowsPerRead = 250
const draftsPerWrite = 250

export const createDraftStore = (db: DbOf<"files">): DraftStore => new DraftStore(db)

/** Stores texts and passages that will replace others. Until then they are drafts and aren't shown. */
export class DraftStore {
  readonly #db: DbOf<"files">

  constructor(db: DbOf<"files">) {
    this.#db = db
  }

  /** Returns the folder that contains a file; undefined if the file was deleted. */
  async findFolder(fileId: string, db: DbOf<"files"> = this.#db): Promise<string | undefined> {
    const row = await db.selectFrom("files").select("folderId").where("id", "=", fileId).executeTakeFirst()
    return row?.folderId
  }

  /** Returns the next outdated file by ID. */
  next(version: number, after: string): Promise<OutdatedFile | undefined> {
    return this.#db
      .selectFrom("files")
      .select(["id", "folderId", "revision"])
      .where("status", "=", "completed")
      .where("chunker", "!=", version)
      .where("id", ">", after)
      .orderBy("id")
      .limit(1)
      .executeTakeFirst()
  }

  async dropDrafts(fileId: string): Promise<void> {
    await this.#db
      .deleteFrom("passages")
      .where("fileId", "=", fileId)
      .where("position", ">=", firstDraft)
      .execute()
  }

  /** Adds a piece of the new text of a file. */
  async addDraftText({ job, position, blocks, characters }: Piece): Promise<void> {
    const draft = { fileId: job.fileId, position: firstDraftText + position, blocks, characters }
    await this.#db.insertInto("fileTexts").values(draft).execute()
  }

  async dropDraftTexts(fileId: string): Promise<void> {
    await this.#db.deleteFrom("fileTexts").where("fileId", "=", fileId).where("position", "<", 0).execute()
  }

  /** Returns the places of the scanned pages of a file whose text is stored, each with whether it has any. */
  async listLateTexts(fileId: string): Promise<Map<number, boolean>> {
    const rows = await this.#db
      .selectFrom("fileTexts")
      .select(["position", "characters"])
      .where("fileId", "=", fileId)
      .where("position", ">=", lateText)
      .execute()
    return new Map(rows.map(({ position, characters }) => [position - lateText, characters !== 0]))
  }

  /** Returns the next drafts of a file without an embedding by the model, at most 250, after one with this position. */
  listDraftsToEmbed(fileId: string, modelId: string, after: number) {
    return this.#db
      .selectFrom("passages")
      .leftJoin("passageEmbeddings as embedding", (join) =>
        join.onRef("embedding.passageId", "=", "passages.id").on("embedding.modelId", "=", modelId),
      )
      .select(["passages.id", "text", "position"])
      .where("fileId", "=", fileId)
      .where("position", ">=", Math.max(firstDraft, after + 1))
      .where("embedding.passageId", "is", null)
      .orderBy("position")
      .limit(rowsPerRead)
      .execute()
  }

  /** Whether the drafts of a file are the same passages as those that they would replace. */
  async isUnchanged(fileId: string): Promise<boolean> {
    const { drafted, stored, equal } = await this.#db
      .selectFrom("passages as one")
      .leftJoin("passages as other", (join) =>
        join
          .onRef("other.fileId", "=", "one.fileId")
          .on("other.position", "=", sql<number>`one.position - ${sql.lit(firstDraft)}`)
          .onRef("other.text", "=", "one.text")
          .onRef("other.location", "=", "one.location"),
      )
      .select([
        sql<number>`count(CASE WHEN one.position >= ${sql.lit(firstDraft)} THEN 1 END)`.as("drafted"),
        sql<number>`count(CASE WHEN one.position < ${sql.lit(firstDraft)} THEN 1 END)`.as("stored"),
        sql<number>`count(CASE WHEN one.position >= ${sql.lit(firstDraft)} THEN other.id END)`.as("equal"),
      ])
      .where("one.fileId", "=", fileId)
      .executeTakeFirstOrThrow()
    return drafted === stored && drafted === equal
  }

  /** Adds drafts, with the embeddings of passages of the same file with the same text. */
  async addDrafts(fileId: string, passages: readonly NewPassage[]): Promise<void> {
    if (passages.length === 0) return
    const rows = passages.map(({ id, position, text, location }) => {
      return { id, fileId, position: firstDraft + position, text, location: JSON.stringify(location) }
    })
    const ids = sql.join(rows.map(({ id }) => id))
    await this.#db.transaction().execute(async (trx) => {
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
  }

  /**
   * Replaces all other passages with the drafts, unless the file was changed, moved or deleted in the meantime.
   *
   * @param event what happens to the file
   */
  useDrafts({ id, folderId, revision }: OutdatedFile, event: FileEvent): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      if ((await this.findFolder(id, trx)) !== folderId) return false
      const current = await applyTransition(trx, event, { ids: [id], revision })
      if (current.length === 0) return false
      await usePassages(trx, id)
      return true
    })
  }

  /**
   * Replaces text and passages of a file with the drafts, unless the file was changed, moved or deleted in the meantime. Keeps the
   * passages if they are the same.
   *
   * @param removes the places of the scanned pages whose text isn't kept
   */
  useDraftTexts(
    { id, folderId, revision }: OutdatedFile,
    event: FileEvent,
    { removes, samePassages }: { removes: readonly number[]; samePassages: boolean },
  ): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      if ((await this.findFolder(id, trx)) !== folderId) return false
      const current = await applyTransition(trx, event, { ids: [id], revision })
      if (current.length === 0) return false
      const texts = trx.deleteFrom("fileTexts").where("fileId", "=", id)
      await texts.where("position", ">=", 0).where("position", "<", lateText).execute()
      for (const places of slices(removes)) {
        const positions = places.map((place) => lateText + place)
        await texts.where("position", "in", positions).execute()
      }
      await trx
        .updateTable("fileTexts")
        .set((e) => ({ position: e("position", "-", firstDraftText) }))
        .where("fileId", "=", id)
        .where("position", "<", 0)
        .execute()
      if (!samePassages) await usePassages(trx, id)
      return true
    })
  }

  /** Yields the passages of a file for the index, without drafts. */
  async *records({ id, folderId }: Pick<OutdatedFile, "id" | "folderId">): AsyncGenerator<PassageRecord[]> {
    for (let after = -1; ;) {
      const rows = await this.#db
        .selectFrom("passages")
        .leftJoin("passageEmbeddings as embedding", "embedding.passageId", "passages.id")
        .select(["passages.id", "text", "position", "embedding.vector"])
        .where("fileId", "=", id)
        .where("position", ">", after)
        .where("position", "<", firstDraft)
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
  }
}

async function usePassages(trx: DbOf<"files">, fileId: string): Promise<void> {
  await trx.deleteFrom("passages").where("fileId", "=", fileId).where("position", "<", firstDraft).execute()
  await trx
    .updateTable("passages")
    .set((e) => ({ position: e("position", "-", firstDraft) }))
    .where("fileId", "=", fileId)
    .execute()
}

/**
 * Cuts blocks into drafts of passages, which replace earlier drafts of the file. Returns how many there are, or undefined if `signal` was
 * aborted before all were written.
 */
export async function cutIntoDrafts(
  store: Pick<DraftStore, "dropDrafts" | "addDrafts">,
  fileId: string,
  blocks: AsyncIterable<Block[]>,
  chunk: ChunkBlocks,
  signal: AbortSignal,
): Promise<number | undefined> {
  await store.dropDrafts(fileId)
  let drafts: NewPassage[] = []
  let position = 0
  for await (const { text, location } of chunk(singly(blocks))) {
    drafts.push({ id: newId(), position: position++, text, location })
    if (drafts.length < draftsPerWrite) continue
    await store.addDrafts(fileId, drafts)
    drafts = []
    if (signal.aborted) return undefined
  }
  await store.addDrafts(fileId, drafts)
  return position
}

async function* singly(pieces: AsyncIterable<Block[]>): AsyncGenerator<Block> {
  for await (const blocks of pieces) yield* blocks
}

/**
 * Replaces the passages of a file in the index, in its new folder if it is moved at the same time. If this is interrupted, comparing the
 * index with the database repairs it.
 */
export async function indexAgain(
  index: Pick<PassageIndex, "put" | "removeFile">,
  store: Pick<DraftStore, "records" | "findFolder">,
  { id, folderId }: Pick<OutdatedFile, "id" | "folderId">,
): Promise<void> {
  await index.removeFile(id)
  for await (const records of store.records({ id, folderId })) await index.put(records)
  const current = await store.findFolder(id)
  if (current !== undefined && current !== folderId) await indexAgain(index, store, { id, folderId: current })
}
