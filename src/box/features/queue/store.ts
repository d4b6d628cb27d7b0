import { sql, type Insertable, type Selectable, type UpdateObject } from "kysely"
import { z } from "zod"
import { FactTable, Reading, type Rewrite } from "../../../shared/contract/chat.ts"
import { ErrorBody, AppError } from "../../../shared/contract/errors.ts"
import { FileFilter } from "../../../shared/contract/file-filter.ts"
import type { QueueDraft, QueuePatch, WaitingChat } from "../../../shared/contract/queue.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { type DbOf, ownTables, type AnyTransaction } from "../../core/database/database.ts"
import { readStored, readStoredIds } from "../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { newId, timestamp } from "../../core/ids.ts"
import { type Caller, callerAfterChange, parseCaller, serialiseCaller } from "../../http/caller.ts"

type Table = TablesOf<"queue">["queuedQuestions"]

const Flags = z.record(z.string(), z.boolean())

/** A queued question. */
export interface Question {
  id: string
  caller: Caller
  chatId: string
  content: string
  assistantId: string | null
  modelId: string | null
  vectorIds: string[]
  attachments: string[] | null
  /** Null means that the question's wording decides. */
  reading: Reading | null
  /** The files to use instead of all of its folders; null if none are named. */
  fileIds: string[] | null
  /** Whether it also reads files that a model wrote. */
  includeGenerated: boolean
  rewrite: Rewrite
  /** Narrows the files that are searched and read; null: none. */
  filter: FileFilter | null
  table: FactTable | null
  /** Tools of a chat without an assistant; null if none were named. */
  builtInTools: Record<string, boolean> | null
  /** The project of a chat that this question starts. */
  projectId: string | null
  /** The message it follows. Null: it starts the chat; undefined: it follows the newest message when it is asked. */
  after: string | null | undefined
  boxAddress: string
  now: boolean
  stopped: boolean
  problem: ErrorBody | null
  createdAt: string
  /** Number of changes to the question. */
  revision: number
}

/** A question, and the base URL at which its sender reaches the server. */
export type NewQuestion = QueueDraft & { boxAddress: string }

/** The row of a new question. */
const toRow = (caller: Caller, chatId: string, draft: NewQuestion): Insertable<Table> => ({
  id: newId(),
  ownerId: caller.userId,
  chatId,
  content: draft.content,
  assistantId: draft.assistantId ?? null,
  modelId: draft.modelId ?? null,
  vectorIds: JSON.stringify(draft.vector ?? []),
  attachments: toJson(draft.attachments),
  reading: draft.reading ?? null,
  fileIds: toJson(draft.fileIds),
  includeGenerated: draft.includeGenerated ? 1 : 0,
  rewrite: draft.rewrite ?? "auto",
  filter: toJson(draft.filter),
  factTable: toJson(draft.table),
  builtInTools: toJson(draft.builtInTools),
  projectId: draft.projectId ?? null,
  afterId: draft.after === null ? "" : (draft.after ?? null),
  boxAddress: draft.boxAddress,
  asker: serialiseCaller(caller),
  createdAt: timestamp(),
})

/** The rights of the question after a patch. Asking it now doesn't change them. */
export function askerAfter(
  { caller: asker }: Pick<Question, "caller">,
  editor: Caller,
  patch: QueuePatch,
): Caller {
  const { now: _now, ...changes } = patch
  if (Object.values(changes).every((value) => value === undefined)) return asker
  return callerAfterChange(asker, editor, patch.content !== undefined)
}

/** The columns that a patch changes. It may fix the problem of the question, so that is cleared. */
function toChanges(
  before: Question,
  editor: Caller,
  patch: QueuePatch,
): UpdateObject<TablesOf<"queue">, "queuedQuestions"> {
  const { content, assistantId, modelId, vector, attachments, reading, fileIds, table } = patch
  const { includeGenerated, rewrite, filter, builtInTools, now } = patch
  return {
    revision: sql`revision + 1`,
    asker: serialiseCaller(askerAfter(before, editor, patch)),
    problem: null,
    ...(content !== undefined && { content }),
    ...(assistantId !== undefined && { assistantId }),
    ...(modelId !== undefined && { modelId }),
    ...(vector !== undefined && { vectorIds: JSON.stringify(vector ?? []) }),
    ...(attachments !== undefined && { attachments: toJson(attachments) }),
    ...(reading !== undefined && { reading }),
    ...(fileIds !== undefined && { fileIds: toJson(fileIds) }),
    ...(includeGenerated !== undefined && { includeGenerated: includeGenerated ? 1 : 0 }),
    ...(rewrite !== undefined && { rewrite }),
    ...(filter !== undefined && { filter: toJson(filter) }),
    ...(table !== undefined && { factTable: toJson(table) }),
    ...(builtInTools !== undefined && { builtInTools: toJson(builtInTools) }),
    ...(now !== undefined && { now: 1 }),
  }
}

