import { setImmediate as nextTurn } from "node:timers/promises"
import { AppError } from "../../../shared/contract/errors.ts"
import type {
  Notification,
  NotificationDraft,
  StoredNotification,
} from "../../../shared/contract/notifications.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { ToldQuestion } from "../../../shared/contract/questions.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { AlsoWrite, DbOf } from "../../core/database/database.ts"
import { timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import {
  createFeedReads,
  type FeedFilter,
  createFeedWrites,
  present,
  presentStored,
  questionText,
  type NotificationRow,
  type SentBy,
  type FeedReads,
  type FeedWrites,
} from "./feed.ts"
import { createSending, type DeliveryDeps, type Sending, type Sent } from "./sending.ts"
import type { NewsUpdate } from "./system-notifications.ts"
import type { SystemNotificationChange } from "./system-senders.ts"

interface NotificationsDeps extends DeliveryDeps {
  db: DbOf<"notifications">
  /** IDs of the workspaces that the user belongs to. */
  getWorkspaces(userId: string): Promise<string[]>
  /** Called when a notification was snoozed. */
  onSnoozed(): void
}

interface FlagChange {
  read?: boolean | undefined
  seen?: boolean | undefined
  snoozedUntil?: string | undefined
  replacement?: NewsUpdate | undefined
}

/** A user's notification feed. Notifications are stored first, then sent to connected apps. */
export interface Notifications {
  /**
   * Sends to the user. The same sender's next notification with the same `dedupeKey` refreshes the row. The result of sending to another
   * user never depends on that user's settings or reading. With a `dedupeKey`, `also` is written in the same transaction.
   * @throws the storage error, if no app received the notification live either.
   */
  send(userId: string, draft: NotificationDraft, by: SentBy, also?: AlsoWrite): Promise<Sent>
  /** The recipient of a draft. Throws `forbidden` unless sender and recipient share the workspace. */
  recipient(senderId: string, draft: NotificationDraft, workspaceId: string | undefined): Promise<string>
  list(
    userId: string,
    page: Page,
    filter: FeedFilter,
  ): Promise<{ notifications: Notification[]; unreadCount: number; pagination: Pagination }>
  unreadCount(userId: string): Promise<number>
  /** Unread notifications of all users. */
  unreadOfAll(): Promise<number>
  /** Counts per category that has notifications, without muted ones. */
  countsByCategory(
    userId: string,
  ): Promise<{ category: Notification["category"]; count: number; unread: number }[]>
  /** Throws `not_found`, also for another user's notification. */
  read(userId: string, id: string): Promise<StoredNotification>
  /** A read notification has also been seen. A snoozed notification is read until its time; changing `read` ends the snooze. */
  update(userId: string, id: string, change: FlagChange): Promise<StoredNotification>
  /** Changes the server's own notification with this key. Does nothing if there is none. */
  changeSystemNotification(userId: string, dedupeKey: string, change: SystemNotificationChange): Promise<void>
  /**
   * Updates the question in the notification with this key, if it exists. Answering also marks it as read. `also` is written in the same
   * transaction.
   */
  updateQuestion(userId: string, dedupeKey: string, question: ToldQuestion, also: AlsoWrite): Promise<void>
  /** Returns how many were unread. */
  markAllRead(userId: string): Promise<number>
  /** Returns how many of them were unseen. */
  markSeen(userId: string, ids: readonly string[]): Promise<number>
  remove(userId: string, id: string): Promise<void>
  /** Sends notifications again that were snoozed until now. */
  wakeSnoozed(): Promise<void>
  /** Whether any user has snoozed a notification. */
  hasSnoozed(): Promise<boolean>
}

/** Number of rows that `markAllRead` changes at a time. Each batch takes a few milliseconds, and other work runs in between. */
const markedAtOnce = 500

export const createNotifications = (deps: NotificationsDeps): Notifications => new NotificationService(deps)

class NotificationService implements Notifications {
  readonly #deps: NotificationsDeps
  readonly #reads: FeedReads
  readonly #writes: FeedWrites
  readonly #sending: Sending

  constructor(deps: NotificationsDeps) {
    this.#deps = deps
    this.#reads = createFeedReads(deps.db)
    this.#writes = createFeedWrites(deps.db)
    this.#sending = createSending({
      ...deps,
      reads: this.#reads,
      writes: this.#writes,
      announceCount: (userId) => this.#announceCount(userId),
    })
  }

  send(userId: string, draft: NotificationDraft, by: SentBy, also?: AlsoWrite): Promise<Sent> {
    return this.#sending.send(userId, draft, by, also)
  }

  async recipient(
    senderId: string,
    { userId }: NotificationDraft,
    workspaceId: string | undefined,
  ): Promise<string> {
    if (userId === undefined || userId === senderId) return senderId
    if (workspaceId === undefined) {
      throw new AppError("forbidden", sentence("notifications.name_workspace"))
    }
    for (const member of [senderId, userId]) {
      if (!(await this.#deps.getWorkspaces(member)).includes(workspaceId)) {
        throw new AppError("forbidden", sentence("notifications.not_both_members"))
      }
    }
    return userId
  }

  async list(userId: string, page: Page, filter: FeedFilter) {
    const { rows, total } = await this.#reads.list(userId, page, filter)
    return {
      notifications: rows.map(present),
      unreadCount: await this.#reads.unreadCount(userId),
      pagination: paginate(total, page, rows.length),
    }
  }

  unreadCount(userId: string): Promise<number> {
    return this.#reads.unreadCount(userId)
  }

  unreadOfAll(): Promise<number> {
    return this.#reads.unreadOfAll()
  }

  countsByCategory(userId: string) {
    return this.#reads.countsByCategory(userId)
  }

  async read(userId: string, id: string): Promise<StoredNotification> {
    return presentStored(found(await this.#reads.find(userId, id)))
  }

  async update(
    userId: string,
    id: string,
    { read, seen, snoozedUntil, replacement }: FlagChange,
  ): Promise<StoredNotification> {
    const until = snoozedUntil === undefined ? undefined : timestamp(Date.parse(snoozedUntil))
    const updated = found(
      await this.#writes.change(
        (rows) => rows.find(userId, id),
        (row) => {
          const isRead = until !== undefined || (read ?? row.read === 1)
          return {
            read: Number(isRead),
            seen: Number(isRead || (seen ?? row.seen === 1)),
            snoozedUntil: until ?? (read === undefined ? row.snoozedUntil : null),
            ...(replacement && {
              news: JSON.stringify(replacement.news),
              description: replacement.description,
            }),
          }
        },
      ),
    )
    this.#deps.deliver(userId, { type: "notification.updated", notification: present(updated) })
    await this.#announceCount(userId)
    if (until !== undefined) this.#deps.onSnoozed()
    return presentStored(updated)
  }

  async #announceCount(userId: string): Promise<void> {
    this.#deps.deliver(userId, { type: "unread", count: await this.#reads.unreadCount(userId) })
  }

  async changeSystemNotification(
    userId: string,
    dedupeKey: string,
    { read, replacement }: SystemNotificationChange,
  ): Promise<void> {
    const row = await this.#reads.findByKey({ userId, senderId: null, dedupeKey })
    if (!row) return
    const marks = read && (row.read === 0 || row.snoozedUntil !== null)
    if (marks || replacement) await this.update(userId, row.id, { ...(marks && { read }), replacement })
  }

  async updateQuestion(
    userId: string,
    dedupeKey: string,
    question: ToldQuestion,
    also: AlsoWrite,
  ): Promise<void> {
    const isRead = question.status === "answered"
    const row = await this.#writes.change(
      (rows) => rows.findByKey({ userId, senderId: null, dedupeKey }),
      () => ({
        question: questionText(question),
        ...(isRead && { read: 1, seen: 1, snoozedUntil: null }),
      }),
      also,
    )
    if (!row) return
    this.#deps.deliver(userId, { type: "notification.updated", notification: present(row) })
    await this.#announceCount(userId)
  }

  async markAllRead(userId: string): Promise<number> {
    const until = (await this.#reads.newest(userId)) ?? "" // not the current time: the clock may have been ahead
    let updated = 0
    for (;;) {
      const marked = await this.#writes.markRead(userId, until, markedAtOnce)
      updated += marked
      if (marked < markedAtOnce) break
      await nextTurn()
    }
    if (updated > 0) await this.#announceCount(userId)
    return updated
  }

  async markSeen(userId: string, ids: readonly string[]): Promise<number> {
    const seen = await this.#writes.markSeen(userId, ids)
    // The number of unread notifications stays the same, so connected apps needn't reload their list.
    for (const row of seen)
      this.#deps.deliver(userId, { type: "notification.updated", notification: present(row) })
    return seen.length
  }

  async remove(userId: string, id: string): Promise<void> {
    if (!(await this.#writes.remove(userId, id))) throw missing()
    this.#deps.deliver(userId, { type: "notification.deleted", id })
    await this.#announceCount(userId)
  }

  hasSnoozed(): Promise<boolean> {
    return this.#reads.hasSnoozed()
  }

  async wakeSnoozed(): Promise<void> {
    const woken = await this.#writes.wake(timestamp(), markedAtOnce)
    for (const row of woken) this.#sending.announce(row)
    for (const userId of new Set(woken.map((row) => row.userId))) await this.#announceCount(userId)
  }
}

const missing = () => new AppError("not_found", sentence("notifications.none_such"))

function found(row: NotificationRow | undefined): NotificationRow {
  if (!row) throw missing()
  return row
}

export interface Snoozing extends Disposable {
  /** Checks for snoozed notifications, now and as long as there are any. */
  start(): Promise<void>
  /** Called when another notification was snoozed. */
  onSnoozed(): void
}

/** Maximum delay of a snoozed notification. Checks are this frequent because clocks are changed and computers sleep. */
const pollIntervalMs = 15_000

/** Sends snoozed notifications again when their time has come. Idle while none is snoozed. */
export function createSnoozing(
  notifications: Pick<Notifications, "wakeSnoozed" | "hasSnoozed">,
  logger: Logger,
): Snoozing {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function wait(): void {
    if (!isClosed) timer ??= setTimeout(() => void wakeDue(), pollIntervalMs).unref()
  }

  async function wakeDue(): Promise<void> {
    timer = undefined
    try {
      await notifications.wakeSnoozed()
      if (await notifications.hasSnoozed()) wait()
    } catch (error) {
      logger.warn({ err: error }, "Sending snoozed notifications again failed")
      wait()
    }
  }

  return {
    start: wakeDue,
    onSnoozed: wait,
    [Symbol.dispose]() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
