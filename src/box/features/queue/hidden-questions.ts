import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"

/** Questions of deleted chats, hidden while the deletion can be undone. */
export function createHiddenQuestions(db: DbOf<"queue">) {
  const change = (ownerId: string, chatId: string, transaction: AnyTransaction) =>
    ownTables<"queue">(transaction)
      .updateTable("queuedQuestions")
      .where("ownerId", "=", ownerId)
      .where("chatId", "=", chatId)

  return {
    /** Hides the questions of a deleted chat in the same transaction. Returns whether there were any. */
    async hide(ownerId: string, chatId: string, transaction: AnyTransaction): Promise<boolean> {
      const shown = change(ownerId, chatId, transaction).where("removed", "=", 0)
      const { numUpdatedRows } = await shown.set({ removed: 1 }).executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Shows the questions of a restored chat again, on hold until they are resumed. Returns whether there are any. */
    async show(ownerId: string, chatId: string, transaction: AnyTransaction): Promise<boolean> {
      const hidden = change(ownerId, chatId, transaction).where("removed", "=", 1)
      const { numUpdatedRows } = await hidden.set({ removed: 0, stopped: 1 }).executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Permanently removes hidden questions. */
    async clear(ownerId: string, chatId: string): Promise<void> {
      await db
        .deleteFrom("queuedQuestions")
        .where("ownerId", "=", ownerId)
        .where("chatId", "=", chatId)
        .where("removed", "=", 1)
        .execute()
    },
  }
}
