import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { sql } from "kysely"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import { ServiceError } from "../../../shared/contract/service-errors.ts"
import {
  maxExternalIdLength,
  type TicketDraft,
  type TicketReceipt,
  LogLine,
  type OwnTicket,
  type Ticket,
  type TicketState,
  type TicketStatus,
  type TicketSummary,
  type tickets,
} from "../../../shared/contract/tickets.ts"
import { csvLine, csvMark } from "../../../shared/words/csv.ts"
import {
  type Database,
  type DatabaseTransaction,
  type TicketPart,
  isWriteConflict,
} from "../../core/database.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Caller } from "../../http/authenticate.ts"
import type { Handlers } from "../../http/http-server.ts"

/** Characters in a piece. It is small because a statement copies its values several times. */
const pieceLength = 512 * 1024

/** Stores one large part of a ticket. */
async function writePart(
  transaction: DatabaseTransaction,
  ticketId: string,
  part: TicketPart,
  text: string,
): Promise<void> {
  let position = 0
  for (let start = 0; start < text.length; position++) {
    const end = start + pieceLength
    // A surrogate pair stays together, because half a character can't be stored.
    const isPairCut = /[\ud800-\udbff]/.test(text.charAt(end - 1))
    const piece = text.slice(start, isPairCut ? end - 1 : end)
    await transaction.insertInto("ticketParts").values({ ticketId, part, position, text: piece }).execute()
    start += piece.length
  }
}

/** All large parts that a ticket has. */
async function readParts(db: Database, ticketId: string): Promise<Map<TicketPart, string>> {
  const pieces = await db
    .selectFrom("ticketParts")
    .select(["part", "text"])
    .where("ticketId", "=", ticketId)
    .orderBy("part")
    .orderBy("position")
    .execute()
  const parts = new Map<TicketPart, string>()
  for (const { part, text } of pieces) parts.set(part, (parts.get(part) ?? "") + text)
  return parts
}

type CreateTicket = (caller: Caller, draft: TicketDraft) => Promise<TicketReceipt>

/** Creates a ticket for the caller. Ticket, quota and key use are one transaction, so a failure changes nothing. */
export function createTicketCreation({
  db,
  chargeTicket,
  requireAvailable,
  useKey,
}: {
  db: Database
  /** Counts the ticket against its owner's quota. */
  chargeTicket(transaction: DatabaseTransaction, userId: string): Promise<void>
  /** Throws if the user was blocked after the request was admitted. */
  requireAvailable(transaction: DatabaseTransaction, userId: string): Promise<void>
  /** Counts the use of the key, and throws if it was changed after the request was admitted. */
  useKey(transaction: DatabaseTransaction, key: { id: string; revision: number }): Promise<void>
}): CreateTicket {
  return async (caller, draft) => {
    try {
      return await db.transaction().execute(async (transaction) => {
        // The first statement is a write, so that SQLite waits for its lock instead of failing at a later write.
        await chargeTicket(transaction, caller.userId)
        await requireAvailable(transaction, caller.userId)
        if (caller.key !== null) await useKey(transaction, caller.key)
        return insertTicket(transaction, caller, draft)
      })
    } catch (cause) {
      if (cause instanceof ServiceError || isWriteConflict(cause)) throw cause
      throw new ServiceError("INTERNAL_ERROR", "The report could not be saved. Try again later.", { cause })
    }
  }
}

async function insertTicket(
  transaction: DatabaseTransaction,
  caller: Caller,
  draft: TicketDraft,
): Promise<TicketReceipt> {
  const { sourceApp, type, title, description, screenshot, attachment } = draft
  const createdAt = timestamp()
  const receipt: TicketReceipt = { id: newId(), createdAt, status: "OPEN", sourceApp }
  const isAttached = "attachmentName" in draft
  await transaction
    .insertInto("tickets")
    .values({
      ...receipt,
      userId: caller.userId,
      cloudKeyId: caller.key?.id ?? null,
      externalId: getExternalId(draft),
      type,
      title,
      description,
      brand: draft.brand ?? null,
      attachmentName: isAttached ? draft.attachmentName : null,
      attachmentMime: isAttached ? (draft.attachmentMime ?? null) : null,
      hasScreenshot: screenshot === undefined ? 0 : 1,
      searchText: [title, description, caller.email, caller.name].join("\n").toLowerCase(),
      updatedAt: createdAt,
    })
    .execute()
  const write = (part: TicketPart, text: string) => writePart(transaction, receipt.id, part, text)
  if (screenshot !== undefined) await write("screenshot", screenshot)
  if (attachment !== undefined) await write("attachment", attachment)
  for (const part of ["uiLogs", "serverLogs", "context"] as const) {
    const value = draft[part]
    if (value !== undefined) await write(part, JSON.stringify(value))
  }
  return receipt
}

function getExternalId({ context }: TicketDraft): string | null {
  const id = context?.["externalId"]
  // PostgreSQL text can't contain NUL.
  return typeof id === "string" && id.length <= maxExternalIdLength && !id.includes("\0") ? id : null
}

interface QueueFilter {
  sourceApp?: string | undefined
  status?: TicketStatus | undefined
  /** Part of the title, description, or creator's name or email address, ignoring case. */
  search?: string | undefined
}

type ExportedTicket = TicketSummary & { description: string }

/** The support queue: all tickets, newest first. */
interface Queue {
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

const columns: Record<string, (ticket: ExportedTicket) => string> = {
  id: (ticket) => ticket.id,
  createdAt: (ticket) => ticket.createdAt,
  updatedAt: (ticket) => ticket.updatedAt,
  status: (ticket) => ticket.status,
  type: (ticket) => ticket.type,
  sourceApp: (ticket) => ticket.sourceApp,
  brand: (ticket) => ticket.brand ?? "",
  title: (ticket) => ticket.title,
  description: (ticket) => ticket.description,
  email: (ticket) => ticket.user.email,
  name: (ticket) => ticket.user.name,
  company: (ticket) => ticket.user.company ?? "",
  screenshot: (ticket) => (ticket.hasScreenshot ? "yes" : "no"),
  attachment: (ticket) => ticket.attachmentName ?? "",
}

/** Yields tickets as CSV lines. */
async function* csvLines(tickets: AsyncIterable<ExportedTicket>): AsyncGenerator<string> {
  yield `${csvMark}${csvLine(Object.keys(columns))}\r\n`
  for await (const ticket of tickets) {
    const cells = Object.values(columns).map((read) => read(ticket))
    yield `${csvLine(cells)}\r\n`
  }
}

/** Routes for creating tickets, the state of the caller's own tickets, and the support queue. */
export function ticketHandlers(createTicket: CreateTicket, queue: Queue): Handlers<typeof tickets> {
  return {
    create: async ({ caller, body }) => ({ ticket: await createTicket(caller, body) }),
    mine: ({ caller, query: { externalId, ...page } }) => queue.listByUser(caller.userId, page, externalId),
    async exportCsv({ query, response }) {
      response.attachment("tickets.csv").type("text/csv")
      await pipeline(Readable.from(csvLines(queue.all(query))), response)
    },
    list: ({ query: { limit, offset, ...filter } }) => queue.list(filter, { limit, offset }),
    read: async ({ params }) => ({ ticket: await queue.read(params.id) }),
    change: async ({ params, body }) => ({ ticket: await queue.change(params.id, body.status) }),
  }
}
