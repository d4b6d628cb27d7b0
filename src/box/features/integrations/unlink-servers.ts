import type { DbOf } from "../../core/database/database.ts"

/**
 * Nobody on this computer has consented to what a backup says that was consented to: no program starts and no server is called before
 * someone does. This holds for all servers, so that no reading of a row decides it.
 */
export async function unlinkServers(db: DbOf<"integrations">): Promise<void> {
  await db.updateTable("toolServers").set({ linkedAt: null }).execute()
}
