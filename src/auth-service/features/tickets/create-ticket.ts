import { ServiceError } from "../../../shared/contract/service-errors.ts"
import {
  maxExternalIdLength,
  type TicketDraft,
  type TicketReceipt,
} from "../../../shared/contract/tickets.ts"
import { isWriteConflict, type Database, type DatabaseTransaction } from "../../core/database.ts"
import type { TicketPart } from "../../core/database-schema.ts"
import { newId, timestamp } from "../../core/ids.ts"
import type { Caller } from "../../http/caller.ts"
import { writePart } from "./ticket-parts.ts"

export interface CreateTicketDeps {
  db: Database
  /** Counts the ticket against its owner's quota. */
  chargeTicket(transaction: DatabaseTransaction, userId: string): Promise<void>
  /** Throws if the user was blocked after the request was admitted. */
  requireAvailable(transaction: DatabaseTransaction, userId: string): Promise<void>
  /** Counts the use of the key, and throws if it was changed after the request was admitted. */
  useKey(transaction: DatabaseTransaction, key: { id: string; revision: number }): Promise<void>
}

export type CreateTicket = (caller: Caller, draft: TicketDraft) => Promise<TicketReceipt>

/** Creates a ticket for the caller. Ticket, quota and key use are one transaction, so a failure changes nothing. */
export function createTicketCreation({
  db,
  chargeTicket,
  requireAvailable,
  useKey,
}: CreateTicketDeps): CreateTicket {
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
