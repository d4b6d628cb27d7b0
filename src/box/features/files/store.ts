import type { ReadAs } from "../../../shared/contract/files.ts"
import { batchByWeight, chunksWithYield } from "../../core/waiting/yield-to-event-loop.ts"
import type { DbOf, AnyTransaction } from "../../core/database/database.ts"
import { scanPriority, type FileRow, uploadPriority, type PlaceAndContent } from "./file-entry.ts"
import { fileEvents, applyTransition } from "./file-state.ts"
import { deleteContents, passagesAtOnce } from "./passages/passage-store.ts"
import { idsPerStatement, FileQueries } from "./rows/file-queries.ts"

/** Maximum deleted in one transaction, which takes a few ms. Deleting a file also deletes its passages and their embeddings. */
const maxRemoved = { items: 100, weight: passagesAtOnce }

/** `to` contains the new location and bytes; the state follows from `newContent`. */
interface Change {
  from: FileRow
  to: Partial<PlaceAndContent & Pick<FileRow, "object">>
  newContent: boolean
}

const rowsPerInsert = 200

/** Rows of the `files` table. */
export const createFileStore = (db: DbOf<"files">): FileStore => new FileStore(db)

export class FileStore extends FileQueries {
  readonly #db: DbOf<"files">

  constructor(db: DbOf<"files">) {
    super(db)
    this.#db = db
  }

  /** Adds files in the same transaction as `also`. Files whose name is taken are left out. */
  insert(rows: readonly FileRow[], also?: (transaction: AnyTransaction) => Promise<void>): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
      for await (const some of chunksWithYield(rows, rowsPerInsert)) {
        await trx
          .insertInto("files")
          .values(some)
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }
      await also?.(trx)
    })
  }

  /**
   * Changes the location of files, their content, or both. `from` is the row as it was read; rows that changed since then are skipped.
   */
  change(changes: readonly Change[], priority = scanPriority): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
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
    })
  }

  /** Replaces the tags of a file, in the same transaction as `also`. */
  tag(
    id: string,
    tags: readonly string[],
    also: (transaction: AnyTransaction) => Promise<void>,
  ): Promise<void> {
    return this.#db.transaction().execute(async (transaction) => {
      const stored = tags.length === 0 ? null : JSON.stringify(tags)
      await transaction.updateTable("files").set({ tags: stored }).where("id", "=", id).execute()
      await also(transaction)
    })
  }

  /** Queues a file again unless it is queued or being processed. */
  async requeue(id: string): Promise<void> {
    await applyTransition(this.#db, fileEvents.retryWanted(uploadPriority), { ids: [id] })
  }

  /** Stores how a person wants a file to be read, and queues it again unless it is excluded from the index. */
  async readAs(id: string, readAs: ReadAs | null): Promise<void> {
    const stored = readAs === null ? null : JSON.stringify(readAs)
    const queued = await applyTransition(this.#db, fileEvents.readAsChosen(uploadPriority, stored), {
      ids: [id],
    })
    if (queued.length === 0)
      await this.#db.updateTable("files").set({ readAs: stored }).where("id", "=", id).execute()
  }

  /** Excludes files from the index. Returns the IDs of those that were indexed or waiting to be. */
  excludeFromSearch(ids: readonly string[]): Promise<string[]> {
    return this.#db.transaction().execute(async (transaction) => {
      const left = await applyTransition(transaction, fileEvents.leftOut(uploadPriority), { ids })
      if (left.length > 0) await deleteContents(transaction, left)
      return left
    })
  }

  /** Queues all failed files of a folder again and returns their IDs. */
  async requeueFailed(folderId: string): Promise<string[]> {
    const failed = await this.#db
      .selectFrom("files")
      .select("id")
      .where("folderId", "=", folderId)
      .where("status", "=", "failed")
      .execute()
    const queued: string[] = []
    for await (const some of chunksWithYield(failed, idsPerStatement)) {
      const ids = some.map(({ id }) => id)
      queued.push(...(await applyTransition(this.#db, fileEvents.retryOfFailedWanted(scanPriority), { ids })))
    }
    return queued
  }

  /** Queues a file whose bytes have changed, and deletes the content extracted from the old bytes. */
  async markChanged(transaction: DbOf<"files">, id: string): Promise<void> {
    const queued = await applyTransition(transaction, fileEvents.contentChanged(uploadPriority), {
      ids: [id],
    })
    if (queued.length > 0) await deleteContents(transaction, queued)
  }

  /** Moves a file into a hidden folder with its text and passages. Nothing processes it there. */
  async moveOut(transaction: DbOf<"files">, id: string, hiddenId: string): Promise<void> {
    await applyTransition(transaction, fileEvents.movedOut(), { ids: [id] })
    await transaction.updateTable("files").set({ folderId: hiddenId }).where("id", "=", id).execute()
    await transaction.deleteFrom("unfinishedChanges").where("fileId", "=", id).execute()
  }

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
  }

  /**
   * Deletes files with their texts and passages. A file with many passages is hidden from search first, then its passages are deleted in
   * steps and its row last. After a crash, what is left of it is read again, unless the next scan doesn't find the file.
   */
  async remove(ids: readonly string[]): Promise<void> {
    for await (const some of chunksWithYield(ids, idsPerStatement)) {
      const counts = await this.#passageCounts(some)
      const large = some.filter((id) => (counts.get(id) ?? 0) > passagesAtOnce)
      try {
        if (large.length > 0) await this.#empty(large)
        for (const id of large) counts.delete(id)
        for (const few of batchByWeight(some, (id) => counts.get(id) ?? 0, maxRemoved))
          await this.#db.deleteFrom("files").where("id", "in", few).execute()
      } catch (error) {
        if (large.length > 0) await this.#putBack(large)
        throw error
      }
    }
  }

  /** The number of passages of each file. */
  async #passageCounts(ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#db
      .selectFrom("passages")
      .select((e) => ["fileId", e.fn.countAll<number>().as("count")])
      .where("fileId", "in", ids)
      .groupBy("fileId")
      .execute()
    return new Map(rows.map(({ fileId, count }) => [fileId, count]))
  }

  /** Marks the files as being processed, so that nothing starts to read them in the meantime. */
  async #empty(ids: readonly string[]): Promise<void> {
    await applyTransition(this.#db, fileEvents.emptied(scanPriority), { ids })
    await deleteContents(this.#db, ids)
  }

  /** Queues emptied files that weren't deleted, so that they are read again. If this write fails too, the next start queues them. */
  async #putBack(ids: readonly string[]): Promise<void> {
    await applyTransition(this.#db, fileEvents.kept(scanPriority), { ids })
  }
}
