import { chunksWithYield } from "../../core/waiting/yield-to-event-loop.ts"
import type { AnyTransaction, DbOf } from "../../core/database/database.ts"
import { deleteContents } from "./passages/file-contents.ts"
import { scanPriority, uploadPriority, type FileRow, type PlaceAndContent } from "./file-entry.ts"
import { fileEvents, applyTransition } from "./file-state.ts"
import { createFileCounts } from "./rows/count-files.ts"
import { createFileFinder, idsPerStatement } from "./rows/find-files.ts"
import { createFileRemoval } from "./rows/remove-files.ts"

/** `to` contains the new location and bytes; the state follows from `newContent`. */
interface Change {
  from: FileRow
  to: Partial<PlaceAndContent & Pick<FileRow, "object">>
  newContent: boolean
}

const rowsPerInsert = 200

/** Rows of the `files` table. */
export function createFileStore(db: DbOf<"files">) {
  return {
    ...createFileFinder(db),
    ...createFileCounts(db),
    ...createFileRemoval(db),

    /** Adds files in the same transaction as `also`. Files whose name is taken are left out. */
    insert: (
      rows: readonly FileRow[],
      also?: (transaction: AnyTransaction) => Promise<void>,
    ): Promise<void> =>
      db.transaction().execute(async (trx) => {
        for await (const some of chunksWithYield(rows, rowsPerInsert)) {
          await trx
            .insertInto("files")
            .values(some)
            .onConflict((conflict) => conflict.doNothing())
            .execute()
        }
        await also?.(trx)
      }),

    /**
     * Changes the location of files, their content, or both. `from` is the row as it was read; rows that changed since then are skipped.
     */
    change: (changes: readonly Change[], priority = scanPriority): Promise<void> =>
      db.transaction().execute(async (trx) => {
        const row = ({ id, revision }: FileRow, to: Change["to"]) =>
          trx.updateTable("files").set(to).where("id", "=", id).where("revision", "=", revision)
        const moved = changes.filter(({ to }) => to.name !== undefined)
        // Names may be swapped, so all files leave their locations before any file takes one.
        for (const { from } of moved) await row(from, { subFolder: `\0${from.id}` }).execute()
        for (const { from, to, newContent } of changes) {
          await row(from, to).execute()
          if (!newContent) continue
          const { id, revision } = from
          const queued = await applyTransition(trx, fileEvents.contentChanged(priority), {
            ids: [id],
            revision,
          })
          if (queued.length > 0) await deleteContents(trx, queued)
        }
      }),

    /** Replaces the tags of a file, in the same transaction as `also`. */
    tag: (
      id: string,
      tags: readonly string[],
      also: (transaction: AnyTransaction) => Promise<void>,
    ): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        const stored = tags.length === 0 ? null : JSON.stringify(tags)
        await transaction.updateTable("files").set({ tags: stored }).where("id", "=", id).execute()
        await also(transaction)
      }),

    /** Queues a file again unless it is queued or being processed. */
    async requeue(id: string): Promise<void> {
      await applyTransition(db, fileEvents.retryWanted(uploadPriority), { ids: [id] })
    },

    /** Excludes files from the index. Returns the IDs of those that were indexed or waiting to be. */
    excludeFromSearch: (ids: readonly string[]): Promise<string[]> =>
      db.transaction().execute(async (transaction) => {
        const left = await applyTransition(transaction, fileEvents.leftOut(uploadPriority), { ids })
        if (left.length > 0) await deleteContents(transaction, left)
        return left
      }),

    /** Queues all failed files of a folder again and returns their IDs. */
    async requeueFailed(folderId: string): Promise<string[]> {
      const failed = await db
        .selectFrom("files")
        .select("id")
        .where("folderId", "=", folderId)
        .where("status", "=", "failed")
        .execute()
      const queued: string[] = []
      for await (const some of chunksWithYield(failed, idsPerStatement)) {
        const ids = some.map(({ id }) => id)
        queued.push(...(await applyTransition(db, fileEvents.retryOfFailedWanted(scanPriority), { ids })))
      }
      return queued
    },

    /** Queues a file whose bytes have changed, and deletes the content extracted from the old bytes. */
    async markChanged(transaction: DbOf<"files">, id: string): Promise<void> {
      const queued = await applyTransition(transaction, fileEvents.contentChanged(uploadPriority), {
        ids: [id],
      })
      if (queued.length > 0) await deleteContents(transaction, queued)
    },

    /** Moves a file into a hidden folder with its text and passages. Nothing processes it there. */
    async moveOut(transaction: DbOf<"files">, id: string, hiddenId: string): Promise<void> {
      await applyTransition(transaction, fileEvents.movedOut(), { ids: [id] })
      await transaction.updateTable("files").set({ folderId: hiddenId }).where("id", "=", id).execute()
      await transaction.deleteFrom("unfinishedChanges").where("fileId", "=", id).execute()
    },
  }
}

export type FileStore = ReturnType<typeof createFileStore>
