import { sql } from "kysely"
import type { ErrorBody } from "../../../shared/contract/errors.ts"
import type { QueuePatch, WaitingChat } from "../../../shared/contract/queue.ts"
import { ownTables, type BegunTransaction, type DbOf } from "../../core/database/database.ts"
import type { Caller } from "../../http/caller.ts"
import { toChanges, toQuestion, toRow, type NewQuestion, type Question } from "./stored-question.ts"
import { requireRoom, requireRoomForText } from "./room.ts"
import { changeIn, deleteIn, waitingIn, waitingOf } from "./waiting-rows.ts"

/** Characters of a question that stand for it. */
const longestBeginning = 300

export type QueueStore = ReturnType<typeof createQueueStore>

/** Questions that wait, in the order they came. Everything is one owner's. */
export function createQueueStore(db: DbOf<"queue">) {
  const inOrder = (ownerId: string, chatId: string) =>
    waitingIn(db, ownerId, chatId).selectAll().orderBy("number")

  return {
    async list(ownerId: string, chatId: string): Promise<Question[]> {
      return (await inOrder(ownerId, chatId).execute()).map(toQuestion)
    },

    async first(ownerId: string, chatId: string): Promise<Question | undefined> {
      const row = await inOrder(ownerId, chatId).limit(1).executeTakeFirst()
      return row && toQuestion(row)
    },

    /** Adds a question and lets go what waits. Throws `queue_full` where too much waits. */
    add(caller: Caller, chatId: string, draft: NewQuestion): Promise<Question> {
      return db.transaction().execute(async (transaction) => {
        await requireRoom(transaction, caller.userId, chatId)
        await requireRoomForText(transaction, caller.userId, draft.content)
        const row = await transaction
          .insertInto("queuedQuestions")
          .values(toRow(caller, chatId, draft))
          .returningAll()
          .executeTakeFirstOrThrow()
        await changeIn(transaction, caller.userId, chatId).set(letGo).execute()
        return toQuestion(row)
      })
    },

    /** Undefined where there is none. Throws `queue_full` where its new text is too much. */
    change(caller: Caller, chatId: string, id: string, patch: QueuePatch): Promise<Question | undefined> {
      return db.transaction().execute(async (transaction) => {
        const { userId } = caller
        if (patch.content !== undefined) await requireRoomForText(transaction, userId, patch.content, id)
        const before = await waitingIn(transaction, userId, chatId)
          .selectAll()
          .where("id", "=", id)
          .executeTakeFirst()
        if (!before) return undefined
        const row = await changeIn(transaction, userId, chatId)
          .set(toChanges(toQuestion(before), caller, patch))
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirst()
        return row && toQuestion(row)
      })
    },

    /** Whether there was such a question. */
    async remove(ownerId: string, chatId: string, id: string): Promise<boolean> {
      const { numDeletedRows } = await deleteIn(db, ownerId, chatId).where("id", "=", id).executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** Takes a question out in the transaction that asks it; false where it is gone, kept, or another one since it was read. */
    async take({ caller, chatId, id, revision }: Question, transaction: BegunTransaction): Promise<boolean> {
      const { numDeletedRows } = await deleteIn(ownTables<"queue">(transaction), caller.userId, chatId)
        .where("id", "=", id)
        .where("revision", "=", revision)
        .where("stopped", "=", 0)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** Keeps all of a chat's questions until they are let go. */
    async stop(ownerId: string, chatId: string): Promise<void> {
      await changeIn(db, ownerId, chatId).set({ stopped: 1 }).execute()
    },

    /** Keeps a question with why it can't be asked, unless it is another one since it was read. */
    async hold({ caller, chatId, id, revision }: Question, problem: ErrorBody): Promise<boolean> {
      const { numUpdatedRows } = await changeIn(db, caller.userId, chatId)
        .set({ problem: JSON.stringify(problem) })
        .where("id", "=", id)
        .where("revision", "=", revision)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Lets go what waits; whether anything does. */
    async letGo(ownerId: string, chatId: string): Promise<boolean> {
      const { numUpdatedRows } = await changeIn(db, ownerId, chatId).set(letGo).executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** A person's chats in which something waits, with the beginning of what is asked next. */
    chatsOf(ownerId: string): Promise<WaitingChat[]> {
      const first = waitingOf(db, ownerId)
        .select(({ fn }) => fn.min("number").as("number"))
        .groupBy("chatId")
      return waitingOf(db, ownerId)
        .select(["chatId", sql<string>`substr(content, 1, ${longestBeginning})`.as("content"), "number"])
        .where("number", "in", first)
        .orderBy("number")
        .execute()
    },

    /** All chats in which something waits. */
    chats: (): Promise<{ ownerId: string; chatId: string }[]> =>
      db
        .selectFrom("queuedQuestions")
        .select(["ownerId", "chatId"])
        .where("removed", "=", 0)
        .groupBy(["ownerId", "chatId"])
        .execute(),
  }
}

const letGo = { stopped: 0, problem: null }

/** Keeps what waits in a database that comes from a backup: its owner says whether it is still to be asked. */
export async function stopQueues(db: DbOf<"queue">): Promise<void> {
  await db.updateTable("queuedQuestions").set({ stopped: 1 }).execute()
}
