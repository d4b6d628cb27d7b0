import { z } from "zod"
import { SupportDraft, type OutboxProblem } from "../../../shared/contract/support.ts"
import type { TicketStatus } from "../../../shared/contract/tickets.ts"
import type { DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/stored-json.ts"
import { ticketColumns, type Moments, type TicketRow } from "./ticket-row.ts"

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
