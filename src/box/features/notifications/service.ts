import { setImmediate as nextTurn } from "node:timers/promises"
import type { Category } from "../../../shared/contract/notification-categories.ts"
import {
  presentationOf,
  type Notification,
  type NotificationDraft,
  type StoredNotification,
} from "../../../shared/contract/notifications.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { SocketMessage } from "../../../shared/contract/socket.ts"
import type { DbOf } from "../../core/database/database.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { createNotificationStore, type FeedFilter } from "./store.ts"
import { present, presentStored, toRow, type NotificationRow, type SentBy } from "./row.ts"

export interface NotificationsDeps {
  db: DbOf<"notifications">
  logger: Logger
  /** Sends to the user's connected apps; answers how many got it. */
  deliver(userId: string, message: SocketMessage): number
  /** Whether the user has an app open. */
  isConnected(userId: string): boolean
  mutedCategories(userId: string): Promise<readonly Category[]>
  /** Ids of the workspaces that the user belongs to. */
  workspacesOf(userId: string): Promise<string[]>
  /** Rows of one user's feed; 100,000 unless given. */
  mostKept?: number
}

export interface Sent {
  delivered: boolean
  persisted: boolean
  notification: StoredNotification
}

/** A user's feed of notifications (interface.md 4.8): written first, then sent to connected apps. */
export interface Notifications {
  /**
   * Sends to the user. The same sender's next one with the same `dedupeKey` refreshes the row. What is sent to somebody
   * else answers as if that person had no settings and had read nothing.
   * @throws what storing failed with, when no app got it live either.
   */
  send(userId: string, draft: NotificationDraft, by: SentBy): Promise<Sent>
  /** Who a draft goes to. Throws `forbidden` unless sender and recipient share the workspace. */
  recipient(senderId: string, draft: NotificationDraft, workspaceId: string | undefined): Promise<string>
  list(
    userId: string,
    page: Page,
    filter: FeedFilter,
  ): Promise<{ notifications: Notification[]; unreadCount: number; pagination: Pagination }>
  unreadCount(userId: string): Promise<number>
  /** Throws `not_found` also for another user's. */
  read(userId: string, id: string): Promise<StoredNotification>
  /** What is read has been seen. */
  update(
    userId: string,
    id: string,
    flags: { read?: boolean | undefined; seen?: boolean | undefined },
  ): Promise<StoredNotification>
  /** Answers how many were unread. */
  markAllRead(userId: string): Promise<number>
  /** Answers how many of them were unseen. */
  markSeen(userId: string, ids: readonly string[]): Promise<number>
  remove(userId: string, id: string): Promise<void>
}

/** Rows that `markAllRead` changes at a time: a few milliseconds, between which others get their turn. */
const markedAtOnce = 500
/** After so many new rows of a user's it is looked whether the feed is too long. */
const trimmedEvery = 200

