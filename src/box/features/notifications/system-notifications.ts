import { failedFilesRoute, folderRoute } from "../../../shared/app-routes.ts"
import type { BoxNews, CoverageSummary } from "../../../shared/contract/box-news.ts"
import type { ModelDownload } from "../../../shared/contract/models.ts"
import type { NotificationDraft } from "../../../shared/contract/notifications.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"
import type { TicketStatus } from "../../../shared/contract/tickets.ts"
import { summariseCoverage } from "../../../shared/coverage.ts"
import type { BoxEvents } from "../../core/event-bus.ts"

/** Notifications from the server itself. Each kind has a category, a route, and one row that is refreshed. */
export type SystemDraft = Partial<NotificationDraft> & { news: BoxNews; title: string }

/** An update to an earlier notification. */
export interface NewsUpdate {
  news: BoxNews
  description: string
}

/** A reason as text, and the sentence behind it. */
export interface ReasonText {
  message: string
  sentence?: SentenceBody | undefined
}

/** Result of the files that a folder indexed until it had nothing left to do. */
export interface IngestionBatch {
  folderId: string
  folderName: string
  ownerId: string
  indexed: number
  /** Names of the files that failed. */
  failed: string[]
  /** Number of failures that the server itself may have caused. */
  programFaults: number
  durationMs: number
}

export interface TicketChange {
  ownerId: string
  ticketId: string
  title: string
  status: TicketStatus
}

export interface TicketRefusal {
  ownerId: string
  id: string
  title: string
  problem: ReasonText
}

export interface DataMove {
  id: string
  from: string
  to: string
}

/**
 * A shorter batch without failures only adds a row to the bell, already read: people who save a file don't want a notification each time.
 */
const longBatchMs = 30_000
const namedFailures = 3

const ticketNews: Record<TicketStatus, string> = {
  OPEN: "Your report is open again",
  IN_PROGRESS: "Support is working on your report",
  RESOLVED: "Your report is resolved",
  CLOSED: "Your report is closed",
}

/** The key of the notification about a chat's answer. */
export const answerKey = (chatId: string): string => `answer:${chatId}`

export function answered({ chatId, title, status, coverage }: BoxEvents["answer.unattended"]): SystemDraft {
  const failed = status === "error"
  const about = shorten(title, 300)
  const read = coverage && summariseCoverage(coverage.files)
  return {
    news: { kind: failed ? "answer_failed" : "answer_ready", ...(read && { about, read }) },
    title: failed ? "An answer failed" : "Your answer is ready",
    description: read ? `${about}: ${describeAmounts(read)}` : about,
    type: failed ? "error" : "info",
    category: "chat",
    chatId,
    dedupeKey: answerKey(chatId),
  }
}

const unitNames = { page: "pages", sheet: "sheets", slide: "slides", line: "lines", part: "parts" } as const

/** "78 of 80 pages read, 2 of 14 files not whole." */
function describeAmounts({ amounts, files, skipped, partly }: CoverageSummary): string {
  const read = amounts.map(({ unit, read, of }) => `${read} of ${of} ${unitNames[unit]}`).join(", ")
  const lacking = skipped + partly
  return `${read || `0 of ${files} files`} read${lacking > 0 ? `, ${lacking} of ${files} files not whole` : ""}.`
}

export const questionHeld = ({ chatId, content, problem }: BoxEvents["question.held"]): SystemDraft => ({
  news: {
    kind: "question_held",
    ...failure({ message: problem.error, sentence: problem.sentence }, shorten(content, 200)),
  },
  title: "A queued question couldn't be sent",
  description: `${shorten(content, 200)}: ${shorten(problem.error, 500)}`,
  type: "error",
  category: "chat",
  chatId,
  dedupeKey: `queue:${chatId}`,
})

/** The result of an automation run. */
export interface RunNews {
  ownerId: string
  runId: string
  /** The run's chat; null if it has none. */
  chatId: string | null
  automation: string
  /** The run's answer; null if it failed. */
  answerText: string | null
  why: ReasonText | null
}

