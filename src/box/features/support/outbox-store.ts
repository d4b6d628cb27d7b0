import { sql, type Insertable } from "kysely"
import type { SupportDraft } from "../../../shared/contract/support.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { getProblem, ticketColumns, unsentStates, type Moments, type TicketRow } from "./ticket-row.ts"

/** Users' operations on their own reports. `send-queue.ts` and `sent-tickets.ts` send and follow them. */
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
