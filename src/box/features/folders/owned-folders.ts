import { among, foldCase } from "../../core/database/sql-helpers.ts"
import type { DbOf } from "../../core/database/database.ts"

/** People's folders that aren't deleted, including those of chats. */
export const ownedFolders = (db: DbOf<"folders">, userIds: readonly string[]) =>
  db
    .selectFrom("folders")
    .select(["id", "ownerId"])
    .where("ownerId", "in", among(userIds))
    .where("removed", "=", 0)
    .execute()

/** Counts the listed folders of this owner with this name, ignoring case. */
export async function countNamed(db: DbOf<"folders">, ownerId: string, name: string): Promise<number> {
  const owned = db.selectFrom("folders").select("name").where("ownerId", "=", ownerId)
  const rows = await owned.where("chatId", "is", null).where("removed", "=", 0).execute()
  const fold = (text: string) => foldCase(text.normalize("NFKC").trim())
  return rows.filter((row) => fold(row.name) === fold(name)).length
}
