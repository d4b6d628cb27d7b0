import type { FileStatus } from "../../../shared/contract/files.ts"
import type { Database } from "../../core/database.ts"
import { queuedFields, scanPriority, searchable, uploadPriority, type FileRow } from "./file-entry.ts"

export interface FileQuery {
  limit: number
  offset: number
  status?: FileStatus | undefined
  search?: string | undefined
}

const idsPerStatement = 500
const rowsPerInsert = 200
const rowsPerRead = 1_000
/** Deleting a file deletes its passages too, which takes a while for large ones. */
const removalsPerTransaction = 100

/** Rows of the `files` table. */
export function createFileStore(db: Database) {
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
      await new Promise(setImmediate)
    }
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

    async byIds(ids: readonly string[]): Promise<FileRow[]> {
      const rows: FileRow[] = []
      for (const some of slices(ids, idsPerStatement)) {
        rows.push(...(await db.selectFrom("files").selectAll().where("id", "in", some).execute()))
      }
      return rows
    },

    async isTaken(folderId: string, subFolder: string, name: string): Promise<boolean> {
      const row = await inFolder(folderId)
        .select("id")
        .where("subFolder", "=", subFolder)
        .where("name", "=", name)
        .executeTakeFirst()
      return row !== undefined
    },

    /** The files at or below a path; empty for all. */
    under(folderId: string, path: string): Promise<FileRow[]> {
      if (path === "") return all(folderId)
      const cut = path.lastIndexOf("/")
      return inFolder(folderId)
        .selectAll()
        .where((e) =>
          e.or([
            e.and([
              e("subFolder", "=", path.slice(0, Math.max(cut, 0))),
              e("name", "=", path.slice(cut + 1)),
            ]),
            e("subFolder", "=", path),
            // everything that begins with `path/`: "0" is the character after "/"
            e.and([e("subFolder", ">", `${path}/`), e("subFolder", "<", `${path}0`)]),
          ]),
        )
        .execute()
    },

    async byIdentity(folderId: string, identities: readonly string[]): Promise<FileRow[]> {
      const rows: FileRow[] = []
      for (const some of slices(identities, idsPerStatement)) {
        rows.push(...(await inFolder(folderId).selectAll().where("identity", "in", some).execute()))
      }
      return rows
    },

    /** Adds files in one transaction; those whose name is taken are left out. */
    insert: (rows: readonly FileRow[]): Promise<void> =>
      db.transaction().execute(async (trx) => {
        for (const some of slices(rows, rowsPerInsert)) {
          await trx
            .insertInto("files")
            .values(some)
            .onConflict((conflict) => conflict.columns(["folderId", "subFolder", "name"]).doNothing())
            .execute()
        }
      }),

    /** Gives files new places, contents or both; `from` is the row as it was read. Those changed since are left out. */
    change: (
      changes: readonly { from: FileRow; to: Partial<FileRow>; newContent: boolean }[],
    ): Promise<void> =>
      db.transaction().execute(async (trx) => {
        const moved = changes.filter(({ to }) => to.name !== undefined)
        // Names may be swapped: all leave their places before any takes one.
        for (const { from } of moved) {
          await trx
            .updateTable("files")
            .set({ subFolder: `\0${from.id}` })
            .where("id", "=", from.id)
            .where("revision", "=", from.revision)
            .execute()
        }
        for (const { from, to, newContent } of changes) {
          const { numUpdatedRows } = await trx
            .updateTable("files")
            .set({ ...to, revision: from.revision + (newContent ? 1 : 0) })
            .where("id", "=", from.id)
            .where("revision", "=", from.revision)
            .executeTakeFirst()
          if (!newContent || numUpdatedRows === 0n) continue
          await trx.deleteFrom("passages").where("fileId", "=", from.id).execute()
          await trx.deleteFrom("fileTexts").where("fileId", "=", from.id).execute()
        }
      }),

    /** Queues a file again unless it waits or is in work. */
    async requeue(id: string): Promise<void> {
      await db
        .updateTable("files")
        .set(queuedFields(uploadPriority))
        .where("id", "=", id)
        .where("status", "not in", ["queued", "processing"])
        .execute()
    },

    /** Queues all files of a folder again that failed, and answers their ids. */
    async requeueFailed(folderId: string): Promise<string[]> {
      const rows = await db
        .updateTable("files")
        .set(queuedFields(scanPriority))
        .where("folderId", "=", folderId)
        .where("status", "=", "failed")
        .returning("id")
        .execute()
      return rows.map((row) => row.id)
    },

    /** Deletes files with their texts and passages. */
    async remove(ids: readonly string[]): Promise<void> {
      for (const some of slices(ids, removalsPerTransaction)) {
        await db.deleteFrom("files").where("id", "in", some).execute()
      }
    },

    async idsInFolder(folderId: string): Promise<string[]> {
      return (await inFolder(folderId).select("id").execute()).map((row) => row.id)
    },
  }
}

export type FileStore = ReturnType<typeof createFileStore>

function* slices<T>(items: readonly T[], length: number): Generator<T[]> {
  for (let from = 0; from < items.length; from += length) yield items.slice(from, from + length)
}