function toQuestion(row: Selectable<Table>): Question {
  return {
    id: row.id,
    caller: parseCaller(row.ownerId, row.asker),
    chatId: row.chatId,
    content: row.content,
    assistantId: row.assistantId,
    modelId: row.modelId,
    vectorIds: readStoredIds(row.vectorIds),
    attachments: row.attachments === null ? null : readStoredIds(row.attachments),
    reading: Reading.safeParse(row.reading).data ?? null,
    fileIds: row.fileIds === null ? null : readStoredIds(row.fileIds),
    includeGenerated: row.includeGenerated === 1,
    rewrite: row.rewrite,
    filter: row.filter === null ? null : (readStored(FileFilter, row.filter) ?? null),
    table: row.factTable === null ? null : (readStored(FactTable, row.factTable) ?? null),
    builtInTools: row.builtInTools === null ? null : (readStored(Flags, row.builtInTools) ?? null),
    projectId: row.projectId,
    after: row.afterId === null ? undefined : row.afterId || null,
    boxAddress: row.boxAddress,
    now: row.now === 1,
    stopped: row.stopped === 1,
    problem: row.problem === null ? null : (readStored(ErrorBody, row.problem) ?? null),
    createdAt: row.createdAt,
    revision: row.revision,
  }
}

const toJson = (value: string[] | FactTable | FileFilter | Record<string, boolean> | null | undefined) =>
  value ? JSON.stringify(value) : null

/** Queued questions of one person, without those of deleted chats. */
const listWaiting = (db: DbOf<"queue">, ownerId: string) =>
  db.selectFrom("queuedQuestions").where("ownerId", "=", ownerId).where("removed", "=", 0)

/** Queued questions in a chat. */
const waitingIn = (db: DbOf<"queue">, ownerId: string, chatId: string) =>
  listWaiting(db, ownerId).where("chatId", "=", chatId)

/** An update of the queued questions in a chat. */
const changeIn = (db: DbOf<"queue">, ownerId: string, chatId: string) =>
  db
    .updateTable("queuedQuestions")
    .where("ownerId", "=", ownerId)
    .where("chatId", "=", chatId)
    .where("removed", "=", 0)

/** A deletion of queued questions in a chat. */
const deleteIn = (db: DbOf<"queue">, ownerId: string, chatId: string) =>
  db
    .deleteFrom("queuedQuestions")
    .where("ownerId", "=", ownerId)
    .where("chatId", "=", chatId)
    .where("removed", "=", 0)

/** Maximum queued questions per chat and per person, and maximum bytes of all question texts of a person. */
const limits = { perChat: 50, perUser: 2_000, bytesOfPerson: 32 * 2 ** 20 }

/** Throws `queue_full` if a chat or a person already has the maximum number of queued questions. */
async function requireRoom(db: DbOf<"queue">, ownerId: string, chatId: string): Promise<void> {
  const { here, all } = await listWaiting(db, ownerId)
    .select([
      sql<number>`count(*) FILTER (WHERE "chatId" = ${chatId})`.as("here"),
      sql<number>`count(*)`.as("all"),
    ])
    .executeTakeFirstOrThrow()
  if (here >= limits.perChat)
    throw new AppError("queue_full", sentence("queue.full", { count: limits.perChat }))
  if (all >= limits.perUser) throw tooMuch()
}

/**
 * Throws `queue_full` if a text would exceed the limit for all texts of a person, because the server reads them whenever they may be asked.
 * @param id of the question whose text is replaced
 */
async function requireRoomForText(db: DbOf<"queue">, ownerId: string, text: string, id = ""): Promise<void> {
  const { bytes } = await listWaiting(db, ownerId)
    .select(sql<number>`coalesce(sum(octet_length(content)), 0)`.as("bytes"))
    .where("id", "!=", id)
    .executeTakeFirstOrThrow()
  if (bytes + Buffer.byteLength(text) > limits.bytesOfPerson) throw tooMuch()
}

const tooMuch = () => new AppError("queue_full", sentence("queue.too_much"))

/** Maximum characters of a question in a preview. */
export const maxPreviewLength = 300

/** Queued questions in order of arrival. Each operation affects one user, except `chats`. */
export class QueueStore {
  readonly #db: DbOf<"queue">

  constructor(db: DbOf<"queue">) {
    this.#db = db
  }

