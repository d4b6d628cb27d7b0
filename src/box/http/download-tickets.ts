import { downloadTicket } from "../../shared/contract/session.ts"
import { hashSecret, newSecret } from "../core/ids.ts"

/**
 * Tickets with which a browser downloads something itself, without the page and thus without its secret. Each is one
 * session's, for exactly one path, and used once: an interrupted download begins anew with another.
 */
export interface DownloadTickets {
  /** The path with a fresh ticket. */
  issue(sessionId: string, path: string): string
  /** Uses up the ticket in a request's address; whether it is this session's and for this path. */
  take(sessionId: string, address: string): boolean
}

interface Ticket {
  sessionId: string
  path: string
  /** By `performance.now()`. */
  expiresAt: number
}

const lifetimeMs = 60_000
/** Of one session: a further one takes the place of the oldest. */
const mostTickets = 100

export function createDownloadTickets(): DownloadTickets {
  const tickets = new Map<string, Ticket>()
  const keyOf = (secret: string) => hashSecret(secret).toString("base64url")

  return {
    issue(sessionId, path) {
      for (const [key, { expiresAt }] of tickets) if (expiresAt <= performance.now()) tickets.delete(key)
      const own = [...tickets].filter(([, ticket]) => ticket.sessionId === sessionId)
      for (const [oldest] of own.slice(0, Math.max(0, own.length + 1 - mostTickets))) tickets.delete(oldest)
      const secret = newSecret()
      tickets.set(keyOf(secret), { sessionId, path, expiresAt: performance.now() + lifetimeMs })
      return `${path}${path.includes("?") ? "&" : "?"}${downloadTicket}=${secret}`
    },
    take(sessionId, address) {
      const [, path, secret = ""] = ending.exec(address) ?? []
      const key = keyOf(secret)
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
