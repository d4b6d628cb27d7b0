import type { WaitsFor } from "../../../shared/contract/queue.ts"
import type { EventBus } from "../../core/event-bus.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import { toAppError } from "../../http/error-response.ts"
import { askQuestion, QuestionWithdrawn, type AskDeps } from "./ask-question.ts"
import type { QueueStore } from "./store.ts"
import type { Question } from "./stored-question.ts"
import { createWaits } from "./waits.ts"

export interface AskerDeps extends AskDeps {
  bus: EventBus
  logger: Logger
  store: QueueStore
  /** Notifies the owner's apps that the queue has changed. */
  notifyChanged(ownerId: string, chatId: string): void
  /** Calls the listener when another model answers, or none. Returns a function that stops listening. */
  onModelReplaced(listener: () => void): () => void
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

export function createAsker(deps: AskerDeps): Asker {
  const { bus, logger, store, notifyChanged } = deps
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
      return await askQuestion(question, waitedLong, deps)
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
