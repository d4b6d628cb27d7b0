import type { TicketStatus } from "../../../shared/contract/tickets.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { onBehalfOf } from "../../core/async-context.ts"
import { ServiceFailure, type AuthService } from "./auth-service.ts"
import type { SentTickets } from "./ticket-store.ts"

export interface FollowerDeps {
  tickets: SentTickets
  service: AuthService | null
  getKey(userId: string): Promise<string | null>
  changed(userId: string): void
  /** Called when a ticket's status has changed. */
  statusChanged(ticket: {
    ownerId: string
    ticketId: string
    title: string
    status: TicketStatus
  }): Promise<void>
  logger: Logger
}

/** Keeps the status of sent tickets up to date. */
export interface Follower extends AsyncDisposable {
  start(): void
  /** Queries one user's tickets. If they were queried a moment ago, it waits a few seconds. */
  checkTickets(userId: string): void
}

const everyMs = 5 * 60_000
const minIntervalMs = 5_000

export function createFollower(deps: FollowerDeps): Follower {
  const { tickets, service, getKey, logger } = deps
  const checkedAt = new Map<string, number>()
  const under = new Map<string, Promise<void>>()
  const due = new Map<string, NodeJS.Timeout>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function refresh(auth: AuthService, userId: string): Promise<void> {
    const sent = await tickets.sentBy(userId)
    const key = sent.length === 0 ? null : await getKey(userId)
    if (key === null) return
    const now = new Map((await auth.listOwnTickets(key)).map((ticket) => [ticket.id, ticket]))
    for (const { id, ticketId, status: before, title } of sent) {
      const ticket = now.get(ticketId ?? "")
      if (!ticket || ticket.status === before) continue
      await tickets.setStatus(id, ticket.status, ticket.updatedAt)
      deps.changed(userId)
      await deps.statusChanged({ ownerId: userId, ticketId: ticket.id, title, status: ticket.status })
    }
  }

  function checkTickets(userId: string): void {
    if (!service || service.refusal() || closed || under.has(userId)) return
    const waitMs = (checkedAt.get(userId) ?? -Infinity) + minIntervalMs - performance.now()
    if (waitMs > 0) return scheduleCheck(userId, waitMs)
    checkedAt.set(userId, performance.now())
    const work = onBehalfOf({ userId }, () => refresh(service, userId))
      .catch((error: unknown) => {
        // Sending tickets already reports that the user is offline or signed out.
        if (!closed && !(error instanceof ServiceFailure))
          logger.warn({ err: error }, "Reading ticket statuses failed")
      })
      .finally(() => under.delete(userId))
    under.set(userId, work)
  }

  /** A caller that asks again too soon is notified by a push if something has changed. */
  function scheduleCheck(userId: string, waitMs: number): void {
    if (due.has(userId)) return
    const timeout = setTimeout(() => {
      due.delete(userId)
      checkTickets(userId)
    }, waitMs)
    due.set(userId, timeout)
  }

  async function checkAll(): Promise<void> {
    for (const userId of await tickets.senders()) checkTickets(userId)
  }

  return {
    checkTickets,
    start() {
      const turn = () =>
        void checkAll().catch((error: unknown) => logger.warn({ err: error }, "Following tickets failed"))
      timer = setInterval(turn, everyMs)
      turn()
    },
    async [Symbol.asyncDispose]() {
      closed = true
      clearInterval(timer)
      for (const timeout of due.values()) clearTimeout(timeout)
      await Promise.all(under.values())
    },
  }
}
