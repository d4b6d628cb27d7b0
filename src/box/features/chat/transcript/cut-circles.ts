import type { DbOf } from "../../../core/database/database.ts"

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