  async list(ownerId: string, chatId: string): Promise<Question[]> {
    return (await this.#selectInOrder(ownerId, chatId).execute()).map(toQuestion)
  }

  #selectInOrder(ownerId: string, chatId: string) {
    return waitingIn(this.#db, ownerId, chatId).selectAll().orderBy("number")
  }

  async first(ownerId: string, chatId: string): Promise<Question | undefined> {
    const row = await this.#selectInOrder(ownerId, chatId).limit(1).executeTakeFirst()
    return row && toQuestion(row)
  }

  /** Adds a question and resumes the queue. Throws `queue_full` if too much is queued. */
  add(caller: Caller, chatId: string, draft: NewQuestion): Promise<Question> {
    return this.#db.transaction().execute(async (transaction) => {
      await requireRoom(transaction, caller.userId, chatId)
      await requireRoomForText(transaction, caller.userId, draft.content)
      const row = await transaction
        .insertInto("queuedQuestions")
        .values(toRow(caller, chatId, draft))
        .returningAll()
        .executeTakeFirstOrThrow()
      await changeIn(transaction, caller.userId, chatId).set(resumed).execute()
      return toQuestion(row)
    })
  }

  /** Returns undefined if the question doesn't exist. Throws `queue_full` if its new text is too long. */
  change(caller: Caller, chatId: string, id: string, patch: QueuePatch): Promise<Question | undefined> {
    return this.#db.transaction().execute(async (transaction) => {
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
  }

  /** Returns whether the question existed. */
  async remove(ownerId: string, chatId: string, id: string): Promise<boolean> {
    const { numDeletedRows } = await deleteIn(this.#db, ownerId, chatId)
      .where("id", "=", id)
      .executeTakeFirst()
    return numDeletedRows > 0n
  }

  /** Removes a question in the transaction that asks it. Returns false if it is gone, on hold or has changed since it was read. */
  async take({ caller, chatId, id, revision }: Question, transaction: AnyTransaction): Promise<boolean> {
    const { numDeletedRows } = await deleteIn(ownTables<"queue">(transaction), caller.userId, chatId)
      .where("id", "=", id)
      .where("revision", "=", revision)
      .where("stopped", "=", 0)
      .executeTakeFirst()
    return numDeletedRows > 0n
  }

  /** Puts all of a chat's questions on hold until they are resumed. */
  async stop(ownerId: string, chatId: string): Promise<void> {
    await changeIn(this.#db, ownerId, chatId).set({ stopped: 1 }).execute()
  }

  /** Puts a question on hold with the reason why it can't be asked, unless it has changed since it was read. */
  async hold({ caller, chatId, id, revision }: Question, problem: ErrorBody): Promise<boolean> {
    const { numUpdatedRows } = await changeIn(this.#db, caller.userId, chatId)
      .set({ problem: JSON.stringify(problem) })
      .where("id", "=", id)
      .where("revision", "=", revision)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** Resumes a chat's queue. Returns whether any question is queued. */
  async resume(ownerId: string, chatId: string): Promise<boolean> {
    const { numUpdatedRows } = await changeIn(this.#db, ownerId, chatId).set(resumed).executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** A person's chats with queued questions, each with the start of the next question. */
  getChats(ownerId: string): Promise<WaitingChat[]> {
    const first = listWaiting(this.#db, ownerId)
      .select(({ fn }) => fn.min("number").as("number"))
      .groupBy("chatId")
    return listWaiting(this.#db, ownerId)
      .select(["chatId", sql<string>`substr(content, 1, ${maxPreviewLength})`.as("content"), "number"])
      .where("number", "in", first)
      .orderBy("number")
      .execute()
  }

  /** All chats with queued questions. */
  chats(): Promise<{ ownerId: string; chatId: string }[]> {
    return this.#db
      .selectFrom("queuedQuestions")
      .select(["ownerId", "chatId"])
      .where("removed", "=", 0)
      .groupBy(["ownerId", "chatId"])
      .execute()
  }
}

export const createQueueStore = (db: DbOf<"queue">): QueueStore => new QueueStore(db)

const resumed = { stopped: 0, problem: null }

/**
 * Puts all queues of a database restored from a backup on hold: each owner decides whether the questions are still asked. The backup's
 * author may have written the questions and their rights, so the questions have the rights of an unconfirmed key until a user rewrites them.
 */
export async function stopQueues(db: DbOf<"queue">): Promise<void> {
  await db.updateTable("queuedQuestions").set({ stopped: 1 }).execute()
  const query = db.selectFrom("queuedQuestions").select(["number", "ownerId", "asker"])
  const inOrder = query.orderBy("number").limit(stoppedAtOnce)
  let rows = await inOrder.execute()
  while (rows.length > 0) {
    for (const { number, ownerId, asker } of rows) {
      const limited = serialiseCaller({ ...parseCaller(ownerId, asker), isUnconfirmed: true })
      await db.updateTable("queuedQuestions").set({ asker: limited }).where("number", "=", number).execute()
    }
    rows = await inOrder.where("number", ">", rows.at(-1)?.number ?? 0).execute()
  }
}

/** Number of questions whose rights are read at a time. */
const stoppedAtOnce = 500
