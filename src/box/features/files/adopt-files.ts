import { lstat, utimes } from "node:fs/promises"
import type { DbOf } from "../../core/database/database.ts"
import { resolveInside } from "../../core/files/path-jail.ts"
import { describe } from "../../engines/folder-watcher/scan.ts"

/** In seconds: times are cut to microseconds, and none may fall under the one that is meant. */
const halfMicrosecond = 5e-7

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
