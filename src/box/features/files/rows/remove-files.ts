import type { DbOf } from "../../../core/database/database.ts"
import { packed } from "../../../core/packed.ts"
import { inBreaths } from "../../../core/waiting/breathe.ts"
import { scanPriority, type FileRow } from "../file-entry.ts"
import { fileEvents, happen } from "../file-state.ts"
import { deleteContents, passagesAtOnce } from "../passages/file-contents.ts"
import { idsPerStatement } from "./find-files.ts"

/** What is deleted in one transaction: a few ms. Deleting a file deletes its passages too, with their embeddings. */
const mostRemoved = { items: 100, weight: passagesAtOnce }

/** Deletes files for good, so that nobody else waits for long. */
export function createFileRemoval(db: DbOf<"files">) {
  /** How many passages each of the files has. */
  async function passageCounts(ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await db
      .selectFrom("passages")
      .select((e) => ["fileId", e.fn.countAll<number>().as("count")])
      .where("fileId", "in", ids)
      .groupBy("fileId")
      .execute()
    return new Map(rows.map(({ fileId, count }) => [fileId, count]))
  }

  /** They count as in work meanwhile, so that nobody begins to read them. */
  async function empty(ids: readonly string[]): Promise<void> {
    await happen(db, fileEvents.emptied(scanPriority), { ids })
    await deleteContents(db, ids)
  }

  /** Emptied files that stay are read again; where not even that can be written, by the next start. */
  async function putBack(ids: readonly string[]): Promise<void> {
    await happen(db, fileEvents.kept(scanPriority), { ids })
  }

  return {
    /** Deletes the file of this name, which another is about to get; answers its id, if there is one. */
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
     * Deletes files with their texts and passages. One that has many shows none any more, loses them bit by bit, and goes last:
     * what a crash leaves of it is read again, unless it is looked for and is gone.
     */
    async remove(ids: readonly string[]): Promise<void> {
      for await (const some of inBreaths(ids, idsPerStatement)) {
        const counts = await passageCounts(some)
        const large = some.filter((id) => (counts.get(id) ?? 0) > passagesAtOnce)
        try {
          if (large.length > 0) await empty(large)
          for (const id of large) counts.delete(id)
          for (const few of packed(some, (id) => counts.get(id) ?? 0, mostRemoved))
            await db.deleteFrom("files").where("id", "in", few).execute()
        } catch (error) {
          if (large.length > 0) await putBack(large)
          throw error
        }
      }
    },
  }
}
