import { lstat, utimes } from "node:fs/promises"
import { sql } from "kysely"
import type { DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import { resolveInside } from "../../core/files/path-jail.ts"
import { isOwnId, newId } from "../../core/ids.ts"
import { describe } from "../../engines/folder-watcher/scan.ts"
import { WaitingPages } from "./ingestion/job.ts"
import { TakenFile } from "./leaving/taken-files.ts"
import { noteTrashed } from "./leaving/trashed-files.ts"
import { deleteContents } from "./passages/passage-store.ts"

/** In seconds. Times are truncated to microseconds and must not fall below the intended one. */
const halfMicrosecond = 5e-7
/** Bytes per stored number of an embedding. */
const numberBytes = 4

/**
 * Adapts file records to restored files: an archive keeps only whole seconds of their times, and no inodes. Restores the exact times and
 * stores the new inodes; otherwise all files would be treated as changed and read again.
 */
export async function adoptFiles(
  db: DbOf<"files">,
  folder: { id: string; directory: string },
): Promise<void> {
  const files = await db
    .selectFrom("files")
    .select(["id", "subFolder", "name", "size", "modifiedMs"])
    .where("folderId", "=", folder.id)
    .where("object", "is", null)
    .execute()
  for (const { id, subFolder, name, size, modifiedMs: before } of files) {
    const names = [...(subFolder === "" ? [] : subFolder.split("/")), name]
    const path = await resolveInside(folder.directory, names).catch(() => null)
    const found = path && (await lstat(path, { bigint: true }).catch(() => null))
    if (!path || !found || Number(found.size) !== size) continue // changed after the database was copied
    const isCut = Number(found.mtimeMs) === Math.floor(before / 1000) * 1000
    if (isCut && found.isFile()) await utimes(path, new Date(), before / 1000 + halfMicrosecond)
    const stats = await lstat(path, { bigint: true })
    const { modifiedMs, identity } = describe(name, stats)
    await db.updateTable("files").set({ modifiedMs, identity }).where("id", "=", id).execute()
  }
}

/**
 * Corrects values of a restored backup that would break answers, the search index or the queue. Returns false if the file sizes exceed any disk: the
 * file isn't a backup, and their sums aren't safe integers.
 */
export async function correctFiles(db: DbOf<"files">): Promise<boolean> {
  await db
    .updateTable("files")
    .set({ progress: 0 })
    .where((e) => e.not(e.between("progress", 0, 100)))
    .execute()
  await db
    .deleteFrom("passageEmbeddings")
    .where(sql<boolean>`length(vector) % ${sql.lit(numberBytes)} <> 0`)
    .execute()
  await correctWaitingPages(db)
  await correctMediaTypes(db)
  let total = 0
  for (const table of ["files", "trashedFiles"] as const) {
    const sizes = await db
      .selectFrom(table)
      .select([
        sql<number | null>`min(size)`.as("least"),
        sql<number | null>`sum(cast(size AS double precision))`.as("total"), // an integer sum could overflow
      ])
      .executeTakeFirstOrThrow()
    if ((sizes.least ?? 0) < 0) return false
    total += sizes.total ?? 0
  }
  return total <= Number.MAX_SAFE_INTEGER
}

/** A file whose list of waiting pages can't be read is read from the start. */
async function correctWaitingPages(db: DbOf<"files">): Promise<void> {
  const rows = await db
    .selectFrom("files")
    .select(["id", "waitingPages"])
    .where("waitingPages", "is not", null)
    .execute()
  for (const { id, waitingPages } of rows)
    if (waitingPages !== null && !readStored(WaitingPages, waitingPages))
      await db.updateTable("files").set({ waitingPages: null }).where("id", "=", id).execute()
}

const isMediaType = /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/

/** A media type is sent as a header of downloads. */
async function correctMediaTypes(db: DbOf<"files">): Promise<void> {
  const types = await db.selectFrom("files").select("mimeType").distinct().execute()
  for (const { mimeType } of types)
    if (!isMediaType.test(mimeType))
      await db
        .updateTable("files")
        .set({ mimeType: "application/octet-stream" })
        .where("mimeType", "=", mimeType)
        .execute()
}

/**
 * Ends file changes that were in progress in a restored backup. Files that were being moved are in the trash afterwards, from which their
 * owner can restore them. Returns the hidden folders that contained these files.
 */
export async function endFileChanges(
  db: DbOf<"files">,
  moving: readonly { ownerId: string; fileId: string; taken: string }[],
): Promise<string[]> {
  await db.updateTable("unfinishedChanges").set({ fromFile: null, toFile: null }).execute()
  await db.deleteFrom("returningFiles").execute()
  const hidden: string[] = []
  for (const { ownerId, fileId, taken } of moving) {
    const kept = readStored(TakenFile, taken)
    if (!kept) continue
    const row = await db
      .selectFrom("files")
      .selectAll()
      .where("id", "=", fileId)
      .where("folderId", "=", kept.hiddenId)
      .executeTakeFirst()
    if (!row) continue
    const trashId = row.object === null ? kept.trashId : newId()
    const isValidLocation = isOwnId(kept.folderId) && trashId !== null && isOwnId(trashId)
    if (isValidLocation && (await isFree(db, trashId)))
      await noteTrashed(db, trashId, ownerId, { ...row, folderId: kept.folderId })
    await deleteContents(db, [fileId])
    await db.deleteFrom("files").where("id", "=", fileId).execute()
    hidden.push(kept.hiddenId)
  }
  return hidden
}

/** Returns whether no file in the trash has this ID. */
const isFree = async (db: DbOf<"files">, id: string): Promise<boolean> =>
  (await db.selectFrom("trashedFiles").select("id").where("id", "=", id).executeTakeFirst()) === undefined

/** Deletes recorded arrivals in a restored backup, so that work waiting for them doesn't start now. */
export async function forgetArrivals(db: DbOf<"files">): Promise<void> {
  await db.deleteFrom("fileArrivals").execute()
}
