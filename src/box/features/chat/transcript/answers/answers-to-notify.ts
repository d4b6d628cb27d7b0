import { ownTables, type AlsoWrite, type DbOf } from "../../../../core/database/database.ts"
import type { BoxEvents } from "../../../../core/event-bus.ts"
import { readParts } from "../message-parts.ts"

/** Returns answers that ended with the box before their owners were notified. */
export async function findAnswersToNotify(
  db: DbOf<"chat">,
): Promise<Omit<BoxEvents["answer.unattended"], "writeNotified">[]> {
  const rows = await db
    .selectFrom("conversations")
    .innerJoin("messages", "messages.id", "conversations.headId")
    .select([
      "conversations.ownerId",
      "conversations.id as chatId",
      "conversations.title",
      "conversations.streamStatus",
      "messages.parts",
    ])
    .where("conversations.untold", "=", 1)
    .where("conversations.removed", "=", 0)
    .execute()
  return rows.map(({ parts, streamStatus, ...chat }) => ({
    ...chat,
    status: streamStatus === "completed" ? ("completed" as const) : ("error" as const),
    coverage: readParts(parts).find((part) => part.type === "coverage"),
  }))
}

/** Marks the notification of an answer's end as sent. */
export const markNotified =
  ({ ownerId, chatId }: { ownerId: string; chatId: string }): AlsoWrite =>
  async (transaction) => {
    await ownTables<"chat">(transaction)
      .updateTable("conversations")
      .set({ untold: 0 })
      .where("ownerId", "=", ownerId)
      .where("id", "=", chatId)
      .execute()
  }
