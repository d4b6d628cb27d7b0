import { join } from "node:path"
import { managedFoldersPath, storedPath } from "../../core/data-layout.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { ListedItem } from "../../core/held-items.ts"
import { heldPlace } from "./store.ts"

/** The ID of a folder becomes the name of its directory, which goes to the trash when the folder is deleted. */
const isName = /^[\w-]{1,100}$/

/**
 * Gives managed folders of a database from elsewhere, whose paths can't be trusted, directories in this data directory, and returns them.
 * Returns null if it isn't a Casella database.
 */
export async function adoptFolders(
  db: DbOf<"folders">,
  dataDir: string,
): Promise<{ id: string; directory: string }[] | null> {
  const isOther = await db
    .selectFrom("folders")
    .select("id")
    .where("managed", "not in", [0, 1])
    .executeTakeFirst()
  if (isOther) return null
  const managed = await db.selectFrom("folders").select("id").where("managed", "=", 1).execute()
  if (managed.some(({ id }) => !isName.test(id))) return null
  const found = managed.map(({ id }) => ({ id, directory: join(managedFoldersPath(dataDir), id) }))
  for (const { id, directory } of found)
    await db
      .updateTable("folders")
      .set({ path: storedPath(dataDir, directory) })
      .where("id", "=", id)
      .execute()
  return found
}

/**
 * Moves the paths of followed directories to `heldPath` until an owner turns them on, because a backup can name any directory of this
 * computer.
 */
export async function holdFolders(db: DbOf<"folders">): Promise<void> {
  await db.updateTable("folders").set({ heldPath: null }).where("managed", "<>", 0).execute()
  await db
    .updateTable("folders")
    .set((e) => ({ heldPath: e.fn.coalesce("heldPath", "path"), path: heldPlace, device: null, inode: null }))
    .where("managed", "=", 0)
    .execute()
}

/** Removes hidden folders whose files are in the trash. */
export async function removeHiddenFolders(db: DbOf<"folders">, ids: readonly string[]): Promise<void> {
  await db.deleteFrom("folders").where("id", "in", ids).where("removed", "=", 1).execute()
}

/** Folders of a restored backup that follow a directory and that no owner has turned on since. */
export async function listHeldFolders(db: DbOf<"folders">): Promise<ListedItem[]> {
  const rows = await db
    .selectFrom("folders")
    .select(["id", "ownerId", "name", "heldPath", "visibility"])
    .where("heldPath", "is not", null)
    .where("path", "=", heldPlace)
    .where("removed", "=", 0)
    .orderBy("createdAt")
    .orderBy("id")
    .execute()
  return rows.map(({ id, ownerId, name, heldPath, visibility }) => ({
    kind: "folder",
    id,
    ownerId,
    name,
    does: heldPath ?? "",
    trigger: null,
    visibility,
  }))
}
