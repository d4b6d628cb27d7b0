import type { DbOf } from "../../../core/database/database.ts"
import { abandonParked } from "./parked-turn-store.ts"

/** Denies pending approvals in a database from a backup, and deletes approvals for whole chats. */
export async function denyRestoredApprovals(db: DbOf<"chat">): Promise<void> {
  const parked = await db.selectFrom("parkedTurns").select(["ownerId", "chatId"]).distinct().execute()
  for (const chat of parked) await db.transaction().execute((transaction) => abandonParked(transaction, chat))
  await db.updateTable("approvals").set({ state: "denied" }).where("state", "=", "waiting").execute()
  await db.deleteFrom("rememberedTools").execute()
}
