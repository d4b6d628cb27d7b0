import type { ChatMessage, ChatRequest } from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type {
  QueueDraft,
  QueueEntry,
  QueuePatch,
  WaitingChat,
  WaitsFor,
} from "../../../shared/contract/queue.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AlsoWrite, BegunTransaction, DbOf } from "../../core/database/database.ts"
import type { EventBus } from "../../core/event-bus.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { Push } from "../../core/push.ts"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import { toAppError } from "../../http/error-response.ts"
import { reachesFolders, requireFolderScope, type Caller } from "../../http/caller.ts"
import { createQueueStore, type Question } from "./store.ts"

export interface QueueDeps {
  db: DbOf<"queue">
  bus: EventBus
  push: Push
  logger: Logger
  /** What of chats a queue needs. */
  chats: {
    /** What a chat is busy with; null when it can be asked. */
    busyWith(ownerId: string, chatId: string): Promise<"answer" | "approval" | null>
    /**
     * Asks, writing `also` with the question. Throws `chat_busy` where an answer is being written, or where calls wait for
     * approvals that aren't to be denied by it.
     */
    ask(
      caller: Caller,
      request: ChatRequest,
      inTurn: { also: AlsoWrite; deniesCalls: boolean },
    ): Promise<unknown>
    /** Messages up to and with the given one, or up to the newest; none in a chat that hasn't begun. */
    history(ownerId: string, chatId: string, lastId: string | undefined): Promise<ChatMessage[]>
  }
  /** The folder of the chat's attachments, with how many files it has and how many of them aren't indexed yet. */
  ownFolder(ownerId: string, chatId: string): Promise<{ id: string; files: number; pending: number } | null>
  isRevoked(keyId: string): Promise<boolean>
  /** Calls back when another model answers, or none; returns how to stop listening. */
  onModelReplaced(listener: () => void): () => void
  /** People who may not use the box. */
  disabledIds(): Promise<readonly string[]>
}

/** Questions that wait for their turn, asked one after the other whether anybody looks or not (extensions.md 5). */
export interface Queue extends Disposable {
  list(ownerId: string, chatId: string): Promise<QueueEntry[]>
  /** Answers once the question is asked, or it is known what it waits for or why it can't be asked. Throws `queue_full`, `forbidden`. */
  add(caller: Caller, chatId: string, draft: QueueDraft & { boxAddress: string }): Promise<QueueEntry>
  change(caller: Caller, chatId: string, id: string, patch: QueuePatch): Promise<QueueEntry>
  remove(ownerId: string, chatId: string, id: string): Promise<void>
  /** Lets go what waits since an answer was stopped or a question couldn't be asked. */
  resume(ownerId: string, chatId: string): Promise<QueueEntry[]>
  chats(ownerId: string): Promise<WaitingChat[]>
  /** Somebody stops the chat's answer: what was meant to follow it as a whole waits for a word of theirs. */
  stop(ownerId: string, chatId: string): Promise<void>
  /** Forgets what waits in a chat that is being deleted, with that write. */
  forget(ownerId: string, chatId: string, transaction: BegunTransaction): Promise<void>
  /** Begins to ask what waited when the box ended. */
  start(): Promise<void>
}

/** Questions that one chat may have waiting. */
const mostWaiting = 50
/** How long a question waits for the files of its chat. */
const longestWaitForFilesMs = 15 * 60_000
/** How often all that waits is looked at: whatever should have let something go may have been missed. */
const sweepMs = 60_000

