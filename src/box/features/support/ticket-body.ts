import type { SupportDraft } from "../../../shared/contract/support.ts"
import type { LogLine } from "../../../shared/contract/tickets.ts"
import type { LogLine as BoxLogLine } from "../../../shared/contract/logs.ts"
import { redact } from "../../core/logging/redact.ts"
import type { Unsent } from "./send-queue.ts"

export const sourceApp = "casella"

/** The body of a new ticket. Its `context.externalId` lets the server find the ticket again. */
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
          attachmentMime: getMime(attachment.dataUrl),
        }),
    ...(uiLogs.length === 0 ? {} : { uiLogs }),
    ...(serverLogs.length === 0 ? {} : { serverLogs }),
    context: { ...context, ...(page === "" ? {} : { page }), externalId },
  }
}

const getMime = (dataUrl: string): string =>
  dataUrl.slice("data:".length).split(/[;,]/, 1)[0]?.slice(0, 255) ?? ""

/** Removes secrets from log lines, and limits them to a ticket's maximum. */
export const cleanLines = (lines: readonly LogLine[]): LogLine[] =>
  lines.map(({ message, src, ...line }) => ({
    ...line,
    message: redact(message).slice(0, 4000),
    ...(src === undefined ? {} : { src: redact(src).slice(0, 120) }),
  }))

/** Removes secrets from a report. */
export const cleanDraft = (draft: SupportDraft): SupportDraft => ({
  ...draft,
  uiLogs: cleanLines(draft.uiLogs),
  serverLogs: cleanLines(draft.serverLogs),
  page: redact(draft.page),
})

/** Converts lines of the server's log, which contain no secrets, to the format of a ticket. */
export const fromBoxLog = (lines: readonly BoxLogLine[]): LogLine[] =>
  lines.map(({ time, level, message, details }) => ({
    ts: time.slice(0, 40),
    level,
    message: [message, details].filter(Boolean).join(" ").slice(0, 4000),
  }))
