import { ownTables, type BegunTransaction, type DbOf } from "../../core/database/database.ts"

/** Questions of chats that are deleted: hidden for as long as that can be undone. */
export function createHiddenQuestions(db: DbOf<"queue">) {
  const change = (ownerId: string, chatId: string, transaction: BegunTransaction) =>
    ownTables<"queue">(transaction)
      .updateTable("queuedQuestions")
      .where("ownerId", "=", ownerId)
      .where("chatId", "=", chatId)

  return {
    /** Those of a chat that is deleted, with that write; whether there are any. */
    async hide(ownerId: string, chatId: string, transaction: BegunTransaction): Promise<boolean> {
      const shown = change(ownerId, chatId, transaction).where("removed", "=", 0)
      const { numUpdatedRows } = await shown.set({ removed: 1 }).executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Those of a chat that is brought back: they are kept until they are let go. Whether there are any. */
    async show(ownerId: string, chatId: string, transaction: BegunTransaction): Promise<boolean> {
      const hidden = change(ownerId, chatId, transaction).where("removed", "=", 1)
      const { numUpdatedRows } = await hidden.set({ removed: 0, stopped: 1 }).executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Removes those for good that were hidden. */
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
