import type { ChatEvent, StreamStatus } from "../../../../shared/contract/chat.ts"
import { newId, timestamp } from "../../../core/ids.ts"

export type RunStatus = Exclude<StreamStatus, "not_found">

/** An event with its SSE id, which is unique over all streams. */
export interface RunEvent {
  id: string
  event: ChatEvent
}

/** One answer on its way: its events so far, those who follow them, and how to stop it. */
export interface Run {
  readonly ownerId: string
  readonly chatId: string
  /** Id of the message that the answer is stored in. */
  readonly messageId: string
  readonly startedAt: string
  readonly lastActivity: string
  readonly status: RunStatus
  /** Someone follows it; of one that ended: did then. */
  readonly attended: boolean
  /** All so far. */
  readonly events: readonly ChatEvent[]
  /** Aborted by `stop`. */
  readonly signal: AbortSignal
  /** Settles once the run is over and stored. */
  readonly ended: Promise<void>
  /** Stopped with the box, so that another one goes on with it. */
  readonly isLeft: boolean
  stop(): void
  leave(): void
  emit(event: ChatEvent): void
  /** Ends the run; nothing may be emitted afterwards. */
  end(status: Exclude<RunStatus, "active">): void
  /**
   * All events after the given one, first those that are there and then live, until the run ends or the signal is
   * aborted. An id of another stream, or none, starts at the first event.
   */
  follow(lastEventId: string | undefined, signal: AbortSignal): AsyncGenerator<RunEvent>
}

export function createRun(ownerId: string, chatId: string, messageId: string): Run {
  // An answer that goes on after an approval is a stream of its own.
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
