import { sql } from "kysely"
import type { ErrorBody } from "../../../shared/contract/errors.ts"
import type { QueuePatch, WaitingChat } from "../../../shared/contract/queue.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import type { Caller } from "../../http/caller.ts"
import { toChanges, toQuestion, toRow, type NewQuestion, type Question } from "./stored-question.ts"
import { requireRoom, requireRoomForText } from "./room.ts"
import { changeIn, deleteIn, waitingIn, listWaiting } from "./waiting-rows.ts"

/** Maximum characters of a question in a preview. */
const maxPreviewLength = 300

export type QueueStore = ReturnType<typeof createQueueStore>

/** Queued questions in order of arrival. Each operation affects one user, except `chats`. */
export function createQueueStore(db: DbOf<"queue">) {
  const selectInOrder = (ownerId: string, chatId: string) =>
    waitingIn(db, ownerId, chatId).selectAll().orderBy("number")

  return {
    async list(ownerId: string, chatId: string): Promise<Question[]> {
      return (await selectInOrder(ownerId, chatId).execute()).map(toQuestion)
    },

    async first(ownerId: string, chatId: string): Promise<Question | undefined> {
      const row = await selectInOrder(ownerId, chatId).limit(1).executeTakeFirst()
      return row && toQuestion(row)
    },

    /** Adds a question and resumes the queue. Throws `queue_full` if too much is queued. */
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

    /** Returns undefined if the question doesn't exist. Throws `queue_full` if its new text is too long. */
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

    /** Returns whether the question existed. */
    async remove(ownerId: string, chatId: string, id: string): Promise<boolean> {
      const { numDeletedRows } = await deleteIn(db, ownerId, chatId).where("id", "=", id).executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** Removes a question in the transaction that asks it. Returns false if it is gone, on hold or has changed since it was read. */
    async take({ caller, chatId, id, revision }: Question, transaction: AnyTransaction): Promise<boolean> {
      const { numDeletedRows } = await deleteIn(ownTables<"queue">(transaction), caller.userId, chatId)
        .where("id", "=", id)
        .where("revision", "=", revision)
        .where("stopped", "=", 0)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** Puts all of a chat's questions on hold until they are resumed. */
    async stop(ownerId: string, chatId: string): Promise<void> {
      await changeIn(db, ownerId, chatId).set({ stopped: 1 }).execute()
    },

    /** Puts a question on hold with the reason why it can't be asked, unless it has changed since it was read. */
    async hold({ caller, chatId, id, revision }: Question, problem: ErrorBody): Promise<boolean> {
      const { numUpdatedRows } = await changeIn(db, caller.userId, chatId)
        .set({ problem: JSON.stringify(problem) })
        .where("id", "=", id)
        .where("revision", "=", revision)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Resumes a chat's queue. Returns whether any question is queued. */
    async letGo(ownerId: string, chatId: string): Promise<boolean> {
      const { numUpdatedRows } = await changeIn(db, ownerId, chatId).set(letGo).executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** A person's chats with queued questions, each with the start of the next question. */
    getChats(ownerId: string): Promise<WaitingChat[]> {
      const first = listWaiting(db, ownerId)
        .select(({ fn }) => fn.min("number").as("number"))
        .groupBy("chatId")
      return listWaiting(db, ownerId)
        .select(["chatId", sql<string>`substr(content, 1, ${maxPreviewLength})`.as("content"), "number"])
        .where("number", "in", first)
        .orderBy("number")
        .execute()
    },

    /** All chats with queued questions. */
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

/** Puts all queues of a database restored from a backup on hold: each owner decides whether the questions are still asked. */
export async function stopQueues(db: DbOf<"queue">): Promise<void> {
  await db.updateTable("queuedQuestions").set({ stopped: 1 }).execute()
}
