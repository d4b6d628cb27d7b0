import type { ChatEvent, StreamStatus } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { newId, timestamp } from "../../../core/ids.ts"
import { withTimeout } from "../../../core/waiting/abort-and-timeout.ts"

export type RunStatus = Exclude<StreamStatus, "not_found">

/** An event with its SSE id, which is unique across all streams. */
interface RunEvent {
  id: string
  event: ChatEvent
}

/** An answer being written: its events so far, its followers, and how to stop it. */
export interface Run {
  readonly ownerId: string
  readonly chatId: string
  /** ID of the message that stores the answer. */
  readonly messageId: string
  readonly startedAt: string
  readonly lastActivity: string
  readonly status: RunStatus
  /** Whether someone follows the run or, after it ended, whether someone did at its end. */
  readonly attended: boolean
  /** All events so far. */
  readonly events: readonly ChatEvent[]
  /** Aborted by `stop`. */
  readonly signal: AbortSignal
  /** Settles when the run has ended and is stored. */
  readonly ended: Promise<void>
  /** Whether the run was stopped because the box stops, so that another box resumes it. */
  readonly isLeft: boolean
  stop(): void
  leave(): void
  emit(event: ChatEvent): void
  /** Ends the run. No events may be emitted after that. */
  end(status: Exclude<RunStatus, "active">): void
  /**
   * Yields all events after the given one, first past and then live ones, until the run ends or the signal is aborted. Starts at the first
   * event if the ID is missing or belongs to another stream.
   */
  follow(lastEventId: string | undefined, signal: AbortSignal): AsyncGenerator<RunEvent>
}

function createRun(ownerId: string, chatId: string, messageId: string): Run {
  // An answer that resumes after an approval is a separate stream.
  const streamId = newId()
  const events: ChatEvent[] = []
  const followers = new Set<() => void>()
  const stopping = new AbortController()
  const over = Promise.withResolvers<void>()
  const startedAt = timestamp()
  let lastActivity = startedAt
  let status: RunStatus = "active"
  let attended = false
  let isLeft = false

  const wake = () => followers.forEach((follower) => follower())

  return {
    ownerId,
    chatId,
    messageId,
    startedAt,
    events,
    signal: stopping.signal,
    ended: over.promise,
    get lastActivity() {
      return lastActivity
    },
    get status() {
      return status
    },
    get attended() {
      return status === "active" ? followers.size > 0 : attended
    },
    get isLeft() {
      return isLeft
    },
    stop: () => stopping.abort(),
    leave() {
      isLeft = !stopping.signal.aborted
      stopping.abort()
    },
    emit(event) {
      events.push(event)
      lastActivity = timestamp()
      wake()
    },
    end(final) {
      status = final
      attended = followers.size > 0
      lastActivity = timestamp()
      over.resolve()
      wake()
    },
    async *follow(lastEventId, signal) {
      let resume = () => {}
      const notify = () => resume()
      followers.add(notify)
      signal.addEventListener("abort", notify)
      try {
        for (let next = positionAfter(lastEventId); ;) {
          for (let event; !signal.aborted && (event = events[next]);) {
            next++
            yield { id: `${streamId}.${next}`, event }
          }
          if (status !== "active" || signal.aborted) return
          await new Promise<void>((resolve) => {
            resume = resolve
          })
        }
      } finally {
        followers.delete(notify)
        signal.removeEventListener("abort", notify)
      }
    },
  }

  function positionAfter(lastEventId: string | undefined): number {
    const [stream, position = ""] = (lastEventId ?? "").split(".")
    const next = stream === streamId && /^\d{1,9}$/.test(position) ? Number(position) : 0
    return next <= events.length ? next : 0
  }
}

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
