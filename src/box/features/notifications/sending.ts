import type {
  Category,
  NotificationDraft,
  StoredNotification,
} from "../../../shared/contract/notifications.ts"
import type { SocketMessage } from "../../../shared/contract/socket.ts"
import { choosePresentation } from "../../../shared/presentation.ts"
import type { AlsoWrite } from "../../core/database/database.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import {
  type createFeedReads,
  type createFeedWrites,
  present,
  presentStored,
  toRow,
  type NotificationRow,
  type SentBy,
} from "./feed.ts"

export interface Sent {
  delivered: boolean
  persisted: boolean
  notification: StoredNotification
}

export interface DeliveryDeps {
  logger: Logger
  /** Sends to the user's connected apps and returns how many received it. */
  deliver(userId: string, message: SocketMessage): number
  /** Whether the user has an app open. */
  isConnected(userId: string): boolean
  mutedCategories(userId: string): Promise<readonly Category[]>
  /** Maximum number of rows in one user's feed; 100,000 by default. */
  maxKept?: number
}

interface SendingDeps extends DeliveryDeps {
  reads: ReturnType<typeof createFeedReads>
  writes: ReturnType<typeof createFeedWrites>
  announceCount(userId: string): Promise<void>
}

/** Number of new rows of a user after which the feed's length is checked. */
const trimmedEvery = 200

/** Stores a notification, then notifies connected apps. */
export function createSending(deps: SendingDeps) {
  const { reads, writes, logger, deliver, maxKept = 100_000 } = deps
  const addedSinceTrim = new Map<string, number>()

  /** Keeps a feed from growing without limit. */
  async function countAdded(userId: string): Promise<void> {
    const added = (addedSinceTrim.get(userId) ?? 0) + 1
    addedSinceTrim.set(userId, added % trimmedEvery)
    if (added < trimmedEvery) return
    await writes.trim(userId, maxKept, 2 * trimmedEvery).catch((error: unknown) => {
      logger.warn({ err: error }, "Deleting old notifications failed")
    })
  }

  /** Notifies connected apps of a row. Returns whether an app received it, as far as the sender may know. */
  function announce(row: NotificationRow): boolean {
    if (row.silent === 1) return false
    // Otherwise a sender could find out which categories another user has muted, because only unmuted notifications would be delivered.
    if (row.muted === 1) return isFromAnother(row) && deps.isConnected(row.userId)
    const notification = present(row)
    const message = { type: "notification", notification, present: choosePresentation(notification) } as const
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

  /** Handles a feed that can't be written: connected apps still get the notification, unless this send would have been absorbed. */
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
      const sent = row.question === null ? await sendUnstored(row, resurface) : null // an answer to a question couldn't be stored
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

/** The existing row with the content of a second send with the same key. */
function refresh(existing: NotificationRow, sent: NotificationRow, resurface: boolean): NotificationRow {
  const content = { ...sent, id: existing.id }
  if (resurface) return content
  const read = existing.read | sent.read
  const { notifiedAt, snoozedUntil } = existing
  return { ...content, read, seen: existing.seen | read, notifiedAt, snoozedUntil }
}

const isFromAnother = ({ senderId, userId }: NotificationRow) => senderId !== null && senderId !== userId

/** The stored row as the sender of `sent` may see it, without another user's flags. */
function presentTo(sent: NotificationRow, stored: NotificationRow): StoredNotification {
  if (!isFromAnother(sent)) return presentStored(stored)
  return presentStored({ ...stored, read: sent.read, seen: sent.seen, muted: 0 })
}
