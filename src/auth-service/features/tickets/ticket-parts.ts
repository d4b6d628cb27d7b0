import type { Database, DatabaseTransaction } from "../../core/database.ts"
import type { TicketPart } from "../../core/database-schema.ts"

/** Characters in a piece. It is small because a statement copies its values several times. */
const pieceLength = 512 * 1024

/** Stores one large part of a ticket. */
export async function writePart(
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
export async function readParts(db: Database, ticketId: string): Promise<Map<TicketPart, string>> {
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
