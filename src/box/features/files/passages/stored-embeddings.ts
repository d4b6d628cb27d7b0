import type { DbOf } from "../../../core/database/database.ts"
import type { PassageRecord } from "../../../engines/vectors/passage-record.ts"
import { livePassages, passagesPerRead } from "./live-passages.ts"

/** Stores the embeddings of passages. */
export function createStoredEmbeddings(db: DbOf<"files">) {
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

    /** Stores embeddings of passages that still exist, and returns those. */
    addEmbeddings: (records: readonly PassageRecord[], modelId: string): Promise<PassageRecord[]> =>
      db.transaction().execute(async (trx) => {
        const ids = records.map((record) => record.id)
        const rows = await trx.selectFrom("passages").select("id").where("id", "in", ids).execute()
        const existingIds = new Set(rows.map((row) => row.id))
        const live = records.filter((record) => existingIds.has(record.id))
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

export function toEmbeddingRows(
  passages: readonly { id: string; embedding?: Float32Array }[],
  modelId: string | null,
) {
  return passages.flatMap(({ id, embedding }) =>
    embedding && modelId !== null ? [{ passageId: id, modelId, vector: toBytes(embedding) }] : [],
  )
}

const toBytes = (vector: Float32Array) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
export const toFloats = (bytes: Buffer) => new Float32Array(new Uint8Array(bytes).buffer)
