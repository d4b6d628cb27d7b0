import { sql } from "kysely"
import type { DbOf } from "../../core/database/database.ts"

/** Nobody on this computer has consented to what a backup says that was consented to: no program starts before someone does. */
export async function unlinkPrograms(db: DbOf<"integrations">): Promise<void> {
  const isProgram = sql<boolean>`CASE WHEN json_valid(target) THEN json_extract(target, '$.kind') = 'command' ELSE false END`
  await db.updateTable("toolServers").set({ linkedAt: null }).where(isProgram).execute()
}
