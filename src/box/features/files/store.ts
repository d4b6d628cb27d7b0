import type { FileStatus } from "../../../shared/contract/files.ts"
import { inBreaths } from "../../core/waiting/breathe.ts"
import type { DbOf } from "../../core/database/database.ts"
import { deleteContents, passagesAtOnce } from "./passages/file-contents.ts"
import { among } from "../../core/database/among.ts"
import { packed } from "../../core/packed.ts"
import { scanPriority, searchable, uploadPriority, type FileRow, type PlaceAndContent } from "./file-entry.ts"
import { fileEvents, happen } from "./file-state.ts"

export interface FileQuery {
  limit: number
  offset: number
  status?: FileStatus | undefined
  search?: string | undefined
}

export interface FileCounts {
  fileCount: number
  pendingCount: number
  failedCount: number
}

/** A file that can be attached to a message. */
export interface AttachableFile {
  fileId: string
  name: string
  size: number
  createdAt: string
}

/** `to` is of its place and its bytes; its state follows from `newContent`. */
interface Change {
  from: FileRow
  to: Partial<PlaceAndContent>
  newContent: boolean
}

const idsPerStatement = 500
const rowsPerRead = 500
const rowsPerInsert = 200
/** What is deleted in one transaction: a few ms. Deleting a file deletes its passages too, with their embeddings. */
const mostRemoved = { items: 100, weight: passagesAtOnce }

