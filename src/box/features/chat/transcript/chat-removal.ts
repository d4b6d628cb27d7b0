import { sql, type SqlBool } from "kysely"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { AlsoWrite, BegunTransaction, DbOf, TransactionOf } from "../../../core/database/database.ts"
import { packed } from "../../../core/packed.ts"
import { withOwnMerges } from "../../../core/database/text-merges.ts"

/** What is written with the chats that are hidden. */
export type WriteWithChats = (transaction: BegunTransaction, chatIds: readonly string[]) => Promise<void>

/** How chats are deleted: one small write makes a chat gone, so that none is half deleted; its messages go afterwards. */
export interface ChatRemoval extends AsyncDisposable {
  /**
   * Answers those of the chats that there were. From then on nobody is shown them, nor anything of them; `also` is written with
   * all of them, unless there were none.
   */
  hide(ownerId: string, chatIds: readonly string[], also: WriteWithChats): Promise<string[]>
  /** Brings a hidden chat back; `also` is written with it. */
  show(ownerId: string, chatId: string, also: AlsoWrite): Promise<void>
  /**
   * Removes what a hidden chat held; nothing where there is none. Its id can be given to another chat afterwards. Throws
   * when the box ends before.
   */
  clear(ownerId: string, chatId: string): Promise<void>
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
          if (stopped) throw new AppError("unavailable", sentence("core.shutting_down"))
          const ids = few.map(({ id }) => id)
          await db.deleteFrom("messages").where("id", "in", ids).execute()
          await tidy()
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

/** That a row is of no chat that was deleted, which can still be undone. */
export const isOfShownChat = (table: "approvals" | "parkedTurns" | "chatFiles") => sql<SqlBool>`NOT EXISTS (
  SELECT 1 FROM conversations AS chat WHERE chat.removed = 1
  AND chat."ownerId" = ${sql.ref(`${table}.ownerId`)} AND chat.id = ${sql.ref(`${table}.chatId`)})`
