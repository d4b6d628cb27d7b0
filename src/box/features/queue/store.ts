import { sql } from "kysely"
import type { ErrorBody } from "../../../shared/contract/errors.ts"
import type { QueuePatch, WaitingChat } from "../../../shared/contract/queue.ts"
import { ownTables, type BegunTransaction, type DbOf } from "../../core/database/database.ts"
import type { Caller } from "../../http/caller.ts"
import { toChanges, toQuestion, toRow, type NewQuestion, type Question } from "./stored-question.ts"

export type QueueStore = ReturnType<typeof createQueueStore>

/** Questions that wait, in the order they came. Everything is one owner's. */
export function createQueueStore(db: DbOf<"queue">) {
  const ofChat = (ownerId: string, chatId: string, from = db) =>
    from
      .selectFrom("queuedQuestions")
      .where("ownerId", "=", ownerId)
      .where("chatId", "=", chatId)
      .where("removed", "=", 0)
  const change = (ownerId: string, chatId: string, from = db, removed: 0 | 1 = 0) =>
    from
      .updateTable("queuedQuestions")
      .where("ownerId", "=", ownerId)
      .where("chatId", "=", chatId)
      .where("removed", "=", removed)
  const remove = (ownerId: string, chatId: string, from: DbOf<"queue">, removed: 0 | 1) =>
    from
      .deleteFrom("queuedQuestions")
      .where("ownerId", "=", ownerId)
      .where("chatId", "=", chatId)
      .where("removed", "=", removed)

  return {
    async list(ownerId: string, chatId: string): Promise<Question[]> {
      const rows = await ofChat(ownerId, chatId).selectAll().orderBy("number").execute()
      return rows.map(toQuestion)
    },

    async first(ownerId: string, chatId: string): Promise<Question | undefined> {
      const row = await ofChat(ownerId, chatId).selectAll().orderBy("number").limit(1).executeTakeFirst()
      return row && toQuestion(row)
    },

    /** Adds a question unless `most` wait already, and lets go what waits; undefined where it wasn't added. */
    add(caller: Caller, chatId: string, draft: NewQuestion, most: number): Promise<Question | undefined> {
      return db.transaction().execute(async (transaction) => {
        const { waiting } = await ofChat(caller.userId, chatId, transaction)
          .select((e) => e.fn.countAll<number>().as("waiting"))
          .executeTakeFirstOrThrow()
        if (waiting >= most) return undefined
        const row = await transaction
          .insertInto("queuedQuestions")
          .values(toRow(caller, chatId, draft))
          .returningAll()
          .executeTakeFirstOrThrow()
        await change(caller.userId, chatId, transaction).set(letGo).execute()
        return toQuestion(row)
      })
    },

    async change(
      caller: Caller,
      chatId: string,
      id: string,
      patch: QueuePatch,
    ): Promise<Question | undefined> {
      const row = await change(caller.userId, chatId)
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
      const taken = remove(ownerId, chatId, ownTables<"queue">(transaction), 0).where("id", "=", id)
      const { numDeletedRows } = await taken.executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** Those of a chat that is deleted, with that write. */
    async hide(ownerId: string, chatId: string, transaction: BegunTransaction): Promise<void> {
      await change(ownerId, chatId, ownTables<"queue">(transaction)).set({ removed: 1 }).execute()
    },

    /** Those of a chat that is brought back: they are kept until they are let go. */
    async show(ownerId: string, chatId: string, transaction: BegunTransaction): Promise<void> {
      const hidden = change(ownerId, chatId, ownTables<"queue">(transaction), 1)
      await hidden.set({ removed: 0, stopped: 1 }).execute()
    },

    /** Removes those for good that were hidden. */
    async clear(ownerId: string, chatId: string): Promise<void> {
      await remove(ownerId, chatId, db, 1).execute()
    },

    /** Keeps all of a chat's questions until they are let go. */
    async stop(ownerId: string, chatId: string): Promise<void> {
      await change(ownerId, chatId).set({ stopped: 1 }).execute()
    },

    async hold(ownerId: string, chatId: string, id: string, problem: ErrorBody): Promise<void> {
      await change(ownerId, chatId)
        .set({ problem: JSON.stringify(problem) })
        .where("id", "=", id)
        .execute()
    },

    /** Lets go what waits; whether anything does. */
    async letGo(ownerId: string, chatId: string): Promise<boolean> {
      const { numUpdatedRows } = await change(ownerId, chatId).set(letGo).executeTakeFirst()
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
