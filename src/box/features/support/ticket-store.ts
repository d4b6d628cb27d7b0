import { type Selectable, sql, type Insertable } from "kysely"
import { z } from "zod"
import type { Page } from "../../../shared/contract/primitives.ts"
import { OutboxProblem, type SupportTicket, SupportDraft } from "../../../shared/contract/support.ts"
import type { TicketStatus } from "../../../shared/contract/tickets.ts"
import type { DbOf } from "../../core/database/database.ts"
import { noLimit, readStored } from "../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"

export type TicketRow = Omit<Selectable<TablesOf<"support">["supportTickets"]>, "draft" | "context">

/** The current time, and the time from which the service can no longer be processing a request that was cut off just now. */
export interface Moments {
  now: string
  settled: string
}

/** All columns except the large one. */
const ticketColumns = [
  "id",
  "ownerId",
  "state",
  "type",
  "title",
  "description",
  "problem",
  "attempts",
  "nextAttemptAt",
  "ticketId",
  "status",
  "statusChangedAt",
  "createdAt",
  "sentAt",
] as const

/** States of a report without a ticket. */
const unsentStates = ["waiting", "sending", "unsure", "refused"] as const

const getProblem = ({ problem }: Pick<TicketRow, "problem">): OutboxProblem | null =>
  problem === null ? null : (readStored(OutboxProblem, problem) ?? null)

/** The contract omits the owner. */
export const presentTicket = (row: TicketRow): SupportTicket => ({ ...row, problem: getProblem(row) })

