import type { Selectable } from "kysely"
import { OutboxProblem, type SupportTicket } from "../../../shared/contract/support.ts"
import { readStored } from "../../core/database/stored-json.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"

export type TicketRow = Omit<Selectable<TablesOf<"support">["supportTickets"]>, "draft" | "context">

/** Now, and when a request that was cut off just now can't be worked on by the service any more. */
export interface Moments {
  now: string
  settled: string
}

/** Without the large column. */
export const ticketColumns = [
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

/** States of a report that no ticket was made of yet. */
export const unsentStates = ["waiting", "sending", "unsure", "refused"] as const

export const problemOf = ({ problem }: Pick<TicketRow, "problem">): OutboxProblem | null =>
  problem === null ? null : (readStored(OutboxProblem, problem) ?? null)

/** The contract leaves out whose it is. */
export const presentTicket = (row: TicketRow): SupportTicket => ({ ...row, problem: problemOf(row) })
