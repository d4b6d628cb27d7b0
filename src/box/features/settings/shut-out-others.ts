import type { DbOf } from "../../core/database/database.ts"

/** A backup lets nobody in: other networks may be around the computer that it is restored on. */
export async function shutOutOthers(db: DbOf<"core">): Promise<void> {
  await db.deleteFrom("settings").where("key", "=", "networkAccess").execute()
}
