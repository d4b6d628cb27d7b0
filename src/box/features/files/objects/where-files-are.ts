import type { DbOf } from "../../../core/database/database.ts"

/** Key of an object on a store of which rows tell; null where they tell of none. */
export async function anyObject(db: DbOf<"core">): Promise<string | null> {
  const used = db.selectFrom("usedObjects").select("object").limit(1)
  return (await used.executeTakeFirst())?.object ?? null
}

/** Whether any of these folders, the box's own, has a file in its directory. */
export async function areInDirectories(db: DbOf<"files">, ownFolderIds: readonly string[]): Promise<boolean> {
  for (const folderId of ownFolderIds) {
    const files = db.selectFrom("files").select("id").where("folderId", "=", folderId)
    if (await files.where("object", "is", null).limit(1).executeTakeFirst()) return true
  }
  return false
}
