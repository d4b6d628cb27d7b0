import type { BoxNews } from "../../../shared/contract/box-news.ts"
import { NotificationDraft } from "../../../shared/contract/notifications.ts"
import type { AlsoWrite } from "../../core/database/database.ts"
import type { EventBus } from "../../core/event-bus.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type {
  DataMove,
  IngestionBatch,
  SystemDraft,
  NewsUpdate,
  RunNews,
  TicketChange,
  TicketRefusal,
  ReasonText,
} from "./system-notifications.ts"

/** Stores and delivers notifications. */
export interface NotificationSender {
  send(userId: string, draft: NotificationDraft, by: { news: BoxNews }, also?: AlsoWrite): Promise<unknown>
  /** Changes the server's own notification with this key. */
  changeSystemNotification(userId: string, dedupeKey: string, change: SystemNotificationChange): Promise<void>
}

/** A change to one of the server's own notifications. */
export interface SystemNotificationChange {
  /** Whether to mark it as read. */
  read: boolean
  replacement?: NewsUpdate
}

export interface SystemSenders extends AsyncDisposable {
  /** Notifies the folder's owner about the result of a batch of files. */
  ingested(batch: IngestionBatch): Promise<void>
  /** Notifies the author of a ticket about a change. */
  ticketChanged(change: TicketChange): Promise<void>
  /** Notifies the author of a report that it can't be sent as it is. */
  ticketRefused(refusal: TicketRefusal): Promise<void>
  /** Notifies a user that their server has changed its tools and was disconnected. */
  integrationChanged(userId: string, server: { key: string; name: string }): Promise<void>
  /** Notifies owners, once for each version, that a newer Casella is available. */
  updateAvailable(version: string): Promise<void>
  /** Notifies an automation's owner about the end of a run; `also` is written in the same transaction. */
  runEnded(run: RunNews, also: AlsoWrite): Promise<void>
  automationOff(userId: string, automation: { id: string; name: string; why: ReasonText }): Promise<void>
  standingAnswerChanged(
    userId: string,
    answerChange: { id: string; name: string; before: string; now: string },
  ): Promise<void>
  /** Notifies owners, once, that parts of the database can't be read any more, and what to do. */
  databaseDamaged(tables: string[]): Promise<void>
  /** Notifies owners that some recently stored data may be missing, because another program changed the database's files. */
  changesMissing(): Promise<void>
  /** Notifies owners that a scheduled backup wasn't made. */
  backupFailed(why: ReasonText): Promise<void>
  /** Notifies owners, once for each restore, that parts of the backup are off until they decide. */
  backupRestored(restoreId: string): Promise<void>
  /** Notifies owners, once for each move, that the data directory has moved. */
  dataMoved(move: DataMove): Promise<void>
}

/** Loads the texts on demand, because most starts don't need them for a long time. */
const words = () => import("./system-notifications.ts")
type Words = Awaited<ReturnType<typeof words>>
type DraftOf = (news: Words) => SystemDraft

/** Sends users the notifications that `system-notifications.ts` has texts for. */
export const createSystemSenders = (
  notifications: NotificationSender,
  bus: EventBus,
  ownerIds: () => Promise<readonly string[]>,
  logger: Logger,
): SystemSenders => new SystemNotifier(notifications, bus, ownerIds, logger)

class SystemNotifier implements SystemSenders {
  readonly #notifications: NotificationSender
  readonly #ownerIds: () => Promise<readonly string[]>
  readonly #logger: Logger
  /** Notifications that are being sent. */
  readonly #pendingNotifications = new Set<Promise<void>>()
  readonly #stops: (() => void)[]

  constructor(
    notifications: NotificationSender,
    bus: EventBus,
    ownerIds: () => Promise<readonly string[]>,
    logger: Logger,
  ) {
    this.#notifications = notifications
    this.#ownerIds = ownerIds
    this.#logger = logger
    this.#stops = this.#subscribe(bus)
  }

