import type { ChatEvent, StreamStatus } from "../../../../shared/contract/chat.ts"
import { newId, timestamp } from "../../../core/ids.ts"

export type RunStatus = Exclude<StreamStatus, "not_found">

/** An event with its SSE id, which is unique across all streams. */
export interface RunEvent {
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

export function createRun(ownerId: string, chatId: string, messageId: string): Run {
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
