import type { Notification } from "../contract/notifications.ts"
import type { SocketMessage } from "../contract/socket.ts"
import type { SocketState } from "./socket-client.ts"

export interface ArrivalsOptions {
  /** Returns a page of the feed, newest first, like `client.notifications.list`. */
  list(page: { limit: number; offset: number }): Promise<{
    notifications: Notification[]
    pagination: { hasMore: boolean }
  }>
  /** Called with a notification to present, once each time it is sent. */
  onArrival(notification: Notification): void
  /** Called when all attempts to catch up have failed; the next connection tries again. */
  onError(error: unknown): void
  /** Pauses between attempts to catch up. */
  retryPausesMs?: readonly number[]
}

export interface Arrivals {
  /** Pass both methods to `connectSocket`. */
  onMessage(message: SocketMessage): void
  onState(state: SocketState): void
}

/** Notifications may be stored and sent in different order, by the time that storing takes. This is far longer than that. */
const overlapMs = 10_000
const pageSize = 100
/** After a longer absence, older notifications are only shown in the bell. */
const maxPages = 10
/** Number of known notifications that are kept before the oldest ones, which catching up can't reach, are removed. */
const maxKnown = 1_000

/**
 * Reports each notification that arrives exactly once, either live or from the feed if it was sent while the connection was interrupted.
 * Notifications found on the first read of the feed are history, and so are those read elsewhere in the meantime.
 */
export function createArrivals({
  list,
  onArrival,
  onError,
  retryPausesMs = [1_000, 5_000, 15_000],
}: ArrivalsOptions): Arrivals {
  const known = new Map<string, { notifiedAt: number; presented: boolean }>()
  /** All notifications sent up to this time are known; null before the first read of the feed. */
  let completeUntil: number | null = null
  let connection = 0
  let isCaughtUp = false

  function remember({ id, notifiedAt }: Notification, presented: boolean): void {
    known.set(id, { notifiedAt: Date.parse(notifiedAt), presented })
    if (known.size <= maxKnown) return
    for (const [id, entry] of known) if (entry.notifiedAt < reach()) known.delete(id)
  }

  /** How far back catching up has to look. */
  const reach = () => (completeUntil ?? 0) - overlapMs

  function arriveLive(notification: Notification): void {
    const before = known.get(notification.id)
    const notifiedAt = Date.parse(notification.notifiedAt)
    if (before?.presented === true && before.notifiedAt === notifiedAt) return
    if (isCaughtUp) completeUntil = Math.max(completeUntil ?? 0, notifiedAt)
    remember(notification, true)
    onArrival(notification)
  }

  /** A connection may last for hours, so catching up is retried if the box was briefly busy. */
  async function followFeed(): Promise<void> {
    const current = ++connection
    for (const pause of [...retryPausesMs, null]) {
      try {
        return await catchUp(current)
      } catch (error) {
        if (pause === null) return onError(error)
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
      if (current !== connection) return
    }
  }

  async function catchUp(current: number): Promise<void> {
    const isFirst = completeUntil === null
    const since = reach()
    const missed: Notification[] = []
    for (let page = 0; page < maxPages; page++) {
      const { notifications, pagination } = await list({ limit: pageSize, offset: page * pageSize })
      if (current !== connection) return // interrupted again: the next connection starts over
      missed.push(...notifications.filter(({ notifiedAt }) => Date.parse(notifiedAt) >= since))
      const last = notifications.at(-1)
      if (isFirst || !pagination.hasMore || !last || Date.parse(last.createdAt) < since) break
    }
    for (const notification of missed.reverse()) {
      if (known.get(notification.id)?.notifiedAt === Date.parse(notification.notifiedAt)) continue
      const { read, muted, silent } = notification
      const presented = !isFirst && !read && !muted && !silent
      remember(notification, presented)
      if (presented) onArrival(notification)
    }
    completeUntil = Math.max(completeUntil ?? 0, ...[...known.values()].map(({ notifiedAt }) => notifiedAt))
    isCaughtUp = true
  }

  return {
    onMessage(message) {
      if (message.type === "notification") arriveLive(message.notification)
    },
    onState(state) {
      if (state === "open") void followFeed()
      else {
        isCaughtUp = false
        connection++
      }
    },
  }
}
