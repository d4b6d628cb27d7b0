import type { WaitsFor } from "../../../shared/contract/queue.ts"
import type { EventBus } from "../../core/event-bus.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import { toAppError } from "../../http/error-response.ts"
import { askQuestion, TakenBack, type AskDeps } from "./ask-question.ts"
import type { QueueStore } from "./store.ts"
import type { Question } from "./stored-question.ts"
import { createWaits } from "./waits.ts"

export interface AskerDeps extends AskDeps {
  bus: EventBus
  logger: Logger
  store: QueueStore
  /** Tells the owner's apps that the queue is another one. */
  tell(ownerId: string, chatId: string): void
  /** Calls back when another model answers, or none; returns how to stop listening. */
  onModelReplaced(listener: () => void): () => void
}

/** Looks at what waits whenever something may have let it go, and asks what can be asked. */
export interface Asker extends Disposable {
  /** Looks at a chat; settles once all is asked that can be. */
  look(ownerId: string, chatId: string): Promise<void>
  /** What the first question of a chat waits for. */
  waitsFor(ownerId: string, chatId: string): WaitsFor | null
  /** Looks at all that waits, now and every while. */
  start(): Promise<void>
}

/** How long a question waits for the files of its chat. */
const longestWaitForFilesMs = 15 * 60_000
/** How often all that waits is looked at: whatever should have let something go may have been missed. */
const sweepMs = 60_000

export function createAsker(deps: AskerDeps): Asker {
  const { bus, logger, store, tell } = deps
  const waits = createWaits()
  const lock = createKeyedLock()
  /** Looks that haven't begun yet, by chat. */
  const coming = new Map<string, Promise<void>>()
  let closed = false
  let timer: NodeJS.Timeout | undefined

  function look(ownerId: string, chatId: string): Promise<void> {
    const key = `${ownerId}/${chatId}`
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
    let waitsFor: WaitsFor | "nothing" | null = null
    while (waitsFor === null) {
      const question = await store.first(ownerId, chatId)
      const isKept = !question || question.stopped || question.problem !== null
      waitsFor = isKept ? "nothing" : await ask(question)
      if (waitsFor === null) tell(ownerId, chatId)
    }
    if (waits.note(ownerId, chatId, waitsFor)) tell(ownerId, chatId)
  }

  /** What the question waits for; "nothing" where it doesn't go on by itself, null once it is asked, gone or another one. */
  async function ask(question: Question): Promise<WaitsFor | "nothing" | null> {
    const { caller, chatId } = question
    const waitedLong = () => waits.longerThan(longestWaitForFilesMs, caller.userId, chatId, "files")
    try {
      return await askQuestion(question, waitedLong, deps)
    } catch (error) {
      if (closed) return "nothing"
      return error instanceof TakenBack ? null : waitOrHold(question, error)
    }
  }

  /** What a question waits for that couldn't be asked. Where that can't end by itself its owner is told. */
  async function waitOrHold(question: Question, error: unknown) {
    const { caller, chatId, content } = question
    const problem = toAppError(error, logger).toBody()
    if (problem.code === "chat_busy" || problem.code === "rate_limited") return "answer"
    if (problem.code === "no_model") return "model"
    if (!(await store.hold(question, problem))) return null
    bus.publish("question.held", { ownerId: caller.userId, chatId, content, problem })
    tell(caller.userId, chatId)
    return "nothing"
  }

  async function lookAtAll(): Promise<void> {
    for (const { ownerId, chatId } of await store.chats()) await look(ownerId, chatId)
  }

  function lookAgain(what: WaitsFor): void {
    for (const { ownerId, chatId } of waits.chatsWaitingFor(what)) void look(ownerId, chatId)
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
    look,
    waitsFor: waits.of,

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
