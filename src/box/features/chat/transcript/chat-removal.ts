import { sql } from "kysely"
import type { DbOf, TransactionOf } from "../../../core/database/database.ts"
import { packed } from "../../../core/packed.ts"
import { withOwnMerges } from "../../../core/database/text-merges.ts"

/** How chats are deleted: one small write makes a chat gone, so that none is half deleted; its messages go afterwards. */
export interface ChatRemoval extends AsyncDisposable {
  /**
   * Whether there was such a chat. From then on nobody is shown it, and what must be gone as soon as the chat is,
   * `also` writes with it.
   */
  hide(
    ownerId: string,
    chatId: string,
    also: (transaction: TransactionOf<"chat">) => Promise<void>,
  ): Promise<boolean>
  /**
   * Removes what a hidden chat held; nothing where there is none. Its id can be given to another chat afterwards. Ends early
   * when the box does.
   */
  clear(ownerId: string, chatId: string): Promise<void>
  /** Removes what all hidden chats held, such as after a crash. */
  clearAll(): Promise<void>
}

/** What one statement deletes takes a few ms. */
const most = { items: 100, weight: 2 ** 20 }
const messagesPerRead = 500

export function createChatRemoval(db: DbOf<"chat">): ChatRemoval {
  const hidden = () => db.selectFrom("conversations").where("removed", "=", 1)

  /** Some of a hidden chat's messages, with how many bytes each has. */
  const messagesOf = (ownerId: string, chatId: string) =>
    hidden()
      .innerJoin("messages", (join) =>
        join
          .onRef("messages.ownerId", "=", "conversations.ownerId")
          .onRef("messages.conversationId", "=", "conversations.id"),
      )
      .select(["messages.id", sql<number>`octet_length(content) + octet_length(parts)`.as("bytes")])
      .where("conversations.ownerId", "=", ownerId)
      .where("conversations.id", "=", chatId)
      .limit(messagesPerRead)
      .execute()

  let stopped = false
  const clearing = new Set<Promise<void>>()
  async function clear(ownerId: string, chatId: string): Promise<void> {
    const work = remove(ownerId, chatId)
    clearing.add(work)
    await work.finally(() => clearing.delete(work))
  }

  async function remove(ownerId: string, chatId: string): Promise<void> {
    const one = hidden().select("id").where("ownerId", "=", ownerId).where("id", "=", chatId)
    if (!(await one.executeTakeFirst())) return
    await withOwnMerges(db, "messageTexts", async (tidy) => {
      for (let some; (some = await messagesOf(ownerId, chatId)).length > 0;)
        for (const few of packed(some, ({ bytes }) => bytes, most)) {
          if (stopped) return
          const ids = few.map(({ id }) => id)
          await db.deleteFrom("messages").where("id", "in", ids).execute()
          await tidy()
        }
    })
    if (stopped) return
    const emptied = db.deleteFrom("conversations").where("ownerId", "=", ownerId).where("id", "=", chatId)
    await emptied.where("removed", "=", 1).execute()
  }

  return {
    hide: (ownerId, chatId, also) =>
      db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable("conversations")
          .set({ removed: 1 })
          .where("ownerId", "=", ownerId)
          .where("id", "=", chatId)
          .where("removed", "=", 0)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await also(transaction)
        return true
      }),

    clear,

    async clearAll() {
      for (const { ownerId, id } of await hidden().select(["ownerId", "id"]).execute())
        if (!stopped) await clear(ownerId, id)
    },

    async [Symbol.asyncDispose]() {
      stopped = true
      await Promise.allSettled(clearing)
    },
  }
}
