import type { api } from "../../../shared/contract/api.ts"
import { ChatId } from "../../../shared/contract/chat.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import type { QueueEntry, QueuePatch, WaitingChat, WaitsFor } from "../../../shared/contract/queue.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { ownTables, type AnyTransaction, type DbOf } from "../../core/database/database.ts"
import type { Push } from "../../core/event-bus.ts"
import type { Caller } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import { readsFolders } from "../../tools/withheld.ts"
import { createAsker, type AskDeps } from "./asker.ts"
import { createQueueStore, askerAfter, maxPreviewLength, type NewQuestion, type Question } from "./store.ts"

/** Questions of deleted chats, hidden while the deletion can be undone. */
export function createHiddenQuestions(db: DbOf<"queue">) {
  const change = (ownerId: string, chatId: string, transaction: AnyTransaction) =>
    ownTables<"queue">(transaction)
      .updateTable("queuedQuestions")
      .where("ownerId", "=", ownerId)
      .where("chatId", "=", chatId)

  return {
    /** Hides the questions of a deleted chat in the same transaction. Returns whether there were any. */
    async hide(ownerId: string, chatId: string, transaction: AnyTransaction): Promise<boolean> {
      const shown = change(ownerId, chatId, transaction).where("removed", "=", 0)
      const { numUpdatedRows } = await shown.set({ removed: 1 }).executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Shows the questions of a restored chat again, on hold until they are resumed. Returns whether there are any. */
    async show(ownerId: string, chatId: string, transaction: AnyTransaction): Promise<boolean> {
      const hidden = change(ownerId, chatId, transaction).where("removed", "=", 1)
      const { numUpdatedRows } = await hidden.set({ removed: 0, stopped: 1 }).executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Permanently removes hidden questions. */
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

export interface QueueDeps extends AskDeps {
  db: DbOf<"queue">
  push: Push
}

/** Queued questions, asked one after the other whether or not anyone is watching. */
export interface Queue extends Disposable {
  list(ownerId: string, chatId: string): Promise<QueueEntry[]>
  /**
   * Returns when the question is asked, or when it is known what it waits for or why it can't be asked. Throws `queue_full`, and the chat's
   * errors for what the question names.
   */
  add(caller: Caller, chatId: string, draft: NewQuestion): Promise<QueueEntry>
  change(caller: Caller, chatId: string, id: string, patch: QueuePatch): Promise<QueueEntry>
  remove(ownerId: string, chatId: string, id: string): Promise<void>
  /** Resumes questions that are on hold because an answer was stopped or a question couldn't be asked. */
  resume(ownerId: string, chatId: string): Promise<QueueEntry[]>
  chats(ownerId: string): Promise<WaitingChat[]>
  /** Called when someone stops the chat's answer: questions that should have followed it stay on hold until they are resumed. */
  stop(ownerId: string, chatId: string): Promise<void>
  /** Hides the queued questions of a chat that is deleted, or shows those of a restored chat on hold, in the same transaction. */
  hide(ownerId: string, chatId: string, transaction: AnyTransaction): Promise<void>
  show(ownerId: string, chatId: string, transaction: AnyTransaction): Promise<void>
  /** Permanently removes questions that were hidden with a chat. */
  clear(ownerId: string, chatId: string): Promise<void>
  /** Starts to ask the questions that were queued when the server stopped. */
  start(): Promise<void>
}

export function createQueue({ db, push, ...deps }: QueueDeps): Queue {
  const { chats, logger } = deps
  const store = createQueueStore(db)
  const hidden = createHiddenQuestions(db)
  const notifyChanged = (ownerId: string, chatId: string) => push([ownerId], { type: "queue", chatId })
  const asker = createAsker(deps, store, notifyChanged)

  async function list(ownerId: string, chatId: string): Promise<QueueEntry[]> {
    const questions = await store.list(ownerId, chatId)
    const first = asker.waitsFor(ownerId, chatId)
    return questions.map((question, index) => present(question, index, index === 0 ? first : "answer"))
  }

  /** Asks the question if possible. Returns the entry in its new state, or as it was asked. */
  async function askIfPossible(question: Question): Promise<QueueEntry> {
    const { caller, chatId } = question
    notifyChanged(caller.userId, chatId)
    await asker.checkQueue(caller.userId, chatId)
    const waiting = (await list(caller.userId, chatId)).find(({ id }) => id === question.id)
    return waiting ?? present(question, 0, null)
  }

  return {
    list,

    async add(caller, chatId, draft) {
      await chats.requireNamed(caller, chatId, draft)
      return askIfPossible(await store.add(caller, chatId, draft))
    },

    async change(caller, chatId, id, patch) {
      const before = (await store.list(caller.userId, chatId)).find((question) => question.id === id)
      if (!before) throw entryNotFound()
      const asker = askerAfter(before, caller, patch)
      const { assistantId = before.assistantId, builtInTools = before.builtInTools } = patch
      await chats.requireNamed(asker, chatId, { ...patch, builtInTools: assistantId ? null : builtInTools })
      const changed = await store.change(caller, chatId, id, patch)
      if (changed === undefined) throw entryNotFound()
      return askIfPossible(changed)
    },

    async remove(ownerId, chatId, id) {
      if (!(await store.remove(ownerId, chatId, id))) throw entryNotFound()
      notifyChanged(ownerId, chatId)
      void asker.checkQueue(ownerId, chatId)
    },

    async resume(ownerId, chatId) {
      if (!(await store.resume(ownerId, chatId))) return []
      await asker.checkQueue(ownerId, chatId)
      notifyChanged(ownerId, chatId)
      return list(ownerId, chatId)
    },

    async chats(ownerId) {
      return (await store.getChats(ownerId)).map(({ chatId, content }) => ({ chatId, content }))
    },

    async stop(ownerId, chatId) {
      if ((await chats.busyWith(ownerId, chatId)) !== "answer") return
      if (!(await store.first(ownerId, chatId))) return // nothing to write, and another program may hold the database
      try {
        await store.stop(ownerId, chatId)
      } catch (error) {
        logger.error({ err: error, chatId }, "A queue continues although its answer was stopped")
      }
      notifyChanged(ownerId, chatId)
    },

    async hide(ownerId, chatId, transaction) {
      if (await hidden.hide(ownerId, chatId, transaction)) notifyChanged(ownerId, chatId)
    },
    async show(ownerId, chatId, transaction) {
      if (await hidden.show(ownerId, chatId, transaction)) notifyChanged(ownerId, chatId)
    },
    clear: hidden.clear,

    start: asker.start,
    [Symbol.dispose]: asker[Symbol.dispose],
  }
}

const entryNotFound = () => new AppError("not_found", sentence("queue.none_such"))

function present(question: Question, index: number, waitsFor: WaitsFor | null): QueueEntry {
  const { id, content, assistantId, modelId, vectorIds, attachments, reading, fileIds, table } = question
  const { includeGenerated, rewrite, filter, builtInTools, stopped, problem, createdAt } = question
  return {
    id,
    position: index + 1,
    state: "waiting",
    waitsFor: stopped || problem !== null ? null : waitsFor,
    stopped,
    problem,
    content,
    assistantId,
    modelId,
    vector: vectorIds,
    attachments,
    reading,
    fileIds,
    includeGenerated,
    rewrite,
    filter,
    table,
    builtInTools,
    createdAt,
  }
}

/** Returns a chat's queued questions without what they name of folders. */
export type HideNamesInQueue = (
  ownerId: string,
  chatId: string,
  entries: readonly QueueEntry[],
) => Promise<QueueEntry[]>

/** @param hideNames for credentials that can't read folders */
export function queueHandlers(queue: Queue, hideNames: HideNamesInQueue): Handlers<typeof api.queue> {
  const shown = async (caller: Caller, chatId: string, entries: QueueEntry[]) =>
    readsFolders(caller) ? entries : hideNames(caller.userId, chatId, entries)
  async function shownEntry(caller: Caller, chatId: string, entry: QueueEntry) {
    const [visible = entry] = await shown(caller, chatId, [entry])
    return visible
  }
  return {
    list: async ({ caller, params: { id } }) => ({
      entries: await shown(caller, id, await queue.list(caller.userId, id)),
    }),
    async add({ caller, params, body, request }) {
      if (!ChatId.safeParse(params.id).success)
        throw invalidField("id", sentence("conversations.id_malformed"))
      const boxAddress = body.boxAddress ?? `http://${request.headers.host ?? "localhost"}`
      const entry = await queue.add(caller, params.id, { ...body, boxAddress })
      return { entry: await shownEntry(caller, params.id, entry) }
    },
    change: async ({ caller, params: { id, entryId }, body }) => ({
      entry: await shownEntry(caller, id, await queue.change(caller, id, entryId, body)),
    }),
    async remove({ caller, params }) {
      await queue.remove(caller.userId, params.id, params.entryId)
      return { success: true, id: params.entryId }
    },
    resume: async ({ caller, params: { id } }) => ({
      entries: await shown(caller, id, await queue.resume(caller.userId, id)),
    }),
    async chats({ caller }) {
      const chats = await queue.chats(caller.userId)
      if (readsFolders(caller)) return { chats }
      for (const chat of chats) {
        const [first] = await shown(
          caller,
          chat.chatId,
          (await queue.list(caller.userId, chat.chatId)).slice(0, 1),
        )
        chat.content = first?.content.slice(0, maxPreviewLength) ?? ""
      }
      return { chats }
    },
  }
}
