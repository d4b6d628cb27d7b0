import { sql } from "kysely"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import { ServiceError } from "../../../shared/contract/service-errors.ts"
import {
  LogLine,
  type OwnTicket,
  type Ticket,
  type TicketState,
  type TicketStatus,
  type TicketSummary,
} from "../../../shared/contract/tickets.ts"
import type { Database } from "../../core/database.ts"
import { timestamp } from "../../core/ids.ts"
import { readParts } from "./ticket-parts.ts"

export interface QueueFilter {
  sourceApp?: string | undefined
  status?: TicketStatus | undefined
  /** Part of the title, description, or creator's name or email address, ignoring case. */
  search?: string | undefined
}

export type ExportedTicket = TicketSummary & { description: string }

/** The support queue: all tickets, newest first. */
export interface Queue {
  list(filter: QueueFilter, page: Page): Promise<{ tickets: TicketSummary[]; pagination: Pagination }>
  /** Yields all tickets that match the filter, read in batches. */
  all(filter: QueueFilter): AsyncGenerator<ExportedTicket>
  /** Throws `NOT_FOUND`. */
  read(id: string): Promise<Ticket>
  /** Throws `NOT_FOUND`. */
  change(id: string, status: TicketStatus): Promise<TicketState>
  /** Returns the state of a user's own tickets, or only of those with this external id. */
  listByUser(
    userId: string,
    page: Page,
    externalId: string | undefined,
  ): Promise<{ tickets: OwnTicket[]; pagination: Pagination }>
}

const batchSize = 200
const stateColumns = ["tickets.id", "tickets.createdAt", "tickets.updatedAt", "status", "sourceApp"] as const
const summaryColumns = [
  ...stateColumns,
  "type",
  "title",
  "brand",
  "hasScreenshot",
  "attachmentName",
  "tickets.userId",
  "user.email",
  "user.name",
  "company",
] as const

export function createQueue(db: Database): Queue {
  function matching({ sourceApp, status, search }: QueueFilter) {
    let query = db.selectFrom("tickets")
    if (sourceApp !== undefined) query = query.where("sourceApp", "=", sourceApp)
    if (status !== undefined) query = query.where("status", "=", status)
    if (search !== undefined && search !== "") {
      const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`
      query = query.where(sql<boolean>`"searchText" like ${pattern} escape '\\'`)
    }
    return query
  }

  const joinUser = (query: ReturnType<typeof matching>) =>
    query
      .innerJoin("user", "user.id", "tickets.userId")
      .leftJoin("members", "members.userId", "tickets.userId")
      .orderBy("tickets.id", "desc")

  return {
    async list(filter, page) {
      const rows = await joinUser(matching(filter))
        .select(summaryColumns)
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      const { total } = await matching(filter)
        .select((row) => row.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      return { tickets: rows.map(presentSummary), pagination: paginate(total, page, rows.length) }
    },

    async *all(filter) {
      let before: string | null = null
      for (;;) {
        let query = joinUser(matching(filter))
          .select([...summaryColumns, "description"])
          .limit(batchSize)
        if (before !== null) query = query.where("tickets.id", "<", before)
        const rows = await query.execute()
        for (const { description, ...row } of rows) yield { ...presentSummary(row), description }
        const last = rows.at(-1)
        if (last === undefined || rows.length < batchSize) return
        before = last.id
      }
    },

    async read(id) {
      const row = await joinUser(db.selectFrom("tickets").where("tickets.id", "=", id))
        .select([...summaryColumns, "description", "attachmentMime"])
        .executeTakeFirst()
      if (row === undefined) throw missing()
      const parts = await readParts(db, id)
      const { description, attachmentMime, ...summary } = row
      return {
        ...presentSummary(summary),
        description,
        attachmentMime,
        screenshot: parts.get("screenshot") ?? null,
        attachment: parts.get("attachment") ?? null,
        uiLogs: LogLine.array().parse(JSON.parse(parts.get("uiLogs") ?? "[]")),
        serverLogs: LogLine.array().parse(JSON.parse(parts.get("serverLogs") ?? "[]")),
        context: JSON.parse(parts.get("context") ?? "null") as Record<string, unknown> | null,
      }
    },

    async change(id, status) {
      const row = await db
        .updateTable("tickets")
        .set({ status, updatedAt: timestamp() })
        .where("id", "=", id)
        .returning(["id", "createdAt", "updatedAt", "status", "sourceApp"])
        .executeTakeFirst()
      if (row === undefined) throw missing()
      return row
    },

    async listByUser(userId, page, externalId) {
      let own = db.selectFrom("tickets").where("userId", "=", userId)
      if (externalId !== undefined) own = own.where("externalId", "=", externalId)
      const tickets = await own
        .select([...stateColumns, "externalId"])
        .orderBy("id", "desc")
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      const { total } = await own
        .select((row) => row.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      return { tickets, pagination: paginate(total, page, tickets.length) }
    },
  }
}

interface SummaryRow extends Omit<TicketSummary, "user" | "hasScreenshot"> {
  userId: string
  email: string
  name: string
  company: string | null
  hasScreenshot: number
}

function presentSummary({ userId, email, name, company, hasScreenshot, ...row }: SummaryRow): TicketSummary {
  return { ...row, hasScreenshot: hasScreenshot === 1, user: { id: userId, email, name, company } }
}

const missing = () => new ServiceError("NOT_FOUND", "There is no such ticket.")
