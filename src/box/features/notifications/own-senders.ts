import type { BoxNews } from "../../../shared/contract/box-news.ts"
import { NotificationDraft } from "../../../shared/contract/notifications.ts"
import type { AlsoWrite } from "../../core/database/database.ts"
import type { EventBus } from "../../core/event-bus.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type {
  DataMove,
  IngestionBatch,
  OwnDraft,
  RetoldNews,
  RunNews,
  TicketChange,
  TicketRefusal,
  Told,
} from "./own-news.ts"

export interface OwnSendersDeps {
  bus: EventBus
  ownerIds(): Promise<readonly string[]>
  logger: Logger
  /** Changes the box's own notification with this key. */
  changeOwn(userId: string, dedupeKey: string, change: OwnChange): Promise<void>
  send(userId: string, draft: NotificationDraft, by: { news: BoxNews }, also?: AlsoWrite): Promise<unknown>
}

/** What becomes of something that the box told. */
export interface OwnChange {
  /** Marks it as read. */
  read: boolean
  retold?: RetoldNews
}

export interface OwnSenders extends AsyncDisposable {
  /** Tells the folder's owner what came of a batch of files. */
  ingested(batch: IngestionBatch): Promise<void>
  /** Tells who wrote a ticket what became of it. */
  ticketChanged(change: TicketChange): Promise<void>
  /** Tells who wrote a report that it can't be sent as it is. */
  ticketRefused(refusal: TicketRefusal): Promise<void>
  /** Tells whose server it is that it offers something else now, and was unlinked. */
  integrationChanged(userId: string, server: { key: string; name: string }): Promise<void>
  /** Tells owners, once for each version, that there is a newer Casella. */
  updateAvailable(version: string): Promise<void>
  /** Tells an automation's owner how a run ended; `also` is written with it. */
  runEnded(run: RunNews, also: AlsoWrite): Promise<void>
  automationOff(userId: string, automation: { id: string; name: string; why: Told }): Promise<void>
  standingChanged(
    userId: string,
    standing: { id: string; name: string; before: string; now: string },
  ): Promise<void>
  /** Tells owners, once, that parts of the database can't be read any more, and what to do. */
  databaseDamaged(tables: string[]): Promise<void>
  /** Tells owners that some of what was stored last may be missing, because another program changed the database's files. */
  changesMissing(): Promise<void>
  /** Tells owners that a backup that was planned wasn't made. */
  backupFailed(why: Told): Promise<void>
  /** Notifies owners, once for each restore, that parts of the backup are off until they decide. */
  backupRestored(restoreId: string): Promise<void>
  /** Tells owners, once for each move, that the data directory is elsewhere now. */
  dataMoved(move: DataMove): Promise<void>
}

/** The words, which most starts do without for long. */
const words = () => import("./own-news.ts")
type Words = Awaited<ReturnType<typeof words>>
type DraftOf = (news: Words) => OwnDraft

/** Tells users what `own-news.ts` has words for. */
export function startOwnSenders({ bus, ownerIds, logger, send, changeOwn }: OwnSendersDeps): OwnSenders {
  /** What is being told now. */
  const telling = new Set<Promise<void>>()

  function tell(userId: string, draftOf: DraftOf, also?: AlsoWrite): Promise<void> {
    const told = say(userId, draftOf, also).finally(() => telling.delete(told))
    telling.add(told)
    return told
  }

  async function say(userId: string, draftOf: DraftOf, also?: AlsoWrite): Promise<void> {
    const news = await words()
    const { news: told, ...draft } = draftOf(news)
    try {
      const parsed = NotificationDraft.parse({ ...draft, title: news.shortened(draft.title, 200) })
      await send(userId, parsed, { news: told }, also)
    } catch (error) {
      logger.warn({ err: error, dedupeKey: draft.dedupeKey }, "A notification of the box wasn't sent")
    }
  }

  /** What was decided or read needs nobody's attention any more. It may have been before it was told: that ends first. */
  async function markDone(
    ownerId: string,
    keyOf: (news: Words) => string,
    changeOf: (news: Words) => OwnChange,
  ): Promise<void> {
    await Promise.all(telling)
    const news = await words()
    const [dedupeKey, change] = [keyOf(news), changeOf(news)]
    await changeOwn(ownerId, dedupeKey, change).catch((error: unknown) => {
      logger.warn({ err: error, dedupeKey }, "A notification of the box wasn't changed")
    })
  }

  async function tellOwners(draftOf: DraftOf): Promise<void> {
    for (const userId of await ownerIds()) await tell(userId, draftOf)
  }

  const stops = [
    bus.subscribe(
      "answer.unattended",
      (event) => void tell(event.ownerId, (news) => news.answered(event), event.alsoTold),
    ),
    bus.subscribe(
      "approval.wanted",
      (event) => void tell(event.ownerId, (news) => news.approvalWanted(event)),
    ),
    bus.subscribe("approval.decided", (call) => {
      // Who let its time pass hasn't been told yet: it stays unread.
      const read = call.outcome !== "expired"
      void markDone(
        call.ownerId,
        (news) => news.approvalKey(call),
        (news) => ({ read, retold: news.approvalDecided(call) }),
      )
    }),
    bus.subscribe(
      "answer.read",
      ({ ownerId, chatId }) =>
        void markDone(
          ownerId,
          (news) => news.answerKey(chatId),
          () => ({ read: true }),
        ),
    ),
    bus.subscribe("question.held", (event) => void tell(event.ownerId, (news) => news.questionHeld(event))),
    // Models are the business of a workspace's owners.
    bus.subscribe("download.ended", ({ download }) => {
      tellOwners((news) => news.downloaded(download)).catch((cause: unknown) => {
        logger.warn({ err: cause }, "The end of a download wasn't announced")
      })
    }),
  ]

  return {
    ingested: (batch) => tell(batch.ownerId, (news) => news.ingested(batch)),
    ticketChanged: (change) => tell(change.ownerId, (news) => news.ticketChanged(change)),
    ticketRefused: (refusal) => tell(refusal.ownerId, (news) => news.ticketRefused(refusal)),
    integrationChanged: (userId, server) => tell(userId, (news) => news.integrationChanged(server)),
    runEnded: (run, also) => tell(run.ownerId, (news) => news.runEnded(run), also),
    automationOff: (userId, automation) => tell(userId, (news) => news.automationOff(automation)),
    standingChanged: (userId, standing) => tell(userId, (news) => news.standingChanged(standing)),
    updateAvailable: (version) => tellOwners((news) => news.updateAvailable(version)),
    databaseDamaged: (tables) => tellOwners((news) => news.databaseDamaged(tables)),
    changesMissing: () => tellOwners((news) => news.changesMissing()),
    backupFailed: (why) => tellOwners((news) => news.backupFailed(why)),
    backupRestored: (restoreId) => tellOwners((news) => news.backupRestored(restoreId)),
    dataMoved: (move) => tellOwners((news) => news.dataMoved(move)),
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop()
      await Promise.all(telling)
    },
  }
}
