import { lstat, utimes } from "node:fs/promises"
import { sql } from "kysely"
import type { DbOf } from "../../core/database/database.ts"
import { resolveInside } from "../../core/files/path-jail.ts"
import { describe } from "../../engines/folder-watcher/scan.ts"

/** In seconds: times are cut to microseconds, and none may fall under the one that is meant. */
const halfMicrosecond = 5e-7
/** Bytes of one stored number of an embedding. */
const numberBytes = 4

/**
 * An archive doesn't keep the inodes of a folder's files, and of their times whole seconds. The times are made exact again; without
 * writing the new inodes down, all files would count as changed and be read again.
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
 * Corrects numbers of a restored backup that answers or the search index would fail with. False where files have sizes that no disk
 * holds together: it isn't a backup, and sums of them aren't safe integers.
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
  let total = 0
  for (const table of ["files", "trashedFiles"] as const) {
    const sizes = await db
      .selectFrom(table)
      .select([
        sql<number | null>`min(size)`.as("least"),
        sql<number | null>`sum(cast(size AS double precision))`.as("total"), // as integers the sum could overflow
      ])
      .executeTakeFirstOrThrow()
    if ((sizes.least ?? 0) < 0) return false
    total += sizes.total ?? 0
  }
  return total <= Number.MAX_SAFE_INTEGER
}