export function runEnded({ runId, chatId, automation, answerText, why }: RunNews): SystemDraft {
  const name = shorten(automation, 120)
  const about = {
    type: why ? ("error" as const) : ("info" as const),
    category: "scheduler" as const,
    ...(chatId === null ? { deepLink: "/work" } : { chatId }),
    dedupeKey: `run:${runId}`,
    resurface: false,
  }
  if (!why)
    return {
      news: { kind: "automation_done", automation: name },
      title: name,
      description: shorten(answerText ?? "", 1000),
      ...about,
    }
  return {
    news: { kind: "automation_failed", automation: name, ...failure(why) },
    title: `${name} failed`,
    description: shorten(why.message, 1000),
    ...about,
  }
}

export const automationOff = ({
  id,
  name,
  why,
}: {
  id: string
  name: string
  why: ReasonText
}): SystemDraft => ({
  news: { kind: "automation_off", automation: shorten(name, 120), ...failure(why) },
  title: `${shorten(name, 120)} was turned off`,
  description: shorten(why.message, 1000),
  type: "error",
  category: "scheduler",
  deepLink: "/work",
  dedupeKey: `automation:${id}`,
})

export const standingAnswerChanged = (answerChange: {
  id: string
  name: string
  before: string
  now: string
}): SystemDraft => {
  const name = shorten(answerChange.name, 120)
  const [before, now] = [shorten(answerChange.before, 600), shorten(answerChange.now, 600)]
  return {
    news: { kind: "standing_changed", automation: name, before, now },
    title: name,
    description: `${before} → ${now}`,
    category: "scheduler",
    deepLink: "/work",
    dedupeKey: `standing:${answerChange.id}`,
  }
}

/** The key of the notification about a call that waits for approval. */
export const approvalKey = ({ chatId, toolCallId }: { chatId: string; toolCallId: string }): string =>
  `approval:${chatId}:${toolCallId}`

export const approvalWanted = ({
  chatId,
  toolCallId,
  toolName,
}: BoxEvents["approval.wanted"]): SystemDraft => ({
  news: { kind: "approval_wanted", tool: toolName, toolCallId },
  title: `May ${toolName} run?`,
  description: "The answer waits until you allow or deny this.",
  category: "chat",
  chatId,
  dedupeKey: approvalKey({ chatId, toolCallId }),
  // After a restart, the server reports all calls that still wait; people have already been notified.
  resurface: false,
})

const outcomeTexts = {
  allowed: "Allowed",
  denied: "Denied",
  expired: "No one decided in time, so it didn't run.",
}

/** The notification's new content when the call no longer waits. */
export const approvalDecided = ({
  toolCallId,
  toolName,
  outcome,
}: BoxEvents["approval.decided"]): NewsUpdate => ({
  news: { kind: "approval_wanted", tool: toolName, toolCallId, outcome },
  description: outcomeTexts[outcome],
})

export const downloaded = ({ id, name, status, error, sentence }: ModelDownload): SystemDraft => ({
  news:
    status === "done"
      ? { kind: "model_ready", model: name }
      : { kind: "model_failed", model: name, ...(error !== null && failure({ message: error, sentence })) },
  title: status === "done" ? `${name} is ready to use` : `Couldn't download ${name}`,
  description: error ?? "",
  type: status === "done" ? "success" : "error",
  category: "backgroundTasks",
  deepLink: "/settings/models",
  dedupeKey: `download:${id}`,
})

export function ingested(batch: IngestionBatch): SystemDraft {
  const { folderId, folderName, indexed, failed, programFaults, durationMs } = batch
  const bad = failed.length > 0
  const calm = !bad && durationMs < longBatchMs
  const indexedFiles = `${indexed} ${indexed === 1 ? "file" : "files"} indexed`
  const first = failed.slice(0, namedFailures).map((name) => shorten(name, 100))
  return {
    news: bad
      ? {
          kind: "files_failed",
          folder: folderName,
          failed: failed.length,
          names: first,
          indexed,
          programFaults,
        }
      : { kind: "folder_indexed", folder: folderName, files: indexed },
    title: bad
      ? `${failed.length} ${failed.length === 1 ? "file" : "files"} failed in ${folderName}`
      : `${folderName} is indexed`,
    description: bad ? `${named(first, failed.length)}. ${indexedFiles}.` : `${indexedFiles}.`,
    type: bad ? "error" : "success",
    category: "backgroundTasks",
    deepLink: bad ? failedFilesRoute(folderId) : folderRoute(folderId),
    dedupeKey: `ingestion:${folderId}`,
    silent: calm,
    read: calm,
    resurface: !calm,
  }
}

