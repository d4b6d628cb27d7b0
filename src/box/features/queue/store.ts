import { sql } from "kysely"
import type { ErrorBody } from "../../../shared/contract/errors.ts"
import type { QueuePatch, WaitingChat } from "../../../shared/contract/queue.ts"
import { ownTables, type BegunTransaction, type DbOf } from "../../core/database/database.ts"
import type { Caller } from "../../http/caller.ts"
import { toChanges, toQuestion, toRow, type NewQuestion, type Question } from "./stored-question.ts"

/** What waits in a chat, unless the chat is deleted. */
const waitingIn = (db: DbOf<"queue">, ownerId: string, chatId: string) =>
  db
    .selectFrom("queuedQuestions")
    .where("ownerId", "=", ownerId)
    .where("chatId", "=", chatId)
    .where("removed", "=", 0)

/** A change of what waits in a chat. */
const changeIn = (db: DbOf<"queue">, ownerId: string, chatId: string) =>
  db
    .updateTable("queuedQuestions")
    .where("ownerId", "=", ownerId)
    .where("chatId", "=", chatId)
    .where("removed", "=", 0)

export type QueueStore = ReturnType<typeof createQueueStore>

/** Questions that wait, in the order they came. Everything is one owner's. */
export function createQueueStore(db: DbOf<"queue">) {
  return {
    async list(ownerId: string, chatId: string): Promise<Question[]> {
      const rows = await waitingIn(db, ownerId, chatId).selectAll().orderBy("number").execute()
      return rows.map(toQuestion)
    },

    async first(ownerId: string, chatId: string): Promise<Question | undefined> {
      const row = await waitingIn(db, ownerId, chatId)
        .selectAll()
        .orderBy("number")
        .limit(1)
        .executeTakeFirst()
      return row && toQuestion(row)
    },

    /** Adds a question unless `most` wait already, and lets go what waits; undefined where it wasn't added. */
    add(caller: Caller, chatId: string, draft: NewQuestion, most: number): Promise<Question | undefined> {
      return db.transaction().execute(async (transaction) => {
        const { waiting } = await waitingIn(transaction, caller.userId, chatId)
          .select((e) => e.fn.countAll<number>().as("waiting"))
          .executeTakeFirstOrThrow()
        if (waiting >= most) return undefined
        const row = await transaction
          .insertInto("queuedQuestions")
          .values(toRow(caller, chatId, draft))
          .returningAll()
          .executeTakeFirstOrThrow()
        await changeIn(transaction, caller.userId, chatId).set(letGo).execute()
        return toQuestion(row)
      })
    },

    async change(
      caller: Caller,
      chatId: string,
      id: string,
      patch: QueuePatch,
    ): Promise<Question | undefined> {
      const row = await changeIn(db, caller.userId, chatId)
        .set(toChanges(caller, patch))
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirst()
      return row && toQuestion(row)
    },

    /** Takes a question out, in somebody else's transaction or alone; whether there was one. */
    async take(
      ownerId: string,
      chatId: string,
      id: string,
      transaction: BegunTransaction = db,
    ): Promise<boolean> {
      const { numDeletedRows } = await ownTables<"queue">(transaction)
        .deleteFrom("queuedQuestions")
        .where("ownerId", "=", ownerId)
        .where("chatId", "=", chatId)
        .where("removed", "=", 0)
        .where("id", "=", id)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** Keeps all of a chat's questions until they are let go. */
    async stop(ownerId: string, chatId: string): Promise<void> {
      await changeIn(db, ownerId, chatId).set({ stopped: 1 }).execute()
    },

    async hold(ownerId: string, chatId: string, id: string, problem: ErrorBody): Promise<void> {
      await changeIn(db, ownerId, chatId)
        .set({ problem: JSON.stringify(problem) })
        .where("id", "=", id)
        .execute()
    },

    /** Lets go what waits; whether anything does. */
    async letGo(ownerId: string, chatId: string): Promise<boolean> {
      const { numUpdatedRows } = await changeIn(db, ownerId, chatId).set(letGo).executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Chats in which something waits; of one person, or of all. */
    chats(ownerId?: string): Promise<(WaitingChat & { ownerId: string })[]> {
      // With one `min`, SQLite takes the other columns from the row that it is of.
      const firsts = db
        .selectFrom("queuedQuestions")
        .select(["ownerId", "chatId", "content", sql<number>`min(number)`.as("number")])
        .where("removed", "=", 0)
        .groupBy(["ownerId", "chatId"])
        .orderBy("number")
      return (ownerId === undefined ? firsts : firsts.where("ownerId", "=", ownerId)).execute()
    },
  }
}

const letGo = { stopped: 0, problem: null }

/** Keeps what waits in a database that comes from a backup: its owner says whether it is still to be asked. */
export async function stopQueues(db: DbOf<"queue">): Promise<void> {
  await db.updateTable("queuedQuestions").set({ stopped: 1 }).execute()
}
