import { among } from "../../../core/database/among.ts"
import type { DbOf } from "../../../core/database/database.ts"

/** Returns the titles of those of a user's chats that exist, by ID. */
export type ChatTitles = (ownerId: string, chatIds: readonly string[]) => Promise<ReadonlyMap<string, string>>

export function createChatTitles(db: DbOf<"chat">): ChatTitles {
  return async (ownerId, chatIds) => {
    const rows = await db
      .selectFrom("conversations")
      .select(["id", "title"])
      .where("ownerId", "=", ownerId)
      .where("removed", "=", 0)
      .where("id", "in", among(chatIds))
      .execute()
    return new Map(rows.map(({ id, title }) => [id, title]))
  }
}
