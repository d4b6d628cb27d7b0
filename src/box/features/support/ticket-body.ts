import type { SupportDraft } from "../../../shared/contract/support.ts"
import type { LogLine } from "../../../shared/contract/tickets.ts"
import type { LogLine as BoxLogLine } from "../../../shared/contract/logs.ts"
import { redact } from "../../core/logging/redact.ts"
import type { Unsent } from "./send-queue.ts"

export const sourceApp = "casella"

/** The body of a new ticket (interface.md 4.9). Its `context.externalId` is how the box finds it again. */
export function ticketBody({ draft, context }: Unsent, externalId: string): object {
  const { type, title, description, screenshot, attachment, uiLogs, serverLogs, page } = draft
  return {
    sourceApp,
    type,
    title,
    description,
    ...(screenshot === null ? {} : { screenshot }),
    ...(attachment === null
      ? {}
      : {
          attachment: attachment.dataUrl,
          attachmentName: attachment.name,
          attachmentMime: mimeOf(attachment.dataUrl),
        }),
    ...(uiLogs.length === 0 ? {} : { uiLogs }),
    ...(serverLogs.length === 0 ? {} : { serverLogs }),
    context: { ...context, ...(page === "" ? {} : { page }), externalId },
  }
}

const mimeOf = (dataUrl: string): string =>
  dataUrl.slice("data:".length).split(/[;,]/, 1)[0]?.slice(0, 255) ?? ""

/** Takes secrets out of lines, and keeps them within a ticket's limits. */
export const cleanLines = (lines: readonly LogLine[]): LogLine[] =>
  lines.map(({ message, src, ...line }) => ({
    ...line,
    message: redact(message).slice(0, 4000),
    ...(src === undefined ? {} : { src: redact(src).slice(0, 120) }),
  }))

/** Takes secrets out of a report. */
export const cleanDraft = (draft: SupportDraft): SupportDraft => ({
  ...draft,
  uiLogs: cleanLines(draft.uiLogs),
  serverLogs: cleanLines(draft.serverLogs),
  page: redact(draft.page),
})

/** Lines of the box's log, which come without secrets, as a ticket has them. */
export const fromBoxLog = (lines: readonly BoxLogLine[]): LogLine[] =>
  lines.map(({ time, level, message, details }) => ({
    ts: time.slice(0, 40),
    level,
    message: [message, details].filter(Boolean).join(" ").slice(0, 4000),
  }))
