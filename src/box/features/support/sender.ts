import type { LogLine as BoxLogLine } from "../../../shared/contract/logs.ts"
import type { SupportDraft, OutboxProblem } from "../../../shared/contract/support.ts"
import type { LogLine } from "../../../shared/contract/tickets.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { onBehalfOf } from "../../core/async-context.ts"
import { timestamp, parseTimestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { redact } from "../../core/logging/redact.ts"
import { ServiceFailure, type AuthService } from "./auth-service.ts"
import type { Unsent, SendQueue, SentTickets, TicketRow, Moments } from "./ticket-store.ts"

const sourceApp = "casella"

/** The body of a new ticket. Its `context.externalId` lets the server find the ticket again. */
function ticketBody({ draft, context }: Unsent, externalId: string): object {
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

/** Consequences of a failed attempt for a report. */
interface AttemptOutcome {
  state: "waiting" | "unsure" | "refused"
  problem: OutboxProblem
  /** Delay before the next attempt, in milliseconds; null if retrying won't help. */
  waitMs: number | null
}

const firstWaitMs = 5_000
const maxWaitMs = 15 * 60_000
/** A used-up quota is available again within a day, so the service can't ask for a longer wait. */
const maxAskedWaitMs = 24 * 60 * 60_000

/** @param attempts number of attempts, including this one */
function getOutcome(failure: ServiceFailure, attempts: number): AttemptOutcome {
  const { outcome, status, code, sentence: said, retryAfterMs } = failure
  const backOff = Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(20, Math.max(0, attempts - 1)))
  const waitMs = Math.min(maxAskedWaitMs, Math.max(retryAfterMs ?? 0, backOff * (0.8 + 0.4 * Math.random())))
  const wait = (
    state: "waiting" | "unsure",
    problem: OutboxProblem["code"],
    { text, field } = said,
  ): AttemptOutcome => ({
    state,
    problem: { code: problem, message: text, ...field },
    waitMs,
  })
  const refuse = (problem: OutboxProblem["code"], { text, field }: Sentence): AttemptOutcome => ({
    state: "refused",
    problem: { code: problem, message: text, ...field },
    waitMs: null,
  })

  if (outcome === "unreached") return wait("waiting", "offline")
  if (outcome === "lost") return wait("unsure", "no_answer")
  if (code === "QUOTA_EXCEEDED") return wait("waiting", "quota")
  if (status === 429 || status >= 500) return wait("waiting", "busy")
  if (status === 401) return refuse("unauthorized", sentence("support.key_not_accepted"))
  if (status === 403) {
    return refuse("forbidden", sentence("support.key_without_tickets"))
  }
  if (status === 413) return refuse("too_large", sentence("support.report_too_large"))
  return refuse("invalid", Sentence.asIs(describeIssues(failure)))
}

function describeIssues({ message, issues }: ServiceFailure): string {
  const named = issues.slice(0, 3).map(({ path, message: text }) => `${path}: ${text}`)
  return [message, ...named].join(" ").slice(0, 1000)
}

interface AttemptDeps {
  queue: SendQueue
  tickets: SentTickets
  service: AuthService | null
  getKey(userId: string): Promise<string | null>
  /** Called when a user's reports have changed. */
  changed(userId: string): void
  /** Called when a report won't be sent unless its user does something. */
  refused(ticket: { ownerId: string; id: string; title: string; problem: OutboxProblem }): Promise<void>
  logger: Logger
}

/** Time in milliseconds for which the service may still process a request that was cut off. */
const settleMs = 5_000
const maxSent = 500

/** Makes one attempt to send a report and updates the report's state. Throws only for internal errors. */
function createAttempts(deps: AttemptDeps): (row: TicketRow) => Promise<void> {
  const { queue, tickets, service, getKey, changed, logger } = deps

  async function attempt(row: TicketRow): Promise<void> {
    const { id, ownerId } = row
    const key = service ? await getKey(ownerId) : null
    if (!service || key === null || service.refusal()) return hold(row)
    try {
      if (row.state === "unsure" && (await findSent(service, key, row))) return
      const unsent = await queue.unsent(id)
      // Stored on disk before the first byte is sent. Whatever happens then, the server knows that the report may have been sent.
      if (!unsent) return await queue.failed(id, unreadable)
      if (!(await queue.startSending(row))) return
      changed(ownerId)
      const { id: ticketId, status, createdAt } = await service.createTicket(key, ticketBody(unsent, id))
      await settle(row, { ticketId, status, statusChangedAt: createdAt })
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error
      await fail(row, error)
    }
  }

  /** Whether an earlier attempt arrived after all. */
  async function findSent(auth: AuthService, key: string, row: TicketRow): Promise<boolean> {
    try {
      const own = await auth.listOwnTickets(key, row.id)
      const found = own.find(({ externalId }) => externalId === row.id)
      if (!found) return false
      await settle(row, { ticketId: found.id, status: found.status, statusChangedAt: found.updatedAt })
      return true
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error
      // The report stays in doubt, whatever kept the service from responding.
      const { problem, waitMs } = getOutcome(error, row.attempts + 1)
      await queue.failed(row.id, { state: "unsure", problem, nextAttemptAt: later(waitMs) })
      changed(row.ownerId)
      return true
    }
  }

  async function settle(
    { id, ownerId }: TicketRow,
    ticket: Omit<Parameters<SendQueue["sent"]>[1], "sentAt">,
  ): Promise<void> {
    await queue.sent(id, { ...ticket, sentAt: timestamp() })
    await tickets.trimSent(ownerId, maxSent)
    changed(ownerId)
  }

  async function fail(row: TicketRow, error: ServiceFailure): Promise<void> {
    const { id, ownerId, title } = row
    const { state, problem, waitMs } = getOutcome(error, row.attempts + 1)
    const patient = state === "unsure" && waitMs !== null ? Math.max(waitMs, settleMs) : waitMs
    logger.info({ id, state, code: problem.code }, "Sending a support ticket failed")
    await queue.failed(id, { state, problem, nextAttemptAt: later(patient) })
    changed(ownerId)
    if (state === "refused") await deps.refused({ ownerId, id, title, problem })
  }

  /** Waits for an account. A report in doubt stays in doubt. */
  async function hold({ id, ownerId, state }: TicketRow): Promise<void> {
    const problem = getHoldReason(service)
    await queue.failed(id, { state: state === "unsure" ? "unsure" : "waiting", problem, nextAttemptAt: null })
    changed(ownerId)
  }

  return attempt
}

function getHoldReason(service: AuthService | null): OutboxProblem {
  if (!service) return { code: "no_service", message: "Casella was started without --auth-url." }
  const refusal = service.refusal()
  return refusal
    ? { code: "local_only", message: refusal.message }
    : { code: "signed_out", message: "Sign in to the support service, and it is sent." }
}

/** For a report whose row is unreadable, as in an altered backup. Has no effect if the report was removed in the meantime. */
const unreadable: Parameters<SendQueue["failed"]>[1] = {
  state: "refused",
  problem: { code: "invalid", message: "This report can't be read." },
  nextAttemptAt: null,
}

const later = (waitMs: number | null): string | null =>
  waitMs === null ? null : timestamp(Date.now() + waitMs)

/** Sends waiting reports one at a time. */
export interface Sender extends AsyncDisposable {
  /** Resumes reports that an earlier run left unsent. */
  start(): Promise<void>
  /** Checks for due reports at once. */
  wake(): void
  /** Also checks reports that don't wait for a time, because their reason to wait may have changed. */
  wakeBlocked(): Promise<void>
}

export const moments = (): Moments => ({
  now: timestamp(),
  settled: timestamp(Date.now() + settleMs),
})

const maxTimerMs = 60 * 60_000
/** Delay in milliseconds after an internal error, such as a full disk. */
const faultWaitMs = 30_000

export function createSender(deps: AttemptDeps): Sender {
  const { queue, logger } = deps
  const attempt = createAttempts(deps)
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let shouldRepeat = false
  let closed = false

  async function sendDue(): Promise<void> {
    await queue.doubtInterrupted(moments()) // reports interrupted by an internal error
    for (;;) {
      const row = closed
        ? undefined
        : await queue.nextDue({ now: timestamp(), furthest: timestamp(Date.now() + maxAskedWaitMs) })
      if (!row) break
      await onBehalfOf({ userId: row.ownerId }, () => attempt(row))
    }
    const next = closed ? null : await queue.earliest()
    if (next !== null) sleep(parseTimestamp(next, Infinity) - Date.now())
  }

  function sleep(ms: number): void {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(wake, Math.min(maxTimerMs, Math.max(0, ms)))
  }

  function wake(): void {
    if (closed) return
    if (working) {
      shouldRepeat = true
      return
    }
    shouldRepeat = false
    clearTimeout(timer)
    working = sendDue()
      .catch((error: unknown) => {
        if (closed) return
        logger.error({ err: error }, "Sending support tickets stopped")
        sleep(faultWaitMs)
      })
      .finally(() => {
        working = undefined
        if (shouldRepeat) wake()
      })
  }

  async function wakeBlocked(): Promise<void> {
    await queue.wakeBlocked(moments())
    wake()
  }

  return {
    wake,
    wakeBlocked,
    async start() {
      await queue.doubtInterrupted(moments())
      await wakeBlocked()
    },
    async [Symbol.asyncDispose]() {
      closed = true
      clearTimeout(timer)
      await working
    },
  }
}
