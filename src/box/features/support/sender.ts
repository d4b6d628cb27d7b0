import type { OutboxProblem } from "../../../shared/contract/support.ts"
import { timestamp } from "../../core/ids.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { onBehalfOf } from "../../core/outbound/on-behalf-of.ts"
import { longestAskedWaitMs, outcomeOf } from "./attempt-outcome.ts"
import { ServiceFailure, type AuthService } from "./auth-service.ts"
import type { Moments, OutboxRow, OutboxStore } from "./outbox-store.ts"
import { ticketBody } from "./ticket-body.ts"

export interface SenderDeps {
  store: OutboxStore
  service: AuthService | null
  keyOf(userId: string): Promise<string | null>
  /** A user's reports changed. */
  changed(userId: string): void
  /** A report won't be sent unless its user does something. */
  refused(ticket: { ownerId: string; id: string; title: string; reason: string }): Promise<void>
  logger: Logger
}

/** Sends what waits, one report after the other. */
export interface Sender extends AsyncDisposable {
  /** Takes up what an earlier run of the box left. */
  start(): Promise<void>
  /** Looks at once for what is due. */
  wake(): void
  /** Looks also at what waits for something else than time, because that may have changed. */
  wakeHeld(): Promise<void>
}

/** So long a request that was cut off may still be worked on by the service. */
const settleMs = 5_000
export const moments = (): Moments => ({
  now: timestamp(),
  settled: timestamp(Date.now() + settleMs),
})

const longestTimerMs = 60 * 60_000
/** After a fault of the box's own, such as a full disk. */
const faultWaitMs = 30_000
const mostSent = 500

export function createSender(deps: SenderDeps): Sender {
  const { store, service, keyOf, changed, logger } = deps
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let again = false
  let closed = false

  async function attempt(row: OutboxRow): Promise<void> {
    const { id, ownerId } = row
    const key = service ? await keyOf(ownerId) : null
    if (!service || key === null || service.refusal()) return hold(row)
    try {
      if (row.state === "unsure" && (await findSent(service, key, row))) return
      const unsent = await store.unsent(id)
      // On disk before the first byte leaves: whatever happens now, the box knows that it may have been sent.
      if (!unsent || !(await store.startSending(row))) return
      changed(ownerId)
      const { id: ticketId, status, createdAt } = await service.createTicket(key, ticketBody(unsent, id))
      await settle(row, { ticketId, status, statusChangedAt: createdAt })
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error
      await fail(row, error)
    }
  }

  /** Whether an earlier attempt arrived after all. */
  async function findSent(auth: AuthService, key: string, row: OutboxRow): Promise<boolean> {
    try {
      const own = await auth.ownTickets(key, row.id)
      const found = own.find(({ externalId }) => externalId === row.id)
      if (!found) return false
      await settle(row, { ticketId: found.id, status: found.status, statusChangedAt: found.updatedAt })
      return true
    } catch (error) {
      if (!(error instanceof ServiceFailure)) throw error
      // Not knowing stays not knowing, whatever kept the service from saying it.
      const { problem, waitMs } = outcomeOf(error, row.attempts + 1)
      await store.failed(row.id, { state: "unsure", problem, nextAttemptAt: later(waitMs) })
      changed(row.ownerId)
      return true
    }
  }

  async function settle(
    { id, ownerId }: OutboxRow,
    ticket: {
      ticketId: string
      status: "OPEN" | "IN_PROGRESS" | "RESOLVED" | "CLOSED"
      statusChangedAt: string
    },
  ): Promise<void> {
    await store.sent(id, { ...ticket, sentAt: timestamp() })
    await store.trimSent(ownerId, mostSent)
    changed(ownerId)
  }

  async function fail(row: OutboxRow, error: ServiceFailure): Promise<void> {
    const { id, ownerId, title } = row
    const { state, problem, waitMs } = outcomeOf(error, row.attempts + 1)
    const patient = state === "unsure" && waitMs !== null ? Math.max(waitMs, settleMs) : waitMs
    logger.info({ id, state, code: problem.code }, "A support ticket wasn't sent")
    await store.failed(id, { state, problem, nextAttemptAt: later(patient) })
    changed(ownerId)
    if (state === "refused") await deps.refused({ ownerId, id, title, reason: problem.message })
  }

  /** Waits for an account; what is in doubt stays so. */
  async function hold({ id, ownerId, state }: OutboxRow): Promise<void> {
    const problem = obstacle()
    await store.failed(id, { state: state === "unsure" ? "unsure" : "waiting", problem, nextAttemptAt: null })
    changed(ownerId)
  }

  function obstacle(): OutboxProblem {
    if (!service) return { code: "no_service", message: "This box was started without --auth-url." }
    const refusal = service.refusal()
    return refusal
      ? { code: "local_only", message: refusal.message }
      : { code: "signed_out", message: "Sign in to the support service, and it is sent." }
  }

  async function sendDue(): Promise<void> {
    await store.doubtInterrupted(moments()) // by a fault of the box's own
    for (;;) {
      const row = closed
        ? undefined
        : await store.nextDue({ now: timestamp(), furthest: timestamp(Date.now() + longestAskedWaitMs) })
      if (!row) break
      await onBehalfOf({ userId: row.ownerId }, () => attempt(row))
    }
    const next = closed ? null : await store.earliest()
    if (next !== null) sleep(Date.parse(next) - Date.now())
  }

  function sleep(ms: number): void {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(wake, Math.min(longestTimerMs, Math.max(0, ms)))
  }

  function wake(): void {
    if (closed) return
    if (working) {
      again = true
      return
    }
    again = false
    clearTimeout(timer)
    working = sendDue()
      .catch((error: unknown) => {
        if (closed) return
        logger.error({ err: error }, "Sending support tickets stopped")
        sleep(faultWaitMs)
      })
      .finally(() => {
        working = undefined
        if (again) wake()
      })
  }

  async function wakeHeld(): Promise<void> {
    await store.wakeHeld(moments())
    wake()
  }

  return {
    wake,
    wakeHeld,
    async start() {
      await store.doubtInterrupted(moments())
      await wakeHeld()
    },
    async [Symbol.asyncDispose]() {
      closed = true
      clearTimeout(timer)
      await working
    },
  }
}

const later = (waitMs: number | null): string | null =>
  waitMs === null ? null : timestamp(Date.now() + waitMs)
