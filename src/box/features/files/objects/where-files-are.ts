import type { DbOf } from "../../../core/database/database.ts"

/** Key of an object on a store of which rows tell; null where they tell of none. */
export async function anyObject(db: DbOf<"files">): Promise<string | null> {
  const file = await db
    .selectFrom("files")
    .select("object")
    .where("object", "is not", null)
    .limit(1)
    .execute()
  const trashed = db.selectFrom("trashedFiles").select("object").where("object", "is not", null)
  const [found] = file.length > 0 ? file : await trashed.limit(1).execute()
  return found?.object ?? null
}

/** Whether any of these folders, the box's own, has a file in its directory. */
export async function areInDirectories(db: DbOf<"files">, ownFolderIds: readonly string[]): Promise<boolean> {
  for (const folderId of ownFolderIds) {
    const files = db.selectFrom("files").select("id").where("folderId", "=", folderId)
    if (await files.where("object", "is", null).limit(1).executeTakeFirst()) return true
  }
  return false
}