/** Users' operations on their own reports. `createSendQueue` sends them and `createSentTickets` follows them. */
export function createOutboxStore(db: DbOf<"support">) {
  const owned = (ownerId: string) => db.selectFrom("supportTickets").where("ownerId", "=", ownerId)
  const count = async (query: ReturnType<typeof owned>) =>
    (await query.select((e) => e.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()).total

  return {
    async list(ownerId: string, page: Page): Promise<{ rows: TicketRow[]; total: number }> {
      const rows = await owned(ownerId)
        .select(ticketColumns)
        .orderBy("id", "desc")
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      return { rows, total: await count(owned(ownerId)) }
    },

    find: (ownerId: string, id: string): Promise<TicketRow | undefined> =>
      owned(ownerId).where("id", "=", id).select(ticketColumns).executeTakeFirst(),

    countUnsent: (ownerId: string) => count(owned(ownerId).where("state", "in", unsentStates)),

    async insert(row: Insertable<TablesOf<"support">["supportTickets"]>): Promise<void> {
      await db.insertInto("supportTickets").values(row).execute()
    },

    /** Replaces a report's content unless the report may already be on its way. Returns whether it was replaced. */
    async replace(ownerId: string, id: string, draft: SupportDraft, now: string): Promise<boolean> {
      const { type, title, description } = draft
      const { numUpdatedRows } = await db
        .updateTable("supportTickets")
        .where("ownerId", "=", ownerId)
        .where("id", "=", id)
        .where("state", "in", ["waiting", "refused"])
        .set({ type, title, description, draft: JSON.stringify(draft) })
        .set({ state: "waiting", problem: null, attempts: 0, nextAttemptAt: now })
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Removes a report unless it is being sent at the moment. Returns whether it was removed. */
    async remove(ownerId: string, id: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom("supportTickets")
        .where("ownerId", "=", ownerId)
        .where("id", "=", id)
        .where("state", "!=", "sending")
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** Makes a report due at once. A report in doubt becomes due only when a running request must have ended. */
    due: (ownerId: string, id: string, when: Moments): Promise<void> => makeDue(db, ownerId, [id], when),

    /** Makes reports due that waited for a credential, or were refused without one, because there is a credential again. */
    async dueForAccount(ownerId: string, when: Moments): Promise<void> {
      const rows = await owned(ownerId)
        .where("state", "in", unsentStates)
        .select(["id", "state", "problem"])
        .execute()
      const ids = rows.filter((row) => {
        const code = getProblem(row)?.code
        return row.state !== "refused" || code === "unauthorized" || code === "forbidden"
      })
      await makeDue(
        db,
        ownerId,
        ids.map(({ id }) => id),
        when,
      )
    },
  }
}

async function makeDue(
  db: DbOf<"support">,
  ownerId: string,
  ids: string[],
  { now, settled }: Moments,
): Promise<void> {
  const chosen = () => db.updateTable("supportTickets").where("ownerId", "=", ownerId).where("id", "in", ids)
  await chosen()
    .where("state", "in", ["waiting", "refused"])
    .set({ state: "waiting", nextAttemptAt: now })
    .execute()
  await chosen()
    .where("state", "=", "unsure")
    .set({
      nextAttemptAt: sql<string>`CASE WHEN "nextAttemptAt" < ${settled} THEN "nextAttemptAt" ELSE ${settled} END`,
    })
    .execute()
}

/** The content of a ticket that hasn't been sent yet. */
export interface Unsent {
  draft: SupportDraft
  context: Record<string, unknown>
}

const Context = z.record(z.string(), z.unknown())

export type SendQueue = ReturnType<typeof createSendQueue>

/** States that end by themselves after some time. */
const automatic = ["waiting", "unsure"] as const

/** Reads reports for the sender, and records each attempt. */
export function createSendQueue(db: DbOf<"support">) {
  const one = (id: string) => db.updateTable("supportTickets").where("id", "=", id)

  return {
    /** The content of an unsent report; null if it is unreadable, as in an altered backup. */
    async unsent(id: string): Promise<Unsent | null> {
      const row = await db
        .selectFrom("supportTickets")
        .select(["draft", "context"])
        .where("id", "=", id)
        .executeTakeFirst()
      if (!row || row.draft === null) return null
      const draft = readStored(SupportDraft, row.draft)
      return draft ? { draft, context: readStored(Context, row.context) ?? {} } : null
    },

    /** Call it while nothing is being sent: reports in the state `sending` were interrupted, and may have arrived. */
    async doubtInterrupted({ settled }: Moments): Promise<void> {
      await db
        .updateTable("supportTickets")
        .where("state", "=", "sending")
        .set({ state: "unsure", nextAttemptAt: settled })
        .execute()
    },

    /** Makes reports due at the start that waited for an account, because the server may know another service now. */
    async wakeBlocked({ now }: Moments): Promise<void> {
      await db
        .updateTable("supportTickets")
        .where("state", "in", automatic)
        .where("nextAttemptAt", "is", null)
        .set({ nextAttemptAt: now })
        .execute()
    },

    /** The longest overdue report, or one due later than any delay allows, because the clock was ahead when it was stored. */
    nextDue: ({ now, furthest }: { now: string; furthest: string }): Promise<TicketRow | undefined> =>
      db
        .selectFrom("supportTickets")
        .select(ticketColumns)
        .where("state", "in", automatic)
        .where((e) => e.or([e("nextAttemptAt", "<=", now), e("nextAttemptAt", ">", furthest)]))
        .orderBy("nextAttemptAt")
        .limit(1)
        .executeTakeFirst(),

    /** When the next report is due; null if none is. */
    async earliest(): Promise<string | null> {
      const row = await db
        .selectFrom("supportTickets")
        .select("nextAttemptAt")
        .where("state", "in", automatic)
        .where("nextAttemptAt", "is not", null)
        .orderBy("nextAttemptAt")
        .limit(1)
        .executeTakeFirst()
      return row?.nextAttemptAt ?? null
    },

    /** Records, before anything is sent, that sending starts. Returns false if the report was changed or removed in the meantime. */
    async startSending({ id, attempts, state }: TicketRow): Promise<boolean> {
      const { numUpdatedRows } = await one(id)
        .where("state", "=", state)
        .set({ state: "sending", attempts: attempts + 1, nextAttemptAt: null })
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Records an attempt that ended without a ticket. */
    async failed(
      id: string,
      outcome: {
        state: "waiting" | "unsure" | "refused"
        problem: OutboxProblem
        nextAttemptAt: string | null
      },
    ): Promise<void> {
      await one(id)
        .set({ ...outcome, problem: JSON.stringify(outcome.problem) })
        .execute()
    },

    /** Records that a ticket exists, and deletes the content that it was made from. */
    async sent(
      id: string,
      ticket: { ticketId: string; status: TicketStatus; statusChangedAt: string; sentAt: string },
    ): Promise<void> {
      await one(id)
        .set({ ...ticket, state: "sent", problem: null, nextAttemptAt: null, draft: null })
        .execute()
    },
  }
}

/** Prevents reports of a restored backup from being sent until their authors send them again. */
export async function stopReports(db: DbOf<"support">): Promise<void> {
  const problem: OutboxProblem = { code: "restored", message: "It came with a restored backup." }
  await db
    .updateTable("supportTickets")
    .where("state", "!=", "sent")
    .set({ state: "refused", problem: JSON.stringify(problem), nextAttemptAt: null })
    .execute()
}

export type SentTickets = ReturnType<typeof createSentTickets>

/** Tickets created from reports. */
export function createSentTickets(db: DbOf<"support">) {
  const sent = () => db.selectFrom("supportTickets").where("state", "=", "sent")

  return {
    /** Users who have sent a report. */
    async senders(): Promise<string[]> {
      const rows = await sent().select("ownerId").distinct().execute()
      return rows.map(({ ownerId }) => ownerId)
    },

    sentBy: (ownerId: string) =>
      sent().where("ownerId", "=", ownerId).select(["id", "ticketId", "status", "title"]).execute(),

    async setStatus(id: string, status: TicketStatus, statusChangedAt: string): Promise<void> {
      await db.updateTable("supportTickets").where("id", "=", id).set({ status, statusChangedAt }).execute()
    },

    /** Deletes the oldest sent reports beyond this number. */
    async trimSent(ownerId: string, max: number): Promise<void> {
      const older = sent()
        .where("ownerId", "=", ownerId)
        .select("id")
        .orderBy("id", "desc")
        .limit(noLimit)
        .offset(max)
      await db.deleteFrom("supportTickets").where("id", "in", older).execute()
    },
  }
}