/** Rows of the `files` table. */
export function createFileStore(db: DbOf<"files">) {
  const inFolder = (folderId: string) => db.selectFrom("files").where("folderId", "=", folderId)

  /** In steps, because reading a large folder at once would hold up everything else. */
  async function all(folderId: string): Promise<FileRow[]> {
    const rows: FileRow[] = []
    for (let after = ""; ;) {
      const some = await inFolder(folderId)
        .selectAll()
        .where("id", ">", after)
        .orderBy("id")
        .limit(rowsPerRead)
        .execute()
      rows.push(...some)
      const last = some.at(-1)
      if (!last) return rows
      after = last.id
    }
  }

  /** Those that there are; in any folder unless one is named. */
  async function byIds(ids: readonly string[], folderId?: string): Promise<FileRow[]> {
    const rows: FileRow[] = []
    const files = folderId === undefined ? db.selectFrom("files") : inFolder(folderId)
    for await (const some of inBreaths(ids, idsPerStatement)) {
      rows.push(...(await files.selectAll().where("id", "in", some).execute()))
    }
    return rows
  }

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
    async page(folderId: string, { limit, offset, status, search }: FileQuery) {
      let matching = inFolder(folderId)
      if (status) matching = matching.where("status", "=", status)
      for (const word of searchable(search ?? "")
        .split(/\s+/)
        .filter((word) => word !== ""))
        matching = matching.where((e) => e(e.fn("instr", ["searchName", e.val(word)]), ">", 0))
      const { total } = await matching
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      const rows = await matching.selectAll().orderBy("id").limit(limit).offset(offset).execute()
      return { total, rows }
    },

    async count(folderId: string): Promise<number> {
      const { total } = await inFolder(folderId)
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      return total
    },

    find: (folderId: string, id: string): Promise<FileRow | undefined> =>
      inFolder(folderId).selectAll().where("id", "=", id).executeTakeFirst(),

    byIds,

    async isTaken(folderId: string, subFolder: string, name: string): Promise<boolean> {
      const row = await inFolder(folderId)
        .select("id")
        .where("subFolder", "=", subFolder)
        .where("name", "=", name)
        .executeTakeFirst()
      return row !== undefined
    },

    /** The files at or below a path; empty for all. Told by the index of places, since a folder may change at many paths. */
    async under(folderId: string, path: string): Promise<FileRow[]> {
      if (path === "") return all(folderId)
      const cut = path.lastIndexOf("/")
      const places = inFolder(folderId).select("id")
      const rows = await places
        .where("subFolder", "=", path.slice(0, Math.max(cut, 0)))
        .where("name", "=", path.slice(cut + 1))
        .unionAll(places.where("subFolder", "=", path))
        // everything that begins with `path/`: "0" is the character after "/"
        .unionAll(places.where("subFolder", ">", `${path}/`).where("subFolder", "<", `${path}0`))
        .execute()
      return byIds(rows.map(({ id }) => id))
    },

    async byIdentity(folderId: string, identities: readonly string[]): Promise<FileRow[]> {
      const rows: FileRow[] = []
      for await (const some of inBreaths(identities, idsPerStatement)) {
        rows.push(...(await inFolder(folderId).selectAll().where("identity", "in", some).execute()))
      }
      return rows
    },

    /** Adds files in one transaction; those whose name is taken are left out. */
    insert: (rows: readonly FileRow[]): Promise<void> =>
      db.transaction().execute(async (trx) => {
        for await (const some of inBreaths(rows, rowsPerInsert)) {
          await trx
            .insertInto("files")
            .values(some)
            .onConflict((conflict) => conflict.columns(["folderId", "subFolder", "name"]).doNothing())
            .execute()
        }
      }),

    /** Gives files new places, contents or both; `from` is the row as it was read. Those changed since are left out. */
    change: (changes: readonly Change[], priority = scanPriority): Promise<void> =>
      db.transaction().execute(async (trx) => {
        const row = ({ id, revision }: FileRow, to: Partial<PlaceAndContent>) =>
          trx.updateTable("files").set(to).where("id", "=", id).where("revision", "=", revision)
        const moved = changes.filter(({ to }) => to.name !== undefined)
        // Names may be swapped: all leave their places before any takes one.
        for (const { from } of moved) await row(from, { subFolder: `\0${from.id}` }).execute()
        for (const { from, to, newContent } of changes) {
          await row(from, to).execute()
          if (!newContent) continue
          const { id, revision } = from
          const queued = await happen(trx, fileEvents.contentChanged(priority), { ids: [id], revision })
          if (queued.length > 0) await deleteContents(trx, queued)
        }
      }),

    /** Queues a file again unless it waits or is in work. */
    async requeue(id: string): Promise<void> {
      await happen(db, fileEvents.retryWanted(uploadPriority), { ids: [id] })
    },

    /** Queues all files of a folder again that failed, and answers their ids. */
    async requeueFailed(folderId: string): Promise<string[]> {
      const failed = await inFolder(folderId).select("id").where("status", "=", "failed").execute()
      const queued: string[] = []
      for await (const some of inBreaths(failed, idsPerStatement)) {
        const ids = some.map(({ id }) => id)
        queued.push(...(await happen(db, fileEvents.retryOfFailedWanted(scanPriority), { ids })))
      }
      return queued
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

    /** Moves a file into a hidden folder, with its text and passages: nobody works on it there. */
    async moveOut(transaction: DbOf<"files">, id: string, hiddenId: string): Promise<void> {
      await happen(transaction, fileEvents.movedOut(), { ids: [id] })
      await transaction.updateTable("files").set({ folderId: hiddenId }).where("id", "=", id).execute()
      await transaction.deleteFrom("unfinishedChanges").where("fileId", "=", id).execute()
    },

    /** How many files the folders have, and in which state. */
    async counts(folderIds: readonly string[]): Promise<Map<string, FileCounts>> {
      const counts = new Map<string, FileCounts>()
      const rows = await db
        .selectFrom("files")
        .select((e) => ["folderId", "status", e.fn.countAll<number>().as("count")])
        .where("folderId", "in", among(folderIds))
        .groupBy(["folderId", "status"])
        .execute()
      for (const { folderId, status, count } of rows) {
        const sum = counts.get(folderId) ?? { fileCount: 0, pendingCount: 0, failedCount: 0 }
        sum.fileCount += count
        if (status === "queued" || status === "processing") sum.pendingCount += count
        if (status === "failed") sum.failedCount += count
        counts.set(folderId, sum)
      }
      return counts
    },

    /** When the newest file of each of the folders came that have any. */
    async newest(folderIds: readonly string[]): Promise<Map<string, string>> {
      const rows = await db
        .selectFrom("files")
        .select((e) => ["folderId", e.fn.max("createdAt").as("newest")])
        .where("folderId", "in", among(folderIds))
        .groupBy("folderId")
        .execute()
      return new Map(rows.map(({ folderId, newest }) => [folderId, newest]))
    },

    /** What a message says of the files of its chat's folder, in the order in which they came. */
    attachable: (folderId: string): Promise<AttachableFile[]> =>
      inFolder(folderId).select(["id as fileId", "name", "size", "createdAt"]).orderBy("id").execute(),

    async idsInFolder(folderId: string): Promise<string[]> {
      return (await inFolder(folderId).select("id").execute()).map((row) => row.id)
    },
  }
}

export type FileStore = ReturnType<typeof createFileStore>
