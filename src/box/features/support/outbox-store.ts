import { sql, type Insertable, type Selectable } from "kysely"
import type { OutboxProblem, SupportDraft, SupportTicket } from "../../../shared/contract/support.ts"
import { SupportDraft as SupportDraftSchema } from "../../../shared/contract/support.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import type { TicketStatus } from "../../../shared/contract/tickets.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"

export type OutboxRow = Omit<Selectable<TablesOf<"support">["supportTickets"]>, "draft" | "context">

/** What a ticket is made of when it is sent. */
export interface Unsent {
  draft: SupportDraft
  context: Record<string, unknown>
}

/** Now, and when a request that was cut off just now can't be worked on by the service any more. */
export interface Moments {
  now: string
  settled: string
}

export type OutboxStore = ReturnType<typeof createOutboxStore>

const unsent = ["waiting", "sending", "unsure", "refused"] as const
const automatic = ["waiting", "unsure"] as const
/** Without the large column. */
const columns = [
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

/** Reports of all users: those on their way with everything they hold, and those that were sent without. */
export function createOutboxStore(db: DbOf<"support">) {
  const owned = (ownerId: string) => db.selectFrom("supportTickets").where("ownerId", "=", ownerId)
  const one = (id: string) => db.updateTable("supportTickets").where("id", "=", id)
  const count = async (query: ReturnType<typeof owned>) =>
    (await query.select((e) => e.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()).total

  async function makeDue(ownerId: string, ids: string[], { now, settled }: Moments): Promise<void> {
    const chosen = () =>
      db.updateTable("supportTickets").where("ownerId", "=", ownerId).where("id", "in", ids)
    await chosen()
      .where("state", "in", ["waiting", "refused"])
      .set({ state: "waiting", nextAttemptAt: now })
      .execute()
    await chosen()
      .where("state", "=", "unsure")
      .set({ nextAttemptAt: sql<string>`min(coalesce(nextAttemptAt, ${settled}), ${settled})` })
      .execute()
  }

  return {
    async list(ownerId: string, page: Page): Promise<{ rows: OutboxRow[]; total: number }> {
      const rows = await owned(ownerId)
        .select(columns)
        .orderBy("id", "desc")
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      return { rows, total: await count(owned(ownerId)) }
    },

    find: (ownerId: string, id: string): Promise<OutboxRow | undefined> =>
      owned(ownerId).where("id", "=", id).select(columns).executeTakeFirst(),

    countUnsent: (ownerId: string) => count(owned(ownerId).where("state", "in", unsent)),

    async insert(row: Insertable<TablesOf<"support">["supportTickets"]>): Promise<void> {
      await db.insertInto("supportTickets").values(row).execute()
    },

    /** Replaces what a report says unless it may be on its way; whether it could. */
    async replace(ownerId: string, id: string, draft: SupportDraft, now: string): Promise<boolean> {
      const { type, title, description } = draft
      const { numUpdatedRows } = await one(id)
        .where("ownerId", "=", ownerId)
        .where("state", "in", ["waiting", "refused"])
        .set({ type, title, description, draft: JSON.stringify(draft) })
        .set({ state: "waiting", problem: null, attempts: 0, nextAttemptAt: now })
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Removes a report unless it is being sent at this moment; whether it could. */
    async remove(ownerId: string, id: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom("supportTickets")
        .where("ownerId", "=", ownerId)
        .where("id", "=", id)
        .where("state", "!=", "sending")
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** What a report that isn't sent yet holds. */
    async unsent(id: string): Promise<Unsent | null> {
      const row = await db
        .selectFrom("supportTickets")
        .select(["draft", "context"])
        .where("id", "=", id)
        .executeTakeFirst()
      if (!row || row.draft === null) return null
      return {
        draft: SupportDraftSchema.parse(JSON.parse(row.draft)),
        context: JSON.parse(row.context) as Record<string, unknown>,
      }
    },

    /** Lets a report be tried at once; one in doubt only when what may be under way has settled. */
    due: (ownerId: string, id: string, when: Moments): Promise<void> => makeDue(ownerId, [id], when),

    /** A credential is there again: what waited for one, or was refused without one, is tried. */
    async dueForAccount(ownerId: string, when: Moments): Promise<void> {
      const rows = await owned(ownerId)
        .where("state", "in", unsent)
        .select(["id", "state", "problem"])
        .execute()
      const ids = rows.filter((row) => {
        const code = problemOf(row)?.code
        return row.state !== "refused" || code === "unauthorized" || code === "forbidden"
      })
      await makeDue(
        ownerId,
        ids.map(({ id }) => id),
        when,
      )
    },

    /** While nothing is being sent: what looks as if it were was interrupted, and may have arrived. */
    async doubtInterrupted({ settled }: Moments): Promise<void> {
      await db
        .updateTable("supportTickets")
        .where("state", "=", "sending")
        .set({ state: "unsure", nextAttemptAt: settled })
        .execute()
    },

    /** At start: what waited for an account is looked at, because the box may know another service now. */
    async wakeHeld({ now }: Moments): Promise<void> {
      await db
        .updateTable("supportTickets")
        .where("state", "in", automatic)
        .where("nextAttemptAt", "is", null)
        .set({ nextAttemptAt: now })
        .execute()
    },

    /** The one that waits longest past its time, or further ahead than any does: the clock was ahead then. */
    nextDue: ({ now, furthest }: { now: string; furthest: string }): Promise<OutboxRow | undefined> =>
      db
        .selectFrom("supportTickets")
        .select(columns)
        .where("state", "in", automatic)
        .where((e) => e.or([e("nextAttemptAt", "<=", now), e("nextAttemptAt", ">", furthest)]))
        .orderBy("nextAttemptAt")
        .limit(1)
        .executeTakeFirst(),

    /** When the next one is due; null when none is. */
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

    /** Notes, before anything leaves, that it is about to; false when it was changed or removed meanwhile. */
    async startSending({ id, attempts, state }: OutboxRow): Promise<boolean> {
      const { numUpdatedRows } = await one(id)
        .where("state", "=", state)
        .set({ state: "sending", attempts: attempts + 1, nextAttemptAt: null })
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** How an attempt ended without a ticket. */
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

    /** A ticket exists: what it was made of isn't needed any more. */
    async sent(
      id: string,
      ticket: { ticketId: string; status: TicketStatus; statusChangedAt: string; sentAt: string },
    ): Promise<void> {
      await one(id)
        .set({ ...ticket, state: "sent", problem: null, nextAttemptAt: null, draft: null })
        .execute()
    },

    /** Users who have sent something. */
    async senders(): Promise<string[]> {
      const rows = await db
        .selectFrom("supportTickets")
        .select("ownerId")
        .distinct()
        .where("state", "=", "sent")
        .execute()
      return rows.map(({ ownerId }) => ownerId)
    },

    sentBy: (ownerId: string) =>
      owned(ownerId).where("state", "=", "sent").select(["id", "ticketId", "status", "title"]).execute(),

    async setStatus(id: string, status: TicketStatus, statusChangedAt: string): Promise<void> {
      await one(id).set({ status, statusChangedAt }).execute()
    },

    /** Forgets the oldest of what was sent beyond this many. */
    async trimSent(ownerId: string, most: number): Promise<void> {
      const older = owned(ownerId)
        .where("state", "=", "sent")
        .select("id")
        .orderBy("id", "desc")
        .limit(-1)
        .offset(most)
      await db.deleteFrom("supportTickets").where("id", "in", older).execute()
    },
  }
}

export const problemOf = ({ problem }: Pick<OutboxRow, "problem">): OutboxProblem | null =>
  problem === null ? null : (JSON.parse(problem) as OutboxProblem)

/** The contract leaves out whose it is. */
export const presentTicket = (row: OutboxRow): SupportTicket => ({ ...row, problem: problemOf(row) })
