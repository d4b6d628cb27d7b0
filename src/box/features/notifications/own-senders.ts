import { folderRoute } from "../../../shared/app-routes.ts"
import type { BoxNews } from "../../../shared/contract/box-news.ts"
import type { ModelDownload } from "../../../shared/contract/model-files.ts"
import { NotificationDraft } from "../../../shared/contract/notifications.ts"
import type { TicketStatus } from "../../../shared/contract/tickets.ts"
import type { BoxEvents, EventBus } from "../../core/event-bus.ts"
import type { Logger } from "../../core/logging/logger.ts"

/** What came of the files that a folder indexed until it had nothing more to do. */
export interface IngestionBatch {
  folderId: string
  folderName: string
  ownerId: string
  indexed: number
  /** Names of the files that failed. */
  failed: string[]
  durationMs: number
}

export interface OwnSendersDeps {
  bus: EventBus
  ownerIds(): Promise<readonly string[]>
  logger: Logger
  send(userId: string, draft: NotificationDraft, by: { news: BoxNews }): Promise<unknown>
}

export interface OwnSenders extends Disposable {
  /** Tells the folder's owner what came of a batch of files. */
  ingested(batch: IngestionBatch): Promise<void>
  /** Tells who wrote a ticket what became of it. */
  ticketChanged(ticket: {
    ownerId: string
    ticketId: string
    title: string
    status: TicketStatus
  }): Promise<void>
  /** Tells who wrote a report that it can't be sent as it is. */
  ticketRefused(ticket: { ownerId: string; id: string; title: string; reason: string }): Promise<void>
  /** Tells whose server it is that it offers something else now, and was unlinked. */
  integrationChanged(userId: string, server: { key: string; name: string }): Promise<void>
  /** Tells owners, once for each version, that there is a newer Casella. */
  updateAvailable(version: string): Promise<void>
  /** Tells owners, once, that parts of the database can't be read any more, and what to do. */
  databaseDamaged(tables: string[]): Promise<void>
  /** Tells owners that some of what was stored last may be missing, because another program changed the database's files. */
  changesMissing(): Promise<void>
  /** Tells owners, once for each move, that the data directory is elsewhere now. */
  dataMoved(move: { id: string; from: string; to: string }): Promise<void>
}

type OwnDraft = Partial<NotificationDraft> & { news: BoxNews; title: string }

/** A shorter batch that went well is only a row in the bell, read already: who saves a file doesn't want to hear of it each time. */
const longBatchMs = 30_000
const namedFailures = 3

const ticketNews: Record<TicketStatus, string> = {
  OPEN: "Your support ticket is open again",
  IN_PROGRESS: "Support works on your ticket",
  RESOLVED: "Your support ticket is resolved",
  CLOSED: "Your support ticket is closed",
}

