import type { DbOf } from "../../core/database/database.ts"
import type { HeldItems } from "../../core/held-items.ts"
import { parseScopes, type Keys } from "./keys.ts"

/** Marks all API keys in a database from a backup until an owner confirms them, because the backup's author knows them. */
export async function holdKeys(db: DbOf<"accounts">): Promise<void> {
  await db.updateTable("apiKeys").set({ held: 1 }).execute()
}

/** API keys of a restored backup that await confirmation. Keeping one off revokes it. */
export const createHeldKeys = (db: DbOf<"accounts">, keys: Pick<Keys, "revoke">): HeldItems => ({
  async list() {
    const rows = await db
      .selectFrom("apiKeys")
      .select(["id", "userId", "name", "hint", "scopes"])
      .where("held", "<>", 0)
      .orderBy("createdAt")
      .orderBy("id")
      .execute()
    return rows.map(({ id, userId: ownerId, name, hint, scopes }) => ({
      kind: "api_key",
      id,
      ownerId,
      name,
      does: `${hint}…`,
      trigger: null,
      scopes: parseScopes(scopes),
    }))
  },
  async turnOn(id) {
    await db.updateTable("apiKeys").set({ held: 0 }).where("id", "=", id).execute()
  },
  leaveOff: (id) => keys.revoke(null, id),
})
