import type { TicketStatus } from "../../../shared/contract/tickets.ts"
import type { DbOf } from "../../core/database/database.ts"
import { noLimit } from "../../core/database/sql-helpers.ts"

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
    async trimSent(ownerId: string, most: number): Promise<void> {
      const older = sent()
        .where("ownerId", "=", ownerId)
        .select("id")
        .orderBy("id", "desc")
        .limit(noLimit)
        .offset(most)
      await db.deleteFrom("supportTickets").where("id", "in", older).execute()
    },
  }
}
