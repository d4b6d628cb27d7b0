import { downloadTicket } from "../../shared/contract/session.ts"
import { hashSecret, newSecret } from "../core/ids.ts"

/**
 * Tickets for downloads by the browser itself, which doesn't send the page's secret. Each is valid once, for one session and exactly one
 * path. An interrupted download starts again with another ticket.
 */
export interface DownloadTickets {
  /** Returns the path with a new ticket. */
  issue(sessionId: string, path: string): string
  /** Redeems the ticket in a request's URL. Returns whether it is valid for this session and path. */
  take(sessionId: string, address: string): boolean
}

interface Ticket {
  sessionId: string
  path: string
  /** On the clock of `performance.now()`, in ms. */
  expiresAt: number
}

const lifetimeMs = 60_000
/** Maximum tickets per session. A further ticket replaces the oldest. */
const maxTickets = 100

export function createDownloadTickets(): DownloadTickets {
  const tickets = new Map<string, Ticket>()
  const getKey = (secret: string) => hashSecret(secret).toString("base64url")

  return {
    issue(sessionId, path) {
      for (const [key, { expiresAt }] of tickets) if (expiresAt <= performance.now()) tickets.delete(key)
      const own = [...tickets].filter(([, ticket]) => ticket.sessionId === sessionId)
      for (const [oldest] of own.slice(0, Math.max(0, own.length + 1 - maxTickets))) tickets.delete(oldest)
      const secret = newSecret()
      tickets.set(getKey(secret), { sessionId, path, expiresAt: performance.now() + lifetimeMs })
      return `${path}${path.includes("?") ? "&" : "?"}${downloadTicket}=${secret}`
    },
    take(sessionId, address) {
      const [, path, secret = ""] = ending.exec(address) ?? []
      const key = getKey(secret)
      const ticket = tickets.get(key)
      tickets.delete(key)
      return (
        ticket !== undefined &&
        ticket.sessionId === sessionId &&
        ticket.path === path &&
        ticket.expiresAt > performance.now()
      )
    },
  }
}

const ending = new RegExp(String.raw`^([^?]*(?:\?.*)?)[?&]${downloadTicket}=([\w-]{43})$`)
