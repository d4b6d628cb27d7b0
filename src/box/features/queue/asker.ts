import type { ChatMessage, ChatRequest } from "../../../shared/contract/chat.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { WaitsFor } from "../../../shared/contract/queue.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AlsoWrite } from "../../core/database/database.ts"
import type { EventBus } from "../../core/event-bus.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import { reachesFolders, type Caller } from "../../http/caller.ts"
import { toAppError } from "../../http/error-response.ts"
import type { QueueStore, Question } from "./store.ts"

/** The parts of the server with which queued questions are asked. */
export interface AskDeps {
  bus: EventBus
  logger: Logger
  /** Chat functions that a queue needs. */
  chats: {
    /** Throws the chat's error for an assistant, folder, project, model, file or tool that would make it refuse the question. */
    requireNamed(
      caller: Caller,
      chatId: string,
      question: Pick<
        ChatRequest,
        "assistantId" | "modelId" | "vector" | "fileIds" | "attachments" | "projectId" | "builtInTools"
      >,
    ): Promise<void>
    /** The reason why a chat is busy; null if it can be asked. */
    busyWith(ownerId: string, chatId: string): Promise<"answer" | "approval" | null>
    /**
     * Asks, and writes `also` in the same transaction as the question. Throws `chat_busy` while an answer is being written, or while calls
     * wait for approval that this question shouldn't deny.
     */
    ask(
      caller: Caller,
      request: ChatRequest,
      inTurn: { also: AlsoWrite; deniesCalls: boolean },
    ): Promise<unknown>
    /** Messages up to and including the given one, or up to the newest; none in a chat that hasn't started. */
    history(ownerId: string, chatId: string, lastId: string | undefined): Promise<ChatMessage[]>
  }
  /**
   * The folder of the chat's attachments, the number of its files, and the number of files that must still be indexed for the question.
   * Images that its model can see needn't be indexed.
   */
  getChatFolder(
    ownerId: string,
    chatId: string,
    question: Pick<Question, "modelId" | "assistantId">,
  ): Promise<{ id: string; files: number; pending: number } | null>
  isRevoked(keyId: string): Promise<boolean>
  /** IDs of disabled users. */
  disabledIds(): Promise<readonly string[]>
  /** Calls the listener when another model answers, or none. Returns a function that stops listening. */
  onModelReplaced(listener: () => void): () => void
}

/** The question was removed or changed while it was being asked. */
class QuestionWithdrawn extends Error {}

/**
 * Asks the question, unless it has to wait. Returns what it waits for, "nothing" if it can't continue by itself, or null if it was asked.
 * `waitedLong` returns whether to ask without files that aren't indexed yet. Throws the chat's errors.
 */
async function askQuestion(
  question: Question,
  waitedLong: () => boolean,
  { chats, ...deps }: AskDeps,
  store: Pick<QueueStore, "take">,
): Promise<WaitsFor | "nothing" | null> {
  const { caller, chatId, now } = question
  const ownerId = caller.userId
  if ((await deps.disabledIds()).includes(ownerId)) return "nothing"
  const busy = await chats.busyWith(ownerId, chatId)
  if (busy === "answer" || (busy === "approval" && !now)) return busy
  if (caller.via === "key" && (await deps.isRevoked(caller.credentialId)))
    throw new AppError("unauthorized", sentence("queue.key_revoked"))
  const own = reachesFolders(caller) ? await deps.getChatFolder(ownerId, chatId, question) : null
  if (own && own.pending > 0 && !now && !waitedLong()) return "files"
  const vector = new Set(question.vectorIds)
  if (own && own.files > 0) vector.add(own.id)
  const request = {
    id: chatId,
    messages: [...(await getHistory(question, chats)), { role: "user" as const, content: question.content }],
    boxAddress: question.boxAddress,
    assistantId: question.assistantId,
    modelId: question.modelId,
    vector: [...vector],
    attachments: question.attachments,
    ...(question.reading !== null && { reading: question.reading }),
    fileIds: question.fileIds,
    includeGenerated: question.includeGenerated,
    rewrite: question.rewrite,
    filter: question.filter,
    table: question.table,
    builtInTools: question.builtInTools,
    projectId: question.projectId,
  }
  await chats.ask(caller, request, {
    deniesCalls: now,
    async also(transaction) {
      if (!(await store.take(question, transaction))) throw new QuestionWithdrawn()
    },
  })
  return null
}

/** If the message was deleted in the meantime, the question follows the newest message. */
async function getHistory(
  { caller, chatId, after }: Question,
  chats: Pick<AskDeps["chats"], "history">,
): Promise<ChatMessage[]> {
  if (after === null) return []
  try {
    return await chats.history(caller.userId, chatId, after)
  } catch (error) {
    if (after === undefined || !(error instanceof AppError && error.code === "not_found")) throw error
    return chats.history(caller.userId, chatId, undefined)
  }
}

interface Wait {
  ownerId: string
  chatId: string
  for: WaitsFor
  /** In the time of `performance.now`. */
  since: number
}

