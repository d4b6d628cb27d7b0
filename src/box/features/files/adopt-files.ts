import { lstat } from "node:fs/promises"
import { join } from "node:path"
import type { DbOf } from "../../core/database/database.ts"
import { describe } from "../../engines/folder-watcher/scan.ts"

/**
 * An archive doesn't keep the inodes and exact times of a folder's files. Without writing the new ones down, all of them would
 * count as changed and be read again.
 */
export async function adoptFiles(
  db: DbOf<"files">,
  folder: { id: string; directory: string },
): Promise<void> {
  const files = await db
    .selectFrom("files")
    .select(["id", "subFolder", "name", "size"])
    .where("folderId", "=", folder.id)
    .execute()
  for (const { id, subFolder, name, size } of files) {
    const stats = await lstat(join(folder.directory, subFolder, name), { bigint: true }).catch(() => null)
    if (!stats || Number(stats.size) !== size) continue // changed after the database was copied
    const { modifiedMs, identity } = describe(name, stats)
    await db.updateTable("files").set({ modifiedMs, identity }).where("id", "=", id).execute()
  }
}
