import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import type { DbOf } from "../../../../core/database/database.ts"
import { AppError } from "../../../../../shared/contract/errors.ts"

/** Pieces in one statement. */
const mostTogether = 500

interface Piece {
  row: { messageId: string; parts: string }
  stored(): void
  failed(error: unknown): void
}

/** Whether no other piece can be stored either. */
const isAway = (error: unknown) => error instanceof AppError && error.code === "unavailable"

/**
 * Stores what came of an answer since the piece before; those of all answers that come while others are being stored together. So
 * thousands of answers take one connection to the database, and one that can't be stored keeps no other from it.
 */
export function createPieceWriter(
  db: DbOf<"chat">,
): (messageId: string, parts: MessagePart[]) => Promise<void> {
  let waiting: Piece[] = []
  let isStoring = false

  async function store(pieces: Piece[]): Promise<void> {
    try {
      const rows = pieces.map(({ row }) => row)
      await db.insertInto("answerPieces").values(rows).execute()
      for (const piece of pieces) piece.stored()
    } catch (error) {
      if (pieces.length === 1 || isAway(error)) for (const piece of pieces) piece.failed(error)
      else for (const piece of pieces) await store([piece])
    }
  }

  async function storeAll(): Promise<void> {
    isStoring = true
    while (waiting.length > 0) {
      const next = waiting.slice(0, mostTogether)
      waiting = waiting.slice(mostTogether)
      await store(next)
    }
    isStoring = false
  }

  return (messageId, parts) =>
    new Promise((stored, failed) => {
      waiting.push({ row: { messageId, parts: JSON.stringify(parts) }, stored, failed })
      if (!isStoring) void storeAll()
    })
}