export function createQueue({ db, bus, push, logger, chats, ...deps }: QueueDeps): Queue {
  const store = createQueueStore(db)
  const lock = createKeyedLock()
  /** Looks that haven't begun yet, by chat. */
  const coming = new Map<string, Promise<void>>()
  /** What the first question of a chat waits for, since when. */
  const waits = new Map<string, { ownerId: string; chatId: string; for: WaitsFor; since: number }>()
  let closed = false
  let timer: NodeJS.Timeout | undefined

  const keyOf = (ownerId: string, chatId: string) => `${ownerId}/${chatId}`
  const tell = (ownerId: string, chatId: string) => push([ownerId], { type: "queue", chatId })

  /** Asks what can be asked in a chat now. */
  function look(ownerId: string, chatId: string): Promise<void> {
    const key = keyOf(ownerId, chatId)
    const known = coming.get(key)
    if (known) return known
    const turn = lock
      .run(key, async () => {
        coming.delete(key)
        if (!closed) await askAll(ownerId, chatId)
      })
      .catch((error: unknown) => logger.error({ err: error, chatId }, "A queue wasn't looked at"))
    coming.set(key, turn)
    return turn
  }

  async function askAll(ownerId: string, chatId: string): Promise<void> {
    const key = keyOf(ownerId, chatId)
    let waitsFor: WaitsFor | "nothing" | null = null
    while (waitsFor === null) {
      const question = await store.first(ownerId, chatId)
      const isKept = !question || question.stopped || question.problem !== null
      waitsFor = isKept ? "nothing" : await ask(question)
      if (waitsFor === null) tell(ownerId, chatId)
    }
    const before = waits.get(key)
    if (waitsFor === before?.for) return
    if (waitsFor === "nothing") waits.delete(key)
    else waits.set(key, { ownerId, chatId, for: waitsFor, since: performance.now() })
    tell(ownerId, chatId)
  }

  /** What the question waits for; "nothing" where it doesn't go on by itself, null once it is asked or gone. */
  async function ask(question: Question): Promise<WaitsFor | "nothing" | null> {
    const { id, caller, chatId, now } = question
    const ownerId = caller.userId
    try {
      if ((await deps.disabledIds()).includes(ownerId)) return "nothing"
      const busy = await chats.busyWith(ownerId, chatId)
      if (busy === "answer" || (busy === "approval" && !now)) return busy
      if (caller.via === "key" && (await deps.isRevoked(caller.credentialId)))
        throw new AppError("unauthorized", sentence("queue.key_revoked"))
      const own = reachesFolders(caller) ? await deps.ownFolder(ownerId, chatId) : null
      if (own && own.pending > 0 && !now && !waitedLong(question)) return "files"
      const vector = new Set(question.vectorIds)
      if (own && own.files > 0) vector.add(own.id)
      const request = {
        id: chatId,
        messages: [...(await historyOf(question)), { role: "user" as const, content: question.content }],
        boxAddress: question.boxAddress,
        assistantId: question.assistantId,
        vector: [...vector],
        attachments: question.attachments,
      }
      await chats.ask(caller, request, {
        deniesCalls: now,
        async also(transaction) {
          if (!(await store.take(ownerId, chatId, id, transaction))) throw new TakenBack()
        },
      })
      return null
    } catch (error) {
      if (closed) return "nothing"
      return error instanceof TakenBack ? null : waitOrHold(question, error)
    }
  }

  /** What a question waits for that couldn't be asked. Where that can't end by itself its owner is told. */
  async function waitOrHold({ id, caller, chatId, content }: Question, error: unknown) {
    const problem = toAppError(error, logger).toBody()
    if (problem.code === "chat_busy" || problem.code === "rate_limited") return "answer"
    if (problem.code === "no_model") return "model"
    await store.hold(caller.userId, chatId, id, problem)
    bus.publish("question.held", { ownerId: caller.userId, chatId, content, reason: problem.error })
    tell(caller.userId, chatId)
    return "nothing"
  }

  function waitedLong({ caller, chatId }: Question): boolean {
    const wait = waits.get(keyOf(caller.userId, chatId))
    return wait?.for === "files" && performance.now() - wait.since > longestWaitForFilesMs
  }

  /** A message that is gone since can't be followed: then the question follows what is newest. */
  async function historyOf({ caller, chatId, after }: Question): Promise<ChatMessage[]> {
    if (after === null) return []
    try {
      return await chats.history(caller.userId, chatId, after)
    } catch (error) {
      if (after === undefined || !(error instanceof AppError && error.code === "not_found")) throw error
      return chats.history(caller.userId, chatId, undefined)
    }
  }

  async function list(ownerId: string, chatId: string): Promise<QueueEntry[]> {
    const questions = await store.list(ownerId, chatId)
    const first = waits.get(keyOf(ownerId, chatId))?.for ?? null
    return questions.map((question, index) => present(question, index, index === 0 ? first : "answer"))
  }

  /** Asks it if that can be; the entry as it is then, or as it was asked. */
  async function lookFor(question: Question): Promise<QueueEntry> {
    const { caller, chatId } = question
    tell(caller.userId, chatId)
    await look(caller.userId, chatId)
    const waiting = (await list(caller.userId, chatId)).find(({ id }) => id === question.id)
    return waiting ?? present(question, 0, null)
  }

  async function lookAtAll(): Promise<void> {
    for (const { ownerId, chatId } of await store.chats()) void look(ownerId, chatId)
  }

  function lookAgain(what: WaitsFor): void {
    for (const wait of waits.values()) if (wait.for === what) void look(wait.ownerId, wait.chatId)
  }

  const stops = [
    bus.subscribe("answer.ended", ({ ownerId, chatId }) => {
      void look(ownerId, chatId)
      lookAgain("answer") // where too many were being written
    }),
    bus.subscribe("files.changed", () => lookAgain("files")),
    deps.onModelReplaced(() => lookAgain("model")),
  ]

  return {
    list,

    async add(caller, chatId, draft) {
      requireFolderScope(caller, draft.vector)
      const added = await store.add(caller, chatId, draft, mostWaiting)
      if (added === undefined)
        throw new AppError("queue_full", sentence("queue.full", { count: mostWaiting }))
      return lookFor(added)
    },

    async change(caller, chatId, id, patch) {
      requireFolderScope(caller, patch.vector)
      const changed = await store.change(caller, chatId, id, patch)
      if (changed === undefined) throw noSuchEntry()
      return lookFor(changed)
    },

    async remove(ownerId, chatId, id) {
      if (!(await store.take(ownerId, chatId, id))) throw noSuchEntry()
      tell(ownerId, chatId)
      void look(ownerId, chatId)
    },

    async resume(ownerId, chatId) {
      if (!(await store.letGo(ownerId, chatId))) return []
      await look(ownerId, chatId)
      tell(ownerId, chatId)
      return list(ownerId, chatId)
    },

    async chats(ownerId) {
      return (await store.chats(ownerId)).map(({ chatId, content }) => ({ chatId, content }))
    },

    async stop(ownerId, chatId) {
      if ((await chats.busyWith(ownerId, chatId)) !== "answer") return
      if (!(await store.first(ownerId, chatId))) return // nothing to write: another program may hold the database
      try {
        await store.stop(ownerId, chatId)
      } catch (error) {
        logger.error({ err: error, chatId }, "A queue goes on although its answer was stopped")
      }
      tell(ownerId, chatId)
    },

    forget: (ownerId, chatId, transaction) => store.forget(ownerId, chatId, transaction),

    async start() {
      timer ??= setInterval(() => {
        lookAtAll().catch((error: unknown) => logger.error({ err: error }, "Queues weren't looked at"))
      }, sweepMs)
      timer.unref()
      await lookAtAll()
    },

    [Symbol.dispose]() {
      closed = true
      clearInterval(timer)
      for (const stop of stops) stop()
    },
  }
}

/** The question was removed while it was being asked. */
class TakenBack extends Error {}

const noSuchEntry = () => new AppError("not_found", sentence("queue.none_such"))

function present(question: Question, index: number, waitsFor: WaitsFor | null): QueueEntry {
  const { id, content, assistantId, vectorIds, attachments, stopped, problem, createdAt } = question
  return {
    id,
    position: index + 1,
    state: "waiting",
    waitsFor: stopped || problem !== null ? null : waitsFor,
    stopped,
    problem,
    content,
    assistantId,
    vector: vectorIds,
    attachments,
    createdAt,
  }
}
