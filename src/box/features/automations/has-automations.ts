import type { DbOf } from "../../core/database/database.ts"

/** Whether this user has an automation; without a user, whether anyone has. */
export async function hasAutomations(db: DbOf<"automations">, ownerId?: string): Promise<boolean> {
  const first = db.selectFrom("automations").select("id").limit(1)
  const found = ownerId === undefined ? first : first.where("ownerId", "=", ownerId)
  return (await found.executeTakeFirst()) !== undefined
}
