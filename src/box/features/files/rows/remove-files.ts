import type { DbOf } from "../../../core/database/database.ts"
import { batchByWeight } from "../../../core/batch-by-weight.ts"
import { chunksWithYield } from "../../../core/waiting/yield-to-event-loop.ts"
import { scanPriority, type FileRow } from "../file-entry.ts"
import { fileEvents, applyTransition } from "../file-state.ts"
import { deleteContents, passagesAtOnce } from "../passages/file-contents.ts"
import { idsPerStatement } from "./find-files.ts"

/** Maximum deleted in one transaction, which takes a few ms. Deleting a file also deletes its passages and their embeddings. */
const maxRemoved = { items: 100, weight: passagesAtOnce }

/** Deletes files permanently, in small steps so that nothing else waits long. */
export function createFileRemoval(db: DbOf<"files">) {
  /** The number of passages of each file. */
  async function passageCounts(ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await db
      .selectFrom("passages")
      .select((e) => ["fileId", e.fn.countAll<number>().as("count")])
      .where("fileId", "in", ids)
      .groupBy("fileId")
      .execute()
    return new Map(rows.map(({ fileId, count }) => [fileId, count]))
  }

  /** Marks the files as being processed, so that nothing starts to read them in the meantime. */
  async function empty(ids: readonly string[]): Promise<void> {
    await applyTransition(db, fileEvents.emptied(scanPriority), { ids })
    await deleteContents(db, ids)
  }

  /** Queues emptied files that weren't deleted, so that they are read again. If this write fails too, the next start queues them. */
  async function putBack(ids: readonly string[]): Promise<void> {
    await applyTransition(db, fileEvents.kept(scanPriority), { ids })
  }

  return {
    /**
     * Deletes the file with this name, because another file is about to get the name. Returns the ID of the deleted file, if there was one.
     */
    async removeNamed(
      transaction: DbOf<"files">,
      { folderId, subFolder, name }: Pick<FileRow, "folderId" | "subFolder" | "name">,
    ): Promise<string[]> {
      const named = await transaction
        .selectFrom("files")
        .select("id")
        .where("folderId", "=", folderId)
        .where("subFolder", "=", subFolder)
        .where("name", "=", name)
        .execute()
      const ids = named.map(({ id }) => id)
      await deleteContents(transaction, ids)
      await transaction.deleteFrom("files").where("id", "in", ids).execute()
      return ids
    },

    /**
     * Deletes files with their texts and passages. A file with many passages is hidden from search first, then its passages are deleted in
     * steps and its row last. After a crash, what is left of it is read again, unless the next scan doesn't find the file.
     */
    async remove(ids: readonly string[]): Promise<void> {
      for await (const some of chunksWithYield(ids, idsPerStatement)) {
        const counts = await passageCounts(some)
        const large = some.filter((id) => (counts.get(id) ?? 0) > passagesAtOnce)
        try {
          if (large.length > 0) await empty(large)
          for (const id of large) counts.delete(id)
          for (const few of batchByWeight(some, (id) => counts.get(id) ?? 0, maxRemoved))
            await db.deleteFrom("files").where("id", "in", few).execute()
        } catch (error) {
          if (large.length > 0) await putBack(large)
          throw error
        }
      }
    },
  }
}
