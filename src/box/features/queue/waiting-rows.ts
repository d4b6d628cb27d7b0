import type { DbOf } from "../../core/database/database.ts"

/** Queued questions of one person, without those of deleted chats. */
export const listWaiting = (db: DbOf<"queue">, ownerId: string) =>
  db.selectFrom("queuedQuestions").where("ownerId", "=", ownerId).where("removed", "=", 0)

/** Queued questions in a chat. */
export const waitingIn = (db: DbOf<"queue">, ownerId: string, chatId: string) =>
  listWaiting(db, ownerId).where("chatId", "=", chatId)

/** An update of the queued questions in a chat. */
export const changeIn = (db: DbOf<"queue">, ownerId: string, chatId: string) =>
  db
    .updateTable("queuedQuestions")
    .where("ownerId", "=", ownerId)
    .where("chatId", "=", chatId)
    .where("removed", "=", 0)

/** A deletion of queued questions in a chat. */
export const deleteIn = (db: DbOf<"queue">, ownerId: string, chatId: string) =>
  db
    .deleteFrom("queuedQuestions")
    .where("ownerId", "=", ownerId)
    .where("chatId", "=", chatId)
    .where("removed", "=", 0)
