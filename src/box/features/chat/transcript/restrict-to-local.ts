import { sql } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"

/** Keeps every chat that has read a folder on this computer from now on, even if the folder changes or is deleted. */
export async function restrictToLocal(db: DbOf<"chat">, folderId: string): Promise<void> {
  await db
    .updateTable("conversations")
    .set({ staysHere: 1 })
    .where("readVectorIds", "like", `%${folderId}%`)
    .where(
      sql<boolean>`${folderId} IN (SELECT value FROM json_each(CASE WHEN json_valid("readVectorIds") THEN "readVectorIds" ELSE '[]' END))`,
    )
    .execute()
}
