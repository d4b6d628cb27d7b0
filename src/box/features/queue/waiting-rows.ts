import type { DbOf } from "../../core/database/database.ts"

/** What waits of one person, but for chats that are deleted. */
export const waitingOf = (db: DbOf<"queue">, ownerId: string) =>
  db.selectFrom("queuedQuestions").where("ownerId", "=", ownerId).where("removed", "=", 0)

/** What waits in a chat. */
export const waitingIn = (db: DbOf<"queue">, ownerId: string, chatId: string) =>
  waitingOf(db, ownerId).where("chatId", "=", chatId)

/** A change of what waits in a chat. */
export const changeIn = (db: DbOf<"queue">, ownerId: string, chatId: string) =>
  db
    .updateTable("queuedQuestions")
    .where("ownerId", "=", ownerId)
    .where("chatId", "=", chatId)
    .where("removed", "=", 0)

/** Of what waits in a chat. */
export const deleteIn = (db: DbOf<"queue">, ownerId: string, chatId: string) =>
  db
    .deleteFrom("queuedQuestions")
    .where("ownerId", "=", ownerId)
    .where("chatId", "=", chatId)
    .where("removed", "=", 0)
