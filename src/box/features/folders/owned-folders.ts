import { among } from "../../core/database/among.ts"
import type { DbOf } from "../../core/database/database.ts"
import { foldCase } from "../../core/database/fold-case.ts"

/** The folders of people that aren't deleted, those of chats included. */
export const ownedFolders = (db: DbOf<"folders">, userIds: readonly string[]) =>
  db
    .selectFrom("folders")
    .select(["id", "ownerId"])
    .where("ownerId", "in", among(userIds))
    .where("removed", "=", 0)
    .execute()

/** How many folders that lists show have this owner and this name, whatever its case. */
export async function countNamed(db: DbOf<"folders">, ownerId: string, name: string): Promise<number> {
  const owned = db.selectFrom("folders").select("name").where("ownerId", "=", ownerId)
  const rows = await owned.where("chatId", "is", null).where("removed", "=", 0).execute()
  const fold = (text: string) => foldCase(text.normalize("NFKC").trim())
  return rows.filter((row) => fold(row.name) === fold(name)).length
}
