import type { DbOf } from "../../../core/database/database.ts"

/** Returns whether any of these folders, which belong to the box, has a file in its directory. */
export async function areInDirectories(db: DbOf<"files">, ownFolderIds: readonly string[]): Promise<boolean> {
  for (const folderId of ownFolderIds) {
    const files = db.selectFrom("files").select("id").where("folderId", "=", folderId)
    if (await files.where("object", "is", null).limit(1).executeTakeFirst()) return true
  }
  return false
}
