import type { DbOf } from "../../../core/database/database.ts"
import { timestamp } from "../../../core/ids.ts"

/** Identifies a description: the picture, by the hash of its bytes as the model saw them, in a file. */
export interface DescriptionKey {
  fileId: string
  hash: string
  modelId: string
}

/** A description that wasn't used for this long is deleted. */
const maxAgeMs = 30 * 86_400_000

/**
 * Keeps what models wrote about the pictures of each file, so that a picture isn't described again when its document is changed or read
 * again. Files don't share descriptions, because they may have different owners.
 */
export function createDescriptionStore(db: DbOf<"files">) {
  return {
    async find({ fileId, hash, modelId }: DescriptionKey): Promise<string | null> {
      const row = await db
        .updateTable("pictureDescriptions")
        .set({ usedAt: timestamp() })
        .where("fileId", "=", fileId)
        .where("hash", "=", hash)
        .where("modelId", "=", modelId)
        .returning("text")
        .executeTakeFirst()
      return row?.text ?? null
    },

    /** Does nothing if the file was deleted in the meantime. */
    async add({ fileId, hash, modelId }: DescriptionKey, text: string): Promise<void> {
      const usedAt = timestamp()
      await db
        .insertInto("pictureDescriptions")
        .columns(["fileId", "hash", "modelId", "text", "usedAt"])
        .expression((e) =>
          e
            .selectFrom("files")
            .select((s) => [
              "files.id",
              s.val(hash).as("hash"),
              s.val(modelId).as("modelId"),
              s.val(text).as("text"),
              s.val(usedAt).as("usedAt"),
            ])
            .where("files.id", "=", fileId),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },

    async removeUnused(now = Date.now()): Promise<void> {
      const before = new Date(now - maxAgeMs).toISOString()
      await db.deleteFrom("pictureDescriptions").where("usedAt", "<", before).execute()
    },
  }
}
