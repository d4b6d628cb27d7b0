import type { Kysely, Transaction } from "kysely"
import type { Migration } from "kysely/migration"
import type { TicketStatus, TicketType } from "../../shared/contract/tickets.ts"

/** A boolean, as both SQLite and PostgreSQL store it. */
type Flag = 0 | 1

/**
 * Tables and columns. `user`, `session` and `jwks` belong to Better Auth, which has more columns than are read here; the others belong to
 * the service. Timestamps are ISO 8601 text, so that both databases compare them in the same way.
 */
export interface DatabaseSchema {
  user: { id: string; email: string; name: string }
  session: { id: string; userId: string; expiresAt: string }
  /** Keys that sign JWTs. */
  jwks: { id: string; expiresAt: string | null }

  /** Data about a user that isn't part of the account. */
  members: {
    userId: string
    company: string | null
    staff: Flag
    blocked: Flag
    /** Null means the default. */
    ticketsPerDay: number | null
    requestsPerMinute: number | null
  }
  cloudKeys: {
    id: string
    userId: string
    name: string
    /** SHA-256 of the key, base64url. */
    hash: string
    /** Start of the key, to distinguish keys. */
    hint: string
    /** JSON; null means full access. */
    permissions: string | null
    enabled: Flag
    /** Number of changes to the key. A request admitted with an older revision is refused. */
    revision: number
    uses: number
    createdAt: string
    lastUsedAt: string | null
    expiresAt: string
  }
  /** Requests of a caller in the minute that started at `startedAt`, in milliseconds since 1970. */
  rateWindows: { subject: string; startedAt: number; used: number }
  /** Number of tickets a user created on a day (UTC). */
  dailyTickets: { userId: string; day: string; used: number }

  tickets: {
    id: string
    userId: string
    /** Null if it was sent with a JWT. */
    cloudKeyId: string | null
    sourceApp: string
    /** The sender's name for the ticket, from `context`; null if there is none, or if it is too long. */
    externalId: string | null
    type: TicketType
    status: TicketStatus
    title: string
    description: string
    brand: string | null
    attachmentName: string | null
    attachmentMime: string | null
    hasScreenshot: Flag
    /** Text that `search` matches, in lower case. */
    searchText: string
    createdAt: string
    updatedAt: string
  }
  /**
   * Large parts of a ticket, in pieces: data URLs as sent, logs and context as JSON. Lists don't read them, and storing a part never copies
   * it whole.
   */
  ticketParts: { ticketId: string; part: TicketPart; position: number; text: string }
}

export type TicketPart = "screenshot" | "attachment" | "uiLogs" | "serverLogs" | "context"

export type Database = Kysely<DatabaseSchema>
export type DatabaseTransaction = Transaction<DatabaseSchema>

export interface OpenDatabase extends AsyncDisposable {
  readonly db: Database
  readonly type: "sqlite" | "postgres"
}

/** PostgreSQL: lock not available, deadlock, serialisation failure. SQLite: another process holds the lock. */
const conflictCodes = new Set(["55P03", "40P01", "40001", "SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT"])

/** Whether a statement failed only because others were writing the same rows. */
export function isWriteConflict(error: unknown): boolean {
  return error instanceof Error && conflictCodes.has((error as Error & { code?: string }).code ?? "")
}

/** A schema migration in a database's dialect. */
export type MigrationFor = (type: "sqlite" | "postgres") => Migration
