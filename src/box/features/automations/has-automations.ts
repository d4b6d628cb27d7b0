import type { DbOf } from "../../core/database/database.ts"

/** Whether anybody has one. */
export async function hasAutomations(db: DbOf<"automations">): Promise<boolean> {
  return (await db.selectFrom("automations").select("id").limit(1).executeTakeFirst()) !== undefined
}