/** The reason why the first question of each chat waits. */
function createWaits() {
  const waits = new Map<string, Wait>()
  const getKey = (ownerId: string, chatId: string) => `${ownerId}/${chatId}`
  const find = (ownerId: string, chatId: string) => waits.get(getKey(ownerId, chatId))

  return {
    of: (ownerId: string, chatId: string): WaitsFor | null => find(ownerId, chatId)?.for ?? null,

    /** Records what the question waits for from now on, "nothing" if it can't continue by itself. Returns whether that has changed. */
    note(ownerId: string, chatId: string, what: WaitsFor | "nothing"): boolean {
      if (what === find(ownerId, chatId)?.for) return false
      if (what === "nothing") waits.delete(getKey(ownerId, chatId))
      else waits.set(getKey(ownerId, chatId), { ownerId, chatId, for: what, since: performance.now() })
      return true
    },

    /** Whether the question has waited for this for more than `ms` milliseconds. */
    longerThan(ms: number, ownerId: string, chatId: string, what: WaitsFor): boolean {
      const wait = find(ownerId, chatId)
      return wait?.for === what && performance.now() - wait.since > ms
    },

    /** Chats whose first question waits for this. */
    chatsWaitingFor: (what: WaitsFor): Pick<Wait, "ownerId" | "chatId">[] =>
      [...waits.values()].filter((wait) => wait.for === what),
  }
}

/** Checks queued questions whenever they may have become ready, and asks those that can be asked. */
export interface Asker extends Disposable {
  /** Checks a chat; resolves when all questions that can be asked were asked. */
  checkQueue(ownerId: string, chatId: string): Promise<void>
  /** Returns the event that the first question of a chat waits for. */
  waitsFor(ownerId: string, chatId: string): WaitsFor | null
  /** Checks all queued questions, now and at intervals. */
  start(): Promise<void>
}

/** Maximum time a question waits for the files of its chat. */
const maxWaitForFilesMs = 15 * 60_000
/** Interval for checking all queued questions, in case an event was missed. */
const sweepMs = 60_000

/** @param notifyChanged notifies the owner's apps that the queue has changed */
export function createAsker(
  deps: AskDeps,
  store: QueueStore,
  notifyChanged: (ownerId: string, chatId: string) => void,
): Asker {
  const { bus, logger } = deps
  const waits = createWaits()
  const lock = createKeyedLock()
  /** Checks that haven't started yet, by chat. */
  const coming = new Map<string, Promise<void>>()
  let closed = false
  let timer: NodeJS.Timeout | undefined

  function checkQueue(ownerId: string, chatId: string): Promise<void> {
    const key = `${ownerId}/${chatId}`
    const known = coming.get(key)
    if (known) return known
    const turn = lock
      .run(key, async () => {
        coming.delete(key)
        if (!closed) await askAll(ownerId, chatId)
      })
      .catch((error: unknown) => logger.error({ err: error, chatId }, "Checking a queue failed"))
    coming.set(key, turn)
    return turn
  }

  async function askAll(ownerId: string, chatId: string): Promise<void> {
    let waitsFor: WaitsFor | "nothing" | null = null
    while (waitsFor === null) {
      const question = await store.first(ownerId, chatId)
      const isBlocked = !question || question.stopped || question.problem !== null
      waitsFor = isBlocked ? "nothing" : await ask(question)
      if (waitsFor === null) notifyChanged(ownerId, chatId)
    }
    if (waits.note(ownerId, chatId, waitsFor)) notifyChanged(ownerId, chatId)
  }

  /** Returns what the question waits for; "nothing" if it can't continue by itself, null if it was asked, is gone or has changed. */
  async function ask(question: Question): Promise<WaitsFor | "nothing" | null> {
    const { caller, chatId } = question
    const waitedLong = () => waits.longerThan(maxWaitForFilesMs, caller.userId, chatId, "files")
    try {
      return await askQuestion(question, waitedLong, deps, store)
    } catch (error) {
      if (closed) return "nothing"
      return error instanceof QuestionWithdrawn ? null : waitOrHold(question, error)
    }
  }

  /** Returns what a question that couldn't be asked waits for. If that can't resolve by itself, its owner is notified. */
  async function waitOrHold(question: Question, error: unknown) {
    const { caller, chatId, content } = question
    const problem = toAppError(error, logger).toBody()
    if (problem.code === "chat_busy" || problem.code === "rate_limited") return "answer"
    if (problem.code === "no_model") return "model"
    if (!(await store.hold(question, problem))) return null
    bus.publish("question.held", { ownerId: caller.userId, chatId, content, problem })
    notifyChanged(caller.userId, chatId)
    return "nothing"
  }

  async function checkAll(): Promise<void> {
    for (const { ownerId, chatId } of await store.chats()) await checkQueue(ownerId, chatId)
  }

  function checkWaiting(what: WaitsFor): void {
    for (const { ownerId, chatId } of waits.chatsWaitingFor(what)) void checkQueue(ownerId, chatId)
  }

  const stops = [
    bus.subscribe("answer.ended", ({ ownerId, chatId }) => {
      void checkQueue(ownerId, chatId)
      checkWaiting("answer") // chats that waited because too many answers were being written
    }),
    bus.subscribe("files.changed", () => checkWaiting("files")),
    deps.onModelReplaced(() => checkWaiting("model")),
  ]

  return {
    checkQueue,
    waitsFor: waits.of,

    async start() {
      timer ??= setInterval(() => {
        checkAll().catch((error: unknown) => logger.error({ err: error }, "Checking queues failed"))
      }, sweepMs)
      timer.unref()
      await checkAll()
    },

    [Symbol.dispose]() {
      closed = true
      clearInterval(timer)
      for (const stop of stops) stop()
    },
  }
}
