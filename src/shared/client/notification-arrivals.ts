import type { Notification } from "../contract/notifications.ts"
import type { SocketMessage } from "../contract/socket.ts"
import type { SocketState } from "./socket-client.ts"

export interface ArrivalsOptions {
  /** A page of the feed, newest first, as `client.notifications.list` answers it. */
  list(page: { limit: number; offset: number }): Promise<{
    notifications: Notification[]
    pagination: { hasMore: boolean }
  }>
  /** A notification to present; each sending once. */
  onArrival(notification: Notification): void
  /** Catching up failed each time; the next connection tries again. */
  onError(error: unknown): void
  /** Pauses before catching up is tried again. */
  retryPausesMs?: readonly number[]
}

export interface Arrivals {
  /** Both are fed by `connectSocket`. */
  onMessage(message: SocketMessage): void
  onState(state: SocketState): void
}

/** Order of storing and of sending can differ by the time that storing takes: far less than this. */
const overlapMs = 10_000
const pageSize = 100
/** After a longer absence the rest is only history in the bell. */
const mostPages = 10
/** How many known ones are kept before those that no catching up can reach are forgotten. */
const manyKnown = 1_000

/**
 * Tells of each notification that arrives exactly once: live, or read from the feed when it was sent while the
 * connection was cut. What the first look at the feed finds is history, and so is what was read elsewhere meanwhile.
 */
export function createArrivals({
  list,
  onArrival,
  onError,
  retryPausesMs = [1_000, 5_000, 15_000],
}: ArrivalsOptions): Arrivals {
  const known = new Map<string, { notifiedAt: number; presented: boolean }>()
  /** Everything that notified until then is known; null before the first look at the feed. */
  let completeUntil: number | null = null
  let connection = 0
  let caughtUp = false

  function remember({ id, notifiedAt }: Notification, presented: boolean): void {
    known.set(id, { notifiedAt: Date.parse(notifiedAt), presented })
    if (known.size <= manyKnown) return
    for (const [id, entry] of known) if (entry.notifiedAt < reach()) known.delete(id)
  }

  /** How far back catching up has to look. */
  const reach = () => (completeUntil ?? 0) - overlapMs

  function arriveLive(notification: Notification): void {
    const before = known.get(notification.id)
    const notifiedAt = Date.parse(notification.notifiedAt)
    if (before?.presented === true && before.notifiedAt === notifiedAt) return
    if (caughtUp) completeUntil = Math.max(completeUntil ?? 0, notifiedAt)
    remember(notification, true)
    onArrival(notification)
  }

  /** The connection may hold for hours, so a box that was busy for a moment is asked again. */
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
    for (let page = 0; page < mostPages; page++) {
      const { notifications, pagination } = await list({ limit: pageSize, offset: page * pageSize })
      if (current !== connection) return // cut again: the next connection looks anew
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
    caughtUp = true
  }

  return {
    onMessage(message) {
      if (message.type === "notification") arriveLive(message.notification)
    },
    onState(state) {
      if (state === "open") void followFeed()
      else {
        caughtUp = false
        connection++
      }
    },
  }
}
