import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { withTimeout } from "../../../core/waiting/time-limit.ts"
import { createRun, type Run } from "./run.ts"

/**
 * Maximum number of active streams per user and in total. Each takes about 0.1 MB. Answers of a local model are also limited by the model's
 * own queue.
 */
const maxPerUser = 32
const maxTotal = 4_000
/** Maximum number of ended streams that can still be replayed. */
const maxHeld = 16
/** Timeout for an answer to end after it was stopped. */
const stopLimitMs = 3_000

/** The running streams, at most one per chat, and the most recently ended ones. */
export interface Runs {
  /** Returns the chat's running stream, or its previous one if it is still held. */
  find(ownerId: string, chatId: string): Run | undefined
  /** Returns the IDs of the user's chats whose stream is running. */
  activeChats(ownerId: string): string[]
  /** Starts a stream. Throws `chat_busy`, `rate_limited` if there are too many, or `unavailable` after `close`. */
  start(ownerId: string, chatId: string, messageId: string): Run
  /** Removes a stream that never started or whose chat is gone. */
  drop(run: Run): void
  /** Stops the chats' streams, then runs the work while no other stream can start in them. */
  runWhileIdle<T>(ownerId: string, chatIds: readonly string[], work: () => Promise<T>): Promise<T>
  /** Stops all streams of these users. */
  stopAll(ownerIds: readonly string[]): void
  /** Whether the box is shutting down. */
  readonly closed: boolean
  /** Stops all streams and lets no other start. With `willResume`, another box resumes them. */
  close(willResume: boolean): Promise<void>
}

export function createRuns(): Runs {
  const running = new Map<string, Run>()
  /** Oldest first. */
  const ended = new Map<string, Run>()
  const reserved = new Set<string>()
  let closed = false
  const getKey = (ownerId: string, chatId: string) => `${ownerId}/${chatId}`
  const active = () => [...running.values()].filter((run) => run.status === "active")

  function requireRoom(ownerId: string): void {
    let [own, all] = [0, 0]
    for (const run of running.values()) {
      if (run.status !== "active") continue
      all++
      if (run.ownerId === ownerId) own++
    }
    if (own < maxPerUser && all < maxTotal) return
    const count = own < maxPerUser ? all : own
    throw new AppError("rate_limited", sentence("chat.too_many_answers", { count }))
  }

  function hold(key: string, run: Run): void {
    if (running.get(key) !== run) return // another run replaced it, or it was dropped
    running.delete(key)
    ended.set(key, run)
    for (const oldest of ended.keys()) {
      if (ended.size <= maxHeld) break
      ended.delete(oldest)
    }
  }

  return {
    get closed() {
      return closed
    },

    find(ownerId, chatId) {
      const key = getKey(ownerId, chatId)
      return running.get(key) ?? ended.get(key)
    },

    activeChats: (ownerId) => active().flatMap((run) => (run.ownerId === ownerId ? [run.chatId] : [])),

    start(ownerId, chatId, messageId) {
      if (closed) throw new AppError("unavailable", sentence("chat.stopping"))
      const key = getKey(ownerId, chatId)
      if (running.get(key)?.status === "active" || reserved.has(key)) {
        throw new AppError("chat_busy", sentence("chat.being_answered"))
      }
      requireRoom(ownerId)
      const run = createRun(ownerId, chatId, messageId)
      ended.delete(key)
      running.set(key, run)
      void run.ended.then(() => hold(key, run))
      return run
    },

    drop(run) {
      const key = getKey(run.ownerId, run.chatId)
      if (running.get(key) === run) running.delete(key)
      if (ended.get(key) === run) ended.delete(key)
    },

    async runWhileIdle(ownerId, chatIds, work) {
      const keys = new Set(chatIds.map((chatId) => getKey(ownerId, chatId)))
      if ([...keys].some((key) => reserved.has(key)))
        throw new AppError("chat_busy", sentence("chat.being_changed"))
      for (const key of keys) reserved.add(key)
      try {
        const own = active().filter((run) => keys.has(getKey(run.ownerId, run.chatId)))
        await Promise.all(own.map(stopAndWait))
        const result = await work()
        for (const key of keys) [running, ended].forEach((runs) => runs.delete(key))
        return result
      } finally {
        for (const key of keys) reserved.delete(key)
      }
    },

    stopAll(ownerIds) {
      for (const run of active()) if (ownerIds.includes(run.ownerId)) run.stop()
    },

    async close(willResume) {
      closed = true
      if (willResume) for (const run of active()) run.leave()
      await Promise.allSettled(active().map(stopAndWait)) // a run that doesn't stop ends with its model
    },
  }
}

/** Stops an answer and waits until it is stored. */
export async function stopAndWait(run: Run): Promise<void> {
  run.stop()
  const late = () => new AppError("unavailable", sentence("chat.does_not_stop"))
  await withTimeout(stopLimitMs, run.ended, late)
}