export function createNotifications(deps: NotificationsDeps): Notifications {
  const { db, logger, deliver } = deps
  const store = createNotificationStore(db)
  const { mostKept = 100_000 } = deps
  const addedSinceTrim = new Map<string, number>()

  /** Keeps a feed from growing without end. */
  async function countAdded(userId: string): Promise<void> {
    const added = (addedSinceTrim.get(userId) ?? 0) + 1
    addedSinceTrim.set(userId, added % trimmedEvery)
    if (added < trimmedEvery) return
    await store.trim(userId, mostKept, 2 * trimmedEvery).catch((error: unknown) => {
      logger.warn({ err: error }, "Old notifications weren't deleted")
    })
  }

  async function announceCount(userId: string): Promise<void> {
    deliver(userId, { type: "unread", count: await store.unreadCount(userId) })
  }

  const isFromAnother = ({ senderId, userId }: NotificationRow) => senderId !== null && senderId !== userId

  /** Tells connected apps of a row that was sent; answers whether one of them got it, as far as the sender may know. */
  function announce(row: NotificationRow): boolean {
    if (row.silent === 1) return false
    // Otherwise a sender who is told of nothing but loud ones would know which categories somebody else has muted.
    if (row.muted === 1) return isFromAnother(row) && deps.isConnected(row.userId)
    const notification = present(row)
    const message = { type: "notification", notification, present: presentationOf(notification) } as const
    return deliver(row.userId, message) > 0
  }

  /** The stored row as the sender of `sent` may see it: somebody else's flags are theirs alone. */
  function presentTo(sent: NotificationRow, stored: NotificationRow): StoredNotification {
    if (!isFromAnother(sent)) return presentStored(stored)
    return presentStored({ ...stored, read: sent.read, seen: sent.seen, muted: 0 })
  }

  async function persist(row: NotificationRow, resurface: boolean) {
    const { dedupeKey } = row
    if (dedupeKey !== null) {
      return store.upsert({ ...row, dedupeKey }, (existing) => refresh(existing, row, resurface))
    }
    await store.insert(row)
    return { stored: row, existed: false }
  }

  /** The feed can't be written: whoever is connected still gets it, unless this send would have been absorbed. */
  async function sendUnstored(row: NotificationRow, resurface: boolean): Promise<Sent | null> {
    const { dedupeKey } = row
    const existing = dedupeKey === null ? undefined : await store.findByKey({ ...row, dedupeKey })
    const unstored = { ...row, id: existing?.id ?? row.id }
    if ((existing && !resurface) || !announce(unstored)) return null
    return { delivered: true, persisted: false, notification: presentTo(row, unstored) }
  }

  return {
    async send(userId, draft, by) {
      const muted = (await deps.mutedCategories(userId)).includes(draft.category)
      const { resurface } = draft
      const row = toRow(draft, { id: newId(), userId, by, muted, now: timestamp() })
      let outcome: Awaited<ReturnType<typeof persist>>
      try {
        outcome = await persist(row, resurface)
      } catch (error) {
        const sent = await sendUnstored(row, resurface)
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
      if (existed || stored.muted === 0) await announceCount(userId)
      return { delivered, persisted: true, notification: presentTo(row, stored) }
    },

    async recipient(senderId, { userId }, workspaceId) {
      if (userId === undefined || userId === senderId) return senderId
      if (workspaceId === undefined) {
        throw new AppError("forbidden", sentence("notifications.name_workspace"))
      }
      for (const member of [senderId, userId]) {
        if (!(await deps.workspacesOf(member)).includes(workspaceId)) {
          throw new AppError("forbidden", sentence("notifications.not_both_members"))
        }
      }
      return userId
    },

    async list(userId, page, filter) {
      const { rows, total } = await store.list(userId, page, filter)
      return {
        notifications: rows.map(present),
        unreadCount: await store.unreadCount(userId),
        pagination: paginate(total, page, rows.length),
      }
    },

    unreadCount: (userId) => store.unreadCount(userId),

    read: async (userId, id) => presentStored(found(await store.find(userId, id))),

    async update(userId, id, { read, seen }) {
      const updated = found(
        await store.changeFlags(userId, id, (row) => {
          const isRead = read ?? row.read === 1
          return { read: Number(isRead), seen: Number(isRead || (seen ?? row.seen === 1)) }
        }),
      )
      deliver(userId, { type: "notification.updated", notification: present(updated) })
      await announceCount(userId)
      return presentStored(updated)
    },

    async markAllRead(userId) {
      const until = (await store.newest(userId)) ?? "" // not the clock's now: it may have been ahead
      let updated = 0
      for (;;) {
        const marked = await store.markRead(userId, until, markedAtOnce)
        updated += marked
        if (marked < markedAtOnce) break
        await nextTurn()
      }
      if (updated > 0) await announceCount(userId)
      return updated
    },

    async markSeen(userId, ids) {
      const seen = await store.markSeen(userId, ids)
      // The count of unread ones is the same: what connected apps list needn't be read anew.
      for (const row of seen) deliver(userId, { type: "notification.updated", notification: present(row) })
      return seen.length
    },

    async remove(userId, id) {
      if (!(await store.remove(userId, id))) throw missing()
      deliver(userId, { type: "notification.deleted", id })
      await announceCount(userId)
    },
  }
}

const missing = () => new AppError("not_found", sentence("notifications.none_such"))

function found(row: NotificationRow | undefined): NotificationRow {
  if (!row) throw missing()
  return row
}

/** The row that a second send with the same key makes of the first one's. */
function refresh(existing: NotificationRow, sent: NotificationRow, resurface: boolean): NotificationRow {
  const content = { ...sent, id: existing.id }
  if (resurface) return content
  const read = existing.read | sent.read
  return { ...content, read, seen: existing.seen | read, notifiedAt: existing.notifiedAt }
}
