import { sql, type SqlBool } from "kysely"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { AlsoWrite, AnyTransaction, DbOf, TransactionOf } from "../../../core/database/database.ts"
import { batchByWeight } from "../../../core/waiting/yield-to-event-loop.ts"
import { withOwnMerges } from "../../../core/database/sql-helpers.ts"

/** Writes that belong to the same transaction as hiding the chats. */
export type WriteWithChats = (transaction: AnyTransaction, chatIds: readonly string[]) => Promise<void>

/** Deletes chats: one small write hides a chat, so that none is ever half deleted. Its messages are deleted afterwards. */
export interface ChatRemoval extends AsyncDisposable {
  /**
   * Hides those of the chats that exist and returns their IDs. From then on neither they nor their content are shown. `also` is written in
   * the same transaction, unless there were none.
   */
  hide(ownerId: string, chatIds: readonly string[], also: WriteWithChats): Promise<string[]>
  /** Restores a hidden chat. `also` is written in the same transaction. */
  show(ownerId: string, chatId: string, also: AlsoWrite): Promise<void>
  /**
   * Permanently deletes the content of a hidden chat, or does nothing if there is none. Its ID can then be reused. Throws if the box stops
   * first.
   */
  clear(ownerId: string, chatId: string): Promise<void>
}

/** Limits the deletions of one statement to a few ms. */
const limits = { items: 100, weight: 2 ** 20 }
const messagesPerRead = 500

export function createChatRemoval(db: DbOf<"chat">): ChatRemoval {
  const hidden = () => db.selectFrom("conversations").where("removed", "=", 1)

  /** Selects some of a hidden chat's messages, with the size of each in bytes. */
  const getMessages = (ownerId: string, chatId: string) =>
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
    await withOwnMerges(db, "messageTexts", async (mergeIndex) => {
      for (let some; (some = await getMessages(ownerId, chatId)).length > 0;)
        for (const few of batchByWeight(some, ({ bytes }) => bytes, limits)) {
          if (stopped) throw new AppError("unavailable", sentence("core.shutting_down"))
          const ids = few.map(({ id }) => id)
          await db.deleteFrom("messages").where("id", "in", ids).execute()
          await mergeIndex()
        }
    })
    const emptied = db.deleteFrom("conversations").where("ownerId", "=", ownerId).where("id", "=", chatId)
    await emptied.where("removed", "=", 1).execute()
  }

  const setRemoved = (transaction: TransactionOf<"chat">, ownerId: string, chatId: string, removed: 0 | 1) =>
    transaction
      .updateTable("conversations")
      .set({ removed })
      .where("ownerId", "=", ownerId)
      .where("id", "=", chatId)
      .where("removed", "=", 1 - removed)
      .executeTakeFirst()

  return {
    hide: (ownerId, chatIds, also) =>
      db.transaction().execute(async (transaction) => {
        const hidden: string[] = []
        for (const chatId of chatIds)
          if ((await setRemoved(transaction, ownerId, chatId, 1)).numUpdatedRows > 0n) hidden.push(chatId)
        if (hidden.length > 0) await also(transaction, hidden)
        return hidden
      }),

    show: (ownerId, chatId, also) =>
      db.transaction().execute(async (transaction) => {
        await also(transaction)
        await setRemoved(transaction, ownerId, chatId, 0)
      }),

    clear,

    async [Symbol.asyncDispose]() {
      stopped = true
      await Promise.allSettled(clearing)
    },
  }
}

/** SQL condition: the row's chat isn't a deleted one that can still be restored. */
export const isOfShownChat = (table: "approvals" | "parkedTurns" | "chatFiles") => sql<SqlBool>`NOT EXISTS (
  SELECT 1 FROM conversations AS chat WHERE chat.removed = 1
  AND chat."ownerId" = ${sql.ref(`${table}.ownerId`)} AND chat.id = ${sql.ref(`${table}.chatId`)})`