  #subscribe(bus: EventBus): (() => void)[] {
    return [
      bus.subscribe(
        "answer.unattended",
        (event) => void this.#notify(event.ownerId, (news) => news.answered(event), event.writeNotified),
      ),
      bus.subscribe(
        "approval.wanted",
        (event) => void this.#notify(event.ownerId, (news) => news.approvalWanted(event)),
      ),
      bus.subscribe("approval.decided", (call) => {
        // An expired call stays unread, because its owner hasn't been informed yet.
        const read = call.outcome !== "expired"
        void this.#markDone(
          call.ownerId,
          (news) => news.approvalKey(call),
          (news) => ({ read, replacement: news.approvalDecided(call) }),
        )
      }),
      bus.subscribe(
        "answer.read",
        ({ ownerId, chatId }) =>
          void this.#markDone(
            ownerId,
            (news) => news.answerKey(chatId),
            () => ({ read: true }),
          ),
      ),
      bus.subscribe(
        "question.held",
        (event) => void this.#notify(event.ownerId, (news) => news.questionHeld(event)),
      ),
      // Only owners manage models.
      bus.subscribe("download.ended", ({ download }) => {
        this.#notifyOwners((news) => news.downloaded(download)).catch((cause: unknown) => {
          this.#logger.warn({ err: cause }, "The end of a download couldn't be announced")
        })
      }),
    ]
  }

  ingested(batch: IngestionBatch): Promise<void> {
    return this.#notify(batch.ownerId, (news) => news.ingested(batch))
  }

  #notify(userId: string, getDraft: DraftOf, also?: AlsoWrite): Promise<void> {
    const pending = this.#say(userId, getDraft, also).finally(() =>
      this.#pendingNotifications.delete(pending),
    )
    this.#pendingNotifications.add(pending)
    return pending
  }

  async #say(userId: string, getDraft: DraftOf, also?: AlsoWrite): Promise<void> {
    const news = await words()
    const { news: pending, ...draft } = getDraft(news)
    try {
      const parsed = NotificationDraft.parse({ ...draft, title: news.shorten(draft.title, 200) })
      await this.#notifications.send(userId, parsed, { news: pending }, also)
    } catch (error) {
      this.#logger.warn({ err: error, dedupeKey: draft.dedupeKey }, "A system notification couldn't be sent")
    }
  }

  ticketChanged(change: TicketChange): Promise<void> {
    return this.#notify(change.ownerId, (news) => news.ticketChanged(change))
  }

  ticketRefused(refusal: TicketRefusal): Promise<void> {
    return this.#notify(refusal.ownerId, (news) => news.ticketRefused(refusal))
  }

  integrationChanged(userId: string, server: { key: string; name: string }): Promise<void> {
    return this.#notify(userId, (news) => news.integrationChanged(server))
  }

  runEnded(run: RunNews, also: AlsoWrite): Promise<void> {
    return this.#notify(run.ownerId, (news) => news.runEnded(run), also)
  }

  automationOff(userId: string, automation: { id: string; name: string; why: ReasonText }): Promise<void> {
    return this.#notify(userId, (news) => news.automationOff(automation))
  }

  standingAnswerChanged(
    userId: string,
    answerChange: { id: string; name: string; before: string; now: string },
  ): Promise<void> {
    return this.#notify(userId, (news) => news.standingAnswerChanged(answerChange))
  }

  updateAvailable(version: string): Promise<void> {
    return this.#notifyOwners((news) => news.updateAvailable(version))
  }

  async #notifyOwners(getDraft: DraftOf): Promise<void> {
    for (const userId of await this.#ownerIds()) await this.#notify(userId, getDraft)
  }

  databaseDamaged(tables: string[]): Promise<void> {
    return this.#notifyOwners((news) => news.databaseDamaged(tables))
  }

  changesMissing(): Promise<void> {
    return this.#notifyOwners((news) => news.changesMissing())
  }

  backupFailed(why: ReasonText): Promise<void> {
    return this.#notifyOwners((news) => news.backupFailed(why))
  }

  backupRestored(restoreId: string): Promise<void> {
    return this.#notifyOwners((news) => news.backupRestored(restoreId))
  }

  dataMoved(move: DataMove): Promise<void> {
    return this.#notifyOwners((news) => news.dataMoved(move))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) stop()
    await Promise.all(this.#pendingNotifications)
  }

  /**
   * Updates the notification of something that was decided or read and needs no more attention. Waits for notifications that are still
   * being sent, because this one may be among them.
   */
  async #markDone(
    ownerId: string,
    getKey: (news: Words) => string,
    getChange: (news: Words) => SystemNotificationChange,
  ): Promise<void> {
    await Promise.all(this.#pendingNotifications)
    const news = await words()
    const [dedupeKey, change] = [getKey(news), getChange(news)]
    await this.#notifications.changeSystemNotification(ownerId, dedupeKey, change).catch((error: unknown) => {
      this.#logger.warn({ err: error, dedupeKey }, "A system notification couldn't be changed")
    })
  }
}
