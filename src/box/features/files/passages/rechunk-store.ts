import { sql } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"
import type { PassageRecord } from "../../../engines/vectors/passage-record.ts"
import { fileEvents, applyTransition } from "../file-state.ts"
import { firstDraft } from "./live-passages.ts"
import { toFloats } from "./stored-embeddings.ts"
import type { NewPassage } from "./write-pieces.ts"

/** A file whose passages were cut by another version of the chunker. */
export interface OutdatedFile {
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

export type RechunkStore = ReturnType<typeof createRechunkStore>
