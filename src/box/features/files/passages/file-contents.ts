import type { DbOf } from "../../../core/database/database.ts"

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
