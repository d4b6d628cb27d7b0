import type { Category } from "../../../shared/contract/notification-categories.ts"
import type { NotificationDraft, StoredNotification } from "../../../shared/contract/notifications.ts"
import type { SocketMessage } from "../../../shared/contract/socket.ts"
import { presentationOf } from "../../../shared/presentation.ts"
import type { AlsoWrite } from "../../core/database/database.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { createFeedReads } from "./feed-reads.ts"
import type { createFeedWrites } from "./feed-writes.ts"
import { present, presentStored, toRow, type NotificationRow, type SentBy } from "./row.ts"

export interface Sent {
  delivered: boolean
  persisted: boolean
  notification: StoredNotification
}

export interface DeliveryDeps {
  logger: Logger
  /** Sends to the user's connected apps; answers how many got it. */
  deliver(userId: string, message: SocketMessage): number
  /** Whether the user has an app open. */
  isConnected(userId: string): boolean
  mutedCategories(userId: string): Promise<readonly Category[]>
  /** Rows of one user's feed; 100,000 unless given. */
  mostKept?: number
}

interface SendingDeps extends DeliveryDeps {
  reads: ReturnType<typeof createFeedReads>
  writes: ReturnType<typeof createFeedWrites>
  announceCount(userId: string): Promise<void>
}

/** After so many new rows of a user's it is looked whether the feed is too long. */
const trimmedEvery = 200

/** Stores a notification, then tells connected apps of it. */
export function createSending(deps: SendingDeps) {
  const { reads, writes, logger, deliver, mostKept = 100_000 } = deps
  const addedSinceTrim = new Map<string, number>()

  /** Keeps a feed from growing without end. */
  async function countAdded(userId: string): Promise<void> {
    const added = (addedSinceTrim.get(userId) ?? 0) + 1
    addedSinceTrim.set(userId, added % trimmedEvery)
    if (added < trimmedEvery) return
    await writes.trim(userId, mostKept, 2 * trimmedEvery).catch((error: unknown) => {
      logger.warn({ err: error }, "Old notifications weren't deleted")
    })
  }

  /** Tells connected apps of a row that was sent; answers whether one of them got it, as far as the sender may know. */
  function announce(row: NotificationRow): boolean {
    if (row.silent === 1) return false
    // Otherwise a sender who is told of nothing but loud ones would know which categories somebody else has muted.
    if (row.muted === 1) return isFromAnother(row) && deps.isConnected(row.userId)
    const notification = present(row)
    const message = { type: "notification", notification, present: presentationOf(notification) } as const
    return deliver(row.userId, message) > 0
  }

  async function persist(row: NotificationRow, resurface: boolean, also?: AlsoWrite) {
    const { dedupeKey } = row
    if (dedupeKey !== null) {
      return writes.upsert({ ...row, dedupeKey }, (existing) => refresh(existing, row, resurface), also)
    }
    await writes.insert(row)
    return { stored: row, existed: false }
  }

  /** The feed can't be written: whoever is connected still gets it, unless this send would have been absorbed. */
  async function sendUnstored(row: NotificationRow, resurface: boolean): Promise<Sent | null> {
    const { dedupeKey } = row
    const existing = dedupeKey === null ? undefined : await reads.findByKey({ ...row, dedupeKey })
    const unstored = { ...row, id: existing?.id ?? row.id }
    if ((existing && !resurface) || !announce(unstored)) return null
    return { delivered: true, persisted: false, notification: presentTo(row, unstored) }
  }

  async function send(userId: string, draft: NotificationDraft, by: SentBy, also?: AlsoWrite): Promise<Sent> {
    const muted = (await deps.mutedCategories(userId)).includes(draft.category)
    const { resurface } = draft
    const row = toRow(draft, { id: newId(), userId, by, muted, now: timestamp() })
    let outcome: Awaited<ReturnType<typeof persist>>
    try {
      outcome = await persist(row, resurface, also)
    } catch (error) {
      const sent = row.question === null ? await sendUnstored(row, resurface) : null // an answer couldn't be stored
      if (!sent) throw error
      logger.error({ err: error }, "A notification was delivered but could not be stored")
      return sent
    }
    const { stored, existed } = outcome
    if (!existed) await countAdded(userId)
    const absorbed = existed && !resurface
    const delivered = !absorbed && announce(stored)
    if (absorbed && stored.muted === 0) {
      deliver(userId, { type: "notification.updated", notification: present(stored) })
    }
    if (existed || stored.muted === 0) await deps.announceCount(userId)
    return { delivered, persisted: true, notification: presentTo(row, stored) }
  }

  return { send, announce }
}

/** The row that a second send with the same key makes of the first one's. */
function refresh(existing: NotificationRow, sent: NotificationRow, resurface: boolean): NotificationRow {
  const content = { ...sent, id: existing.id }
  if (resurface) return content
  const read = existing.read | sent.read
  const { notifiedAt, snoozedUntil } = existing
  return { ...content, read, seen: existing.seen | read, notifiedAt, snoozedUntil }
}

const isFromAnother = ({ senderId, userId }: NotificationRow) => senderId !== null && senderId !== userId

/** The stored row as the sender of `sent` may see it: somebody else's flags are theirs alone. */
function presentTo(sent: NotificationRow, stored: NotificationRow): StoredNotification {
  if (!isFromAnother(sent)) return presentStored(stored)
  return presentStored({ ...stored, read: sent.read, seen: sent.seen, muted: 0 })
}
