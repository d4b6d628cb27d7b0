import type { DbOf } from "../../core/database/database.ts"
import type { ListedItem } from "../../core/held-items.ts"

/** Folders of a restored backup that follow a directory and that no owner has turned on since. */
export async function listHeld(db: DbOf<"folders">): Promise<ListedItem[]> {
  const rows = await db
    .selectFrom("folders")
    .select(["id", "ownerId", "name", "heldPath", "visibility"])
    .where("heldPath", "is not", null)
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
