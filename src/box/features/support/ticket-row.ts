import type { Selectable } from "kysely"
import { OutboxProblem, type SupportTicket } from "../../../shared/contract/support.ts"
import { readStored } from "../../core/database/stored-json.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"

export type TicketRow = Omit<Selectable<TablesOf<"support">["supportTickets"]>, "draft" | "context">

/** The current time, and the time from which the service can no longer be processing a request that was cut off just now. */
export interface Moments {
  now: string
  settled: string
}

/** All columns except the large one. */
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

/** States of a report without a ticket. */
export const unsentStates = ["waiting", "sending", "unsure", "refused"] as const

export const getProblem = ({ problem }: Pick<TicketRow, "problem">): OutboxProblem | null =>
  problem === null ? null : (readStored(OutboxProblem, problem) ?? null)

/** The contract omits the owner. */
export const presentTicket = (row: TicketRow): SupportTicket => ({ ...row, problem: getProblem(row) })
