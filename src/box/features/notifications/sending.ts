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
export class Sending {
  readonly #deps: SendingDeps
  readonly #maxKept: number
  readonly #addedSinceTrim = new Map<string, number>()

  constructor(deps: SendingDeps) {
    this.#deps = deps
    this.#maxKept = deps.maxKept ?? 100_000
  }

  async send(userId: string, draft: NotificationDraft, by: SentBy, also?: AlsoWrite): Promise<Sent> {
    const muted = (await this.#deps.mutedCategories(userId)).includes(draft.category)
    const { resurface } = draft
    const row = toRow(draft, { id: newId(), userId, by, muted, now: timestamp() })
    let outcome: { stored: NotificationRow; existed: boolean }
    try {
      outcome = await this.#persist(row, resurface, also)
    } catch (error) {
      const sent = row.question === null ? await this.#sendUnstored(row, resurface) : null // an answer to a question couldn't be stored
      if (!sent) throw error
      this.#deps.logger.error({ err: error }, "A notification was delivered but could not be stored")
      return sent
    }
    const { stored, existed } = outcome
    if (!existed) await this.#countAdded(userId)
    const absorbed = existed && !resurface
    const delivered = !absorbed && this.announce(stored)
    if (absorbed && stored.muted === 0) {
      this.#deps.deliver(userId, { type: "notification.updated", notification: present(stored) })
    }
    if (existed || stored.muted === 0) await this.#deps.announceCount(userId)
    return { delivered, persisted: true, notification: presentTo(row, stored) }
  }

  async #persist(row: NotificationRow, resurface: boolean, also?: AlsoWrite) {
    const { dedupeKey } = row
    if (dedupeKey !== null) {
      return this.#deps.writes.upsert(
        { ...row, dedupeKey },
        (existing) => refresh(existing, row, resurface),
        also,
      )
    }
    await this.#deps.writes.insert(row)
    return { stored: row, existed: false }
  }

  /** Handles a feed that can't be written: connected apps still get the notification, unless this send would have been absorbed. */
  async #sendUnstored(row: NotificationRow, resurface: boolean): Promise<Sent | null> {
    const { dedupeKey } = row
    const existing = dedupeKey === null ? undefined : await this.#deps.reads.findByKey({ ...row, dedupeKey })
    const unstored = { ...row, id: existing?.id ?? row.id }
    if ((existing && !resurface) || !this.announce(unstored)) return null
    return { delivered: true, persisted: false, notification: presentTo(row, unstored) }
  }

  /** Keeps a feed from growing without limit. */
  async #countAdded(userId: string): Promise<void> {
    const added = (this.#addedSinceTrim.get(userId) ?? 0) + 1
    this.#addedSinceTrim.set(userId, added % trimmedEvery)
    if (added < trimmedEvery) return
    await this.#deps.writes.trim(userId, this.#maxKept, 2 * trimmedEvery).catch((error: unknown) => {
      this.#deps.logger.warn({ err: error }, "Deleting old notifications failed")
    })
  }

  /** Notifies connected apps of a row. Returns whether an app received it, as far as the sender may know. */
  announce(row: NotificationRow): boolean {
    if (row.silent === 1) return false
    // Otherwise a sender could find out which categories another user has muted, because only unmuted notifications would be delivered.
    if (row.muted === 1) return isFromAnother(row) && this.#deps.isConnected(row.userId)
    const notification = present(row)
    const message = { type: "notification", notification, present: choosePresentation(notification) } as const
    return this.#deps.deliver(row.userId, message) > 0
  }
}

export const createSending = (deps: SendingDeps): Sending => new Sending(deps)

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
