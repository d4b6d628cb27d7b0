import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import type { DbOf } from "../../../../core/database/database.ts"
import { AppError } from "../../../../../shared/contract/errors.ts"

/** Maximum number of pieces per statement. */
const maxTogether = 500

interface Piece {
  row: { messageId: string; parts: string }
  stored(): void
  failed(error: unknown): void
}

/** Returns whether the database is unavailable, in which case no other piece can be stored either. */
const isAway = (error: unknown) => error instanceof AppError && error.code === "unavailable"

/**
 * Stores what was added to an answer since its previous piece. Pieces that arrive during a write are stored together with the next one.
 * Thousands of answers therefore need one database connection, and a piece that can't be stored doesn't block others.
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
      const next = waiting.slice(0, maxTogether)
      waiting = waiting.slice(maxTogether)
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