export const ticketChanged = ({ ticketId, title, status }: TicketChange): SystemDraft => ({
  news: { kind: "ticket_changed", status },
  title: ticketNews[status],
  description: shorten(title, 200),
  type: status === "RESOLVED" ? "success" : "info",
  icon: "LifeBuoy",
  deepLink: "/settings/support",
  dedupeKey: `ticket:${ticketId}`,
})

export const ticketRefused = ({ id, title, problem }: TicketRefusal): SystemDraft => ({
  news: { kind: "report_refused", ...failure(problem, shorten(title, 200)) },
  title: "A report wasn't sent",
  description: `${shorten(title, 200)}: ${shorten(problem.message, 1000)}`,
  type: "error",
  icon: "LifeBuoy",
  deepLink: "/settings/support",
  dedupeKey: `report:${id}`,
})

export const integrationChanged = ({ key, name }: { key: string; name: string }): SystemDraft => ({
  news: { kind: "integration_changed", integration: name },
  title: `${shorten(name, 100)} has changed and is off`,
  description: "Its tools have changed since you approved them. Review the changes to turn it on again.",
  type: "error",
  // Keys of people's own servers start with this prefix.
  deepLink: key.startsWith("mcp_") ? "/settings/tool-servers" : "/settings/integrations",
  dedupeKey: `integration:${key}`,
})

export const updateAvailable = (version: string): SystemDraft => ({
  news: { kind: "update_available", version: shorten(version, 50) },
  title: `Casella ${shorten(version, 50)} is available`,
  category: "appUpdates",
  deepLink: "/settings/about",
  dedupeKey: `update:${shorten(version, 50)}`,
  resurface: false,
})

export const databaseDamaged = (tables: string[]): SystemDraft => ({
  news: { kind: "database_damaged", tables },
  title: "Some stored data can no longer be read",
  description:
    'Keep your existing backups. Stop Casella, then run "box salvage DIRECTORY" to copy everything that is still readable into a new data directory.',
  type: "error",
  deepLink: "/settings/storage",
  dedupeKey: "database:damaged",
  resurface: false,
})

export function changesMissing(): SystemDraft {
  return {
    news: { kind: "changes_missing" },
    title: "Some recent changes may be missing",
    description:
      "Another program changed or removed a Casella database file. Check that nothing is missing; if something is, restore a backup.",
    type: "error",
    deepLink: "/settings/storage",
    dedupeKey: "database:changes-missing",
  }
}

export const backupFailed = (why: ReasonText): SystemDraft => ({
  news: { kind: "backup_failed", ...failure(why) },
  title: "A backup failed",
  description: shorten(why.message, 1000),
  type: "error",
  deepLink: "/settings/backup",
  dedupeKey: "backup:failed",
})

export const backupRestored = (restoreId: string): SystemDraft => ({
  news: { kind: "backup_restored" },
  title: "A backup was restored, and some items are off",
  description: "Review them in Settings › Backup.",
  deepLink: "/settings/backup",
  dedupeKey: `restored:${restoreId}`,
})

export const dataMoved = ({ id, from, to }: DataMove): SystemDraft => ({
  news: { kind: "data_moved", from, to },
  title: `Casella's data is now in ${to}`,
  description: `It was in ${shorten(from, 500)}. All documents were moved with it.`,
  deepLink: "/settings/storage",
  dedupeKey: `moved:${id}`,
})

const failure = ({ message, sentence }: ReasonText, about?: string) => ({
  about,
  reason: shorten(message, 1000),
  sentence,
})

function named(first: readonly string[], all: number): string {
  const more = all - first.length
  return first.join(", ") + (more > 0 ? ` and ${more} more` : "")
}

export const shorten = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`
