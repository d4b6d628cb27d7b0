import { sql } from "kysely"
import type { DbOf } from "../../../core/database/database.ts"

/** Has every conversation that has read a folder stay here from now on, whatever becomes of the folder. */
export async function keepHere(db: DbOf<"chat">, folderId: string): Promise<void> {
  await db
    .updateTable("conversations")
    .set({ staysHere: 1 })
    .where("readVectorIds", "like", `%${folderId}%`)
    .where(
      sql<boolean>`${folderId} IN (SELECT value FROM json_each(CASE WHEN json_valid("readVectorIds") THEN "readVectorIds" ELSE '[]' END))`,
    )
    .execute()
}
