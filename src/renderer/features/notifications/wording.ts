import { exists, t } from "i18next"
import type { BoxNews, CoverageSummary } from "../../../shared/contract/box-news.ts"
import type { Notification } from "../../../shared/contract/notifications.ts"
import type { coreTools } from "../../../shared/contract/tools.ts"
import { formatDay } from "../../lib/words/format.ts"
import { toPageLanguage } from "../../lib/words/sentence.ts"

type NotificationText = Pick<Notification, "title" | "description" | "preview" | "news">

/** A notification's title: in the page's language if it is the box's own, otherwise as sent. */
export const getTitle = ({ title, news }: NotificationText): string => (news ? newsTitle(news) : title)

/** A notification's full text. */
export const getText = ({ description, news }: NotificationText): string =>
  (news && newsText(news)) ?? description

/** The second line, if there is room for it. */
export const secondLine = (notification: NotificationText): string =>
  notification.preview ?? getText(notification)

function newsTitle(news: BoxNews): string {
  switch (news.kind) {
    case "answer_ready":
    case "answer_failed":
    case "question_held":
    case "backup_failed":
    case "report_refused":
    case "database_damaged":
    case "changes_missing":
    case "backup_restored":
      return t(`notifications:news.${news.kind}`)
    case "approval_wanted":
      return isOwnTool(news.tool)
        ? t(`tools:wanted.${news.tool}`)
        : t("tools:wanted.other", { name: news.tool })
    case "automation_done":
    case "automation_failed":
    case "automation_off":
    case "standing_changed":
      return news.automation
    case "model_ready":
    case "model_failed":
      return t(`notifications:news.${news.kind}`, { model: news.model })
    case "folder_indexed":
      return t("notifications:news.folder_indexed", { folder: news.folder })
    case "files_failed":
      return t("notifications:news.files_failed", { count: news.failed, folder: news.folder })
    case "ticket_changed":
      return t(`notifications:news.ticket_changed.${news.status}`)
    case "integration_changed":
      return t("notifications:news.integration_changed", { integration: news.integration })
    case "update_available":
      return t("notifications:news.update_available", { version: news.version })
    case "data_moved":
      return t("notifications:news.data_moved", { to: news.to })
  }
}

/** Checks the translations instead of importing the tools, whose contracts bring all schemas along. */
const isOwnTool = (name: string): name is Exclude<keyof typeof coreTools, "filing"> =>
  exists(`tools:wanted.${name}`)

/** Undefined if the description was written by someone else. */
function newsText(news: BoxNews): string | undefined {
  if (news.kind === "answer_ready" || news.kind === "answer_failed")
    return (
      news.read &&
      t("notifications:news.aboutAndWhy", { about: news.about ?? "", why: describeAmounts(news.read) })
    )
  if (news.kind === "approval_wanted")
    return news.outcome
      ? t(`notifications:news.approvalOutcome.${news.outcome}`)
      : t("notifications:news.approvalText")
  if (news.kind === "standing_changed") return `${news.before} → ${news.now}`
  if (news.kind === "database_damaged") return t("notifications:news.damagedText")
  if (news.kind === "changes_missing") return t("notifications:news.changesMissingText")
  if (news.kind === "backup_restored") return t("notifications:news.backupRestoredText")
  if (news.kind === "folder_indexed") return t("notifications:news.indexed", { count: news.files })
  if (news.kind === "data_moved") return t("notifications:news.dataMovedText", { from: news.from })
  if (news.kind === "integration_changed") return t("notifications:news.integrationChangedText")
  if (
    news.kind === "question_held" ||
    news.kind === "model_failed" ||
    news.kind === "report_refused" ||
    news.kind === "backup_failed" ||
    news.kind === "automation_failed" ||
    news.kind === "automation_off"
  ) {
    const { about, reason, sentence } = news
    const why = reason && toPageLanguage(reason, sentence)
    return why && about ? t("notifications:news.aboutAndWhy", { about, why }) : why
  }
  if (news.kind !== "files_failed") return undefined
  const names = news.names.join(", ")
  const more = news.failed - news.names.length
  const failed = more > 0 ? t("notifications:news.namesAndMore", { names, count: more }) : `${names}.`
  return news.indexed === 0 ? failed : `${failed} ${t("notifications:news.indexed", { count: news.indexed })}`
}

/** "78 of 80 pages read. 2 of 14 files not whole." */
function describeAmounts({ amounts, files, skipped, partly }: CoverageSummary): string {
  const read = amounts.map(({ unit, read, of }) => t(`notifications:read.${unit}`, { read, count: of }))
  const lacking = skipped + partly
  return [
    t("notifications:read.all", {
      amounts: read.join(", ") || t("notifications:read.files", { read: 0, count: files }),
    }),
    ...(lacking > 0 ? [t("notifications:read.lacking", { lacking, count: files })] : []),
  ].join(" ")
}

const dayMs = 86_400_000

/** The day heading above a notification. */
export function dayHeading(iso: string, now = new Date()): string {
  const moment = new Date(iso)
  // Calendar days between them, independent of clock changes.
  const apart = Math.round((getStart(now) - getStart(moment)) / dayMs)
  if (apart <= 0) return t("format:today")
  if (apart === 1) return t("format:yesterday")
  return formatDay(
    moment,
    apart < 7 ? "weekday" : moment.getFullYear() === now.getFullYear() ? "date" : "year",
  )
}

/** Start of the calendar day that contains a moment, and start of the next day, in milliseconds. */
export function dayAround(moment: number): { start: number; end: number } {
  const day = new Date(moment)
  const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1)
  return { start: getStart(day), end: next.getTime() }
}

const getStart = (moment: Date) =>
  new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime()
