import type { TicketStatus, TicketType } from "../../shared/contract/tickets.ts"

/** A flag as SQLite and PostgreSQL both store it. */
type Flag = 0 | 1

/**
 * Tables and columns. `user`, `session` and `jwks` belong to Better Auth, which keeps more columns than are read here; the
 * others are the service's own. Timestamps are ISO 8601 text, so that both databases compare them alike.
 */
export interface DatabaseSchema {
  user: { id: string; email: string; name: string }
  session: { id: string; userId: string; expiresAt: string }
  /** Keys that sign JWTs. */
  jwks: { id: string; expiresAt: string | null }

  /** What the service knows of a user besides the account. */
  members: {
    userId: string
    company: string | null
    staff: Flag
    blocked: Flag
    /** Null: the default. */
    ticketsPerDay: number | null
    requestsPerMinute: number | null
  }
  cloudKeys: {
    id: string
    userId: string
    name: string
    /** SHA-256 of the key, base64url. */
    hash: string
    /** Start of the key, to tell keys apart. */
    hint: string
    /** JSON; null is full access. */
    permissions: string | null
    enabled: Flag
    /** Counts changes of the key: a request that was let in by an older revision is refused. */
    revision: number
    uses: number
    createdAt: string
    lastUsedAt: string | null
    expiresAt: string
  }
  /** Requests of a caller in the minute that began at `startedAt`, in milliseconds since 1970. */
  rateWindows: { subject: string; startedAt: number; used: number }
  /** Tickets that a user created on a day (UTC). */
  dailyTickets: { userId: string; day: string; used: number }

  tickets: {
    id: string
    userId: string
    /** Null when it was sent with a JWT. */
    cloudKeyId: string | null
    sourceApp: string
    /** The sender's own name for it, from `context`; null when there is none, or a very long one. */
    externalId: string | null
    type: TicketType
    status: TicketStatus
    title: string
    description: string
    brand: string | null
    attachmentName: string | null
    attachmentMime: string | null
    hasScreenshot: Flag
    /** What `search` looks through, in lower case. */
    searchText: string
    createdAt: string
    updatedAt: string
  }
  /**
   * What of a ticket may be large, in pieces: data URLs as they were sent, logs and context as JSON. Lists don't read
   * them, and storing one never copies it whole.
   */
  ticketParts: { ticketId: string; part: TicketPart; position: number; text: string }
}

export type TicketPart = "screenshot" | "attachment" | "uiLogs" | "serverLogs" | "context"
