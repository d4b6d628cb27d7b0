import type { DbOf } from "../../core/database/database.ts"
import { abandonParked } from "./approvals/parked-turns.ts"

/** Denies pending approvals in a database from a backup, and deletes approvals for whole chats. */
export async function denyRestoredApprovals(db: DbOf<"chat">): Promise<void> {
  const parked = await db.selectFrom("parkedTurns").select(["ownerId", "chatId"]).distinct().execute()
  for (const chat of parked) await db.transaction().execute((transaction) => abandonParked(transaction, chat))
  await db.updateTable("approvals").set({ state: "denied" }).where("state", "=", "waiting").execute()
  await db.deleteFrom("rememberedTools").execute()
}

/** Breaks cycles of messages, which would be followed forever: each message must be deeper than its parent. */
export async function cutCircles(db: DbOf<"chat">): Promise<void> {
  await db
    .updateTable("messages")
    .set({ parentId: null })
    .where("parentId", "is not", null)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("messages as parent")
            .select("parent.id")
            .whereRef("parent.id", "=", "messages.parentId")
            .whereRef("parent.depth", "<", "messages.depth"),
        ),
      ),
    )
    .execute()
}
