import { sql, type Selectable } from "kysely"
import { z } from "zod"
import { Origin } from "../../../shared/contract/conversations.ts"
import { Scope } from "../../../shared/contract/endpoint.ts"
import { ErrorBody } from "../../../shared/contract/errors.ts"
import type { QueueDraft, QueuePatch, WaitingChat } from "../../../shared/contract/queue.ts"
import { ownTables, type BegunTransaction, type DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { readStored } from "../../core/database/stored-json.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Caller } from "../../http/caller.ts"

type Row = Selectable<TablesOf<"queue">["queuedQuestions"]>

/** Whose rights a question is asked with: those of the credential that it came with. */
const Asker = z.object({
  credentialId: z.string(),
  via: z.enum(["key", "session"]),
  origin: Origin,
  scopes: z.array(Scope).nullable(),
})
const Ids = z.array(z.string())

/** A question as it waits. */
export interface Question {
  id: string
  caller: Caller
  chatId: string
  content: string
  assistantId: string | null
  vectorIds: string[]
  attachments: string[] | null
  /** The message it follows; null: it begins the chat; undefined: whatever is newest by then. */
  after: string | null | undefined
  boxAddress: string
  now: boolean
  stopped: boolean
  problem: ErrorBody | null
  createdAt: string
}

/** Questions that wait, in the order they came. Everything is one owner's. */
export function createQueueStore(db: DbOf<"queue">) {
  const ofChat = (ownerId: string, chatId: string) =>
    db.selectFrom("queuedQuestions").where("ownerId", "=", ownerId).where("chatId", "=", chatId)
  const change = (ownerId: string, chatId: string) =>
    db.updateTable("queuedQuestions").where("ownerId", "=", ownerId).where("chatId", "=", chatId)

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
    add(
      caller: Caller,
      chatId: string,
      draft: QueueDraft & { boxAddress: string },
      most: number,
    ): Promise<Question | undefined> {
      const { userId: ownerId } = caller
      return db.transaction().execute(async (transaction) => {
        const { waiting } = await transaction
          .selectFrom("queuedQuestions")
          .select((e) => e.fn.countAll<number>().as("waiting"))
          .where("ownerId", "=", ownerId)
          .where("chatId", "=", chatId)
          .executeTakeFirstOrThrow()
        if (waiting >= most) return undefined
        const row = await transaction
          .insertInto("queuedQuestions")
          .values({
            id: newId(),
            ownerId,
            chatId,
            content: draft.content,
            assistantId: draft.assistantId ?? null,
            vectorIds: JSON.stringify(draft.vector ?? []),
            attachments: jsonOf(draft.attachments),
            afterId: draft.after === null ? "" : (draft.after ?? null),
            boxAddress: draft.boxAddress,
            asker: askerOf(caller),
            createdAt: timestamp(),
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        await transaction
          .updateTable("queuedQuestions")
          .set(letGo)
          .where("ownerId", "=", ownerId)
          .where("chatId", "=", chatId)
          .execute()
        return toQuestion(row)
      })
    },

    /** Whoever changes a question asks it. */
    async change(
      caller: Caller,
      chatId: string,
      id: string,
      patch: QueuePatch,
    ): Promise<Question | undefined> {
      const { content, assistantId, vector, attachments, now } = patch
      const row = await change(caller.userId, chatId)
        .set({
          asker: askerOf(caller),
          problem: null,
          ...(content !== undefined && { content }),
          ...(assistantId !== undefined && { assistantId }),
          ...(vector !== undefined && { vectorIds: JSON.stringify(vector ?? []) }),
          ...(attachments !== undefined && { attachments: jsonOf(attachments) }),
          ...(now !== undefined && { now: 1 }),
        })
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
        .where("id", "=", id)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    async forget(ownerId: string, chatId: string, transaction: BegunTransaction): Promise<void> {
      await ownTables<"queue">(transaction)
        .deleteFrom("queuedQuestions")
        .where("ownerId", "=", ownerId)
        .where("chatId", "=", chatId)
        .execute()
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
        .groupBy(["ownerId", "chatId"])
        .orderBy("number")
      return (ownerId === undefined ? firsts : firsts.where("ownerId", "=", ownerId)).execute()
    },
  }
}

/** Keeps what waits in a database that comes from a backup: its owner says whether it is still to be asked. */
export async function stopQueues(db: DbOf<"queue">): Promise<void> {
  await db.updateTable("queuedQuestions").set({ stopped: 1 }).execute()
}

const letGo = { stopped: 0, problem: null }
const jsonOf = (ids: string[] | null | undefined) => (ids ? JSON.stringify(ids) : null)

const askerOf = ({ credentialId, via, origin, scopes }: Caller): string =>
  JSON.stringify({ credentialId, via, origin, scopes })

/** Of one whose asker can't be read: it has no rights. */
const nobody: z.infer<typeof Asker> = { credentialId: "", via: "key", origin: "API", scopes: [] }

function toQuestion(row: Row): Question {
  const asker = readStored(Asker, row.asker) ?? nobody
  return {
    id: row.id,
    caller: { userId: row.ownerId, isOwner: false, ...asker }, // chats ask nothing of owners
    chatId: row.chatId,
    content: row.content,
    assistantId: row.assistantId,
    vectorIds: readStored(Ids, row.vectorIds) ?? [],
    attachments: row.attachments === null ? null : (readStored(Ids, row.attachments) ?? null),
    after: row.afterId === null ? undefined : row.afterId || null,
    boxAddress: row.boxAddress,
    now: row.now === 1,
    stopped: row.stopped === 1,
    problem: row.problem === null ? null : (readStored(ErrorBody, row.problem) ?? null),
    createdAt: row.createdAt,
  }
}