/** What the box itself tells its users, each kind with its category, its route, and one row that is refreshed. */
export function startOwnSenders({ bus, ownerIds, logger, send }: OwnSendersDeps): OwnSenders {
  async function tell(userId: string, { news, ...draft }: OwnDraft): Promise<void> {
    try {
      await send(userId, NotificationDraft.parse({ ...draft, title: shortened(draft.title, 200) }), { news })
    } catch (error) {
      logger.warn({ err: error, dedupeKey: draft.dedupeKey }, "A notification of the box wasn't sent")
    }
  }

  function answered({ ownerId, chatId, title, status }: BoxEvents["answer.unattended"]): Promise<void> {
    const failed = status === "error"
    return tell(ownerId, {
      news: { kind: failed ? "answer_failed" : "answer_ready" },
      title: failed ? "An answer failed" : "Your answer is ready",
      description: shortened(title, 300),
      type: failed ? "error" : "info",
      category: "chat",
      chatId,
      dedupeKey: `answer:${chatId}`,
    })
  }

  const approvalWanted = ({ ownerId, chatId, toolCallId, toolName }: BoxEvents["approval.wanted"]) =>
    tell(ownerId, {
      news: { kind: "approval_wanted", tool: toolName },
      title: `May ${toolName} run?`,
      description: "The answer waits until you allow or deny it.",
      category: "chat",
      chatId,
      dedupeKey: `approval:${chatId}:${toolCallId}`,
      // A box that starts again tells of all that still waits: once is enough.
      resurface: false,
    })

  async function downloaded({ id, name, status, error }: ModelDownload): Promise<void> {
    // Models are the business of a workspace's owners.
    for (const userId of await ownerIds()) {
      await tell(userId, {
        news: { kind: status === "done" ? "model_ready" : "model_failed", model: name },
        title: status === "done" ? `${name} is ready to use` : `Downloading ${name} failed`,
        description: error ?? "",
        type: status === "done" ? "success" : "error",
        category: "backgroundTasks",
        deepLink: "/settings/models",
        dedupeKey: `download:${id}`,
      })
    }
  }

  const stops = [
    bus.subscribe("answer.unattended", (event) => void answered(event)),
    bus.subscribe("approval.wanted", (event) => void approvalWanted(event)),
    bus.subscribe("download.ended", ({ download }) => {
      downloaded(download).catch((cause: unknown) => {
        logger.warn({ err: cause }, "The end of a download wasn't announced")
      })
    }),
  ]

  return {
    async ingested({ folderId, folderName, ownerId, indexed, failed, durationMs }) {
      const bad = failed.length > 0
      const calm = !bad && durationMs < longBatchMs
      const indexedFiles = `${indexed} ${indexed === 1 ? "file" : "files"} indexed`
      const first = failed.slice(0, namedFailures).map((name) => shortened(name, 100))
      await tell(ownerId, {
        news: bad
          ? { kind: "files_failed", folder: folderName, failed: failed.length, names: first, indexed }
          : { kind: "folder_indexed", folder: folderName, files: indexed },
        title: bad
          ? `${failed.length} ${failed.length === 1 ? "file" : "files"} failed in ${folderName}`
          : `${folderName} is indexed`,
        description: bad ? `${named(first, failed.length)}. ${indexedFiles}.` : `${indexedFiles}.`,
        type: bad ? "error" : "success",
        category: "backgroundTasks",
        deepLink: folderRoute(folderId),
        dedupeKey: `ingestion:${folderId}`,
        silent: calm,
        read: calm,
        resurface: !calm,
      })
    },
    async ticketChanged({ ownerId, ticketId, title, status }) {
      await tell(ownerId, {
        news: { kind: "ticket_changed", status },
        title: ticketNews[status],
        description: shortened(title, 200),
        type: status === "RESOLVED" ? "success" : "info",
        icon: "LifeBuoy",
        deepLink: "/settings/support",
        dedupeKey: `ticket:${ticketId}`,
      })
    },
    async ticketRefused({ ownerId, id, title, reason }) {
      await tell(ownerId, {
        news: { kind: "report_refused" },
        title: "A report to support wasn't sent",
        description: `${shortened(title, 200)}: ${shortened(reason, 1000)}`,
        type: "error",
        icon: "LifeBuoy",
        deepLink: "/settings/support",
        dedupeKey: `report:${id}`,
      })
    },
    async integrationChanged(userId, { key, name }) {
      await tell(userId, {
        news: { kind: "integration_changed", integration: name },
        title: `${shortened(name, 100)} has changed and is off`,
        description:
          "It says something else of its functions than you approved. Look at it before it is used again.",
        type: "error",
        deepLink: "/settings/integrations",
        dedupeKey: `integration:${key}`,
      })
    },
    async updateAvailable(version) {
      for (const userId of await ownerIds()) {
        await tell(userId, {
          news: { kind: "update_available", version: shortened(version, 50) },
          title: `Casella ${shortened(version, 50)} is available`,
          category: "appUpdates",
          deepLink: "/settings/about",
          dedupeKey: `update:${shortened(version, 50)}`,
          resurface: false,
        })
      }
    },
    async databaseDamaged(tables) {
      for (const userId of await ownerIds()) {
        await tell(userId, {
          news: { kind: "database_damaged", tables },
          title: "Part of what is stored can't be read any more",
          description:
            'Keep the backups that you have. Stop Casella, then run "salvage DIRECTORY": it writes all that can be read into a new data directory.',
          type: "error",
          deepLink: "/settings/storage",
          dedupeKey: "database:damaged",
          resurface: false,
        })
      }
    },
    async changesMissing() {
      for (const userId of await ownerIds()) {
        await tell(userId, {
          news: { kind: "changes_missing" },
          title: "Some of what was stored last may be missing",
          description:
            "Another program removed a file of Casella's database, or wrote into it. Look whether all is there; if not, restore a backup.",
          type: "error",
          deepLink: "/settings/storage",
          dedupeKey: "database:changes-missing",
        })
      }
    },
    async dataMoved({ id, from, to }) {
      for (const userId of await ownerIds()) {
        await tell(userId, {
          news: { kind: "data_moved", from, to },
          title: `Casella's data is in ${to} now`,
          description: `It was in ${shortened(from, 500)} before. All documents came along.`,
          deepLink: "/settings/storage",
          dedupeKey: `moved:${id}`,
        })
      }
    },
    [Symbol.dispose]() {
      for (const stop of stops) stop()
    },
  }
}

function named(first: readonly string[], all: number): string {
  const more = all - first.length
  return first.join(", ") + (more > 0 ? ` and ${more} more` : "")
}

const shortened = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)
