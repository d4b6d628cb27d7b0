import type { OutboxProblem } from "../../../shared/contract/support.ts"
import { timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { getOutcome } from "./attempt-outcome.ts"
import { ServiceFailure, type AuthService } from "./auth-service.ts"
import type { SendQueue } from "./send-queue.ts"
import type { SentTickets } from "./sent-tickets.ts"
import { ticketBody } from "./ticket-body.ts"
import type { TicketRow } from "./ticket-row.ts"

export interface AttemptDeps {
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
export const settleMs = 5_000
const maxSent = 500

/** Makes one attempt to send a report and updates the report's state. Throws only for internal errors. */
export function createAttempts(deps: AttemptDeps): (row: TicketRow) => Promise<void> {
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
