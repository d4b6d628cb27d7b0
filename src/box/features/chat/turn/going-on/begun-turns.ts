import type { MessagePart } from "../../../../../shared/contract/chat.ts"
import { among } from "../../../../core/database/among.ts"
import type { DbOf, TransactionOf } from "../../../../core/database/database.ts"
import { readStored } from "../../../../core/database/stored-json.ts"
import { withPieces } from "../../transcript/answers/answer-pieces.ts"
import { createPieceWriter } from "../../transcript/answers/piece-writer.ts"
import { createAnswerRecord } from "../../transcript/answers/answer-record.ts"
import { readParts } from "../../transcript/message-parts.ts"
import type { AnswerKey } from "../../transcript/transcript-store.ts"
import type { TurnProgress, TurnRequest } from "../turn.ts"
import { BegunProgress, BegunTurn, toBegun, toBegunProgress } from "./begun-turn.ts"

/** A turn whose answer was being written when the box ended. */
export interface StoredBegun extends AnswerKey {
  turn: BegunTurn
  progress: BegunProgress
  parts: MessagePart[]
}

/** What is stored of a turn that begins. */
export interface Begins extends Pick<StoredBegun, "messageId"> {
  request: TurnRequest
  progress: TurnProgress
  /** The key that asked; null: none did. */
  keyId: string | null
}

/** How many boxes go on with a turn at most: it may be the turn that ends them. */
const mostAttempts = 2

/** Turns that are being written, as another box needs them to go on. Each goes with the end of its answer. */
export function createBegunTurns(db: DbOf<"chat">) {
  const writePiece = createPieceWriter(db)
  /** What is stored of the progress of each. */
  const noted = new WeakMap<TurnProgress, string>()
  /** Of answers that go on: what the first new piece follows, in place of what was cut off. */
  const kept = new Map<string, readonly MessagePart[]>()

  return {
    async add(transaction: TransactionOf<"chat">, { messageId, request, progress, keyId }: Begins) {
      const turn = JSON.stringify(toBegun(request, keyId))
      const stored = JSON.stringify(toBegunProgress(progress))
      await transaction.insertInto("begunTurns").values({ messageId, turn, progress: stored }).execute()
      noted.set(progress, stored)
    },

    /** No box goes on with it any more. */
    async remove(messageId: string, transaction: DbOf<"chat"> = db): Promise<void> {
      await transaction.deleteFrom("begunTurns").where("messageId", "=", messageId).execute()
      kept.delete(messageId)
    },

    /** Stores what came of an answer since the piece before, and how far it is with it. */
    async addPiece(messageId: string, parts: MessagePart[], progress: TurnProgress): Promise<void> {
      const follows = kept.get(messageId)
      if (follows && parts.length === 0) return
      const stored = JSON.stringify(toBegunProgress(progress))
      if (!follows && stored === noted.get(progress)) return writePiece(messageId, parts)
      await db.transaction().execute(async (transaction) => {
        if (follows) await cutBack(transaction, messageId, follows)
        await transaction
          .insertInto("answerPieces")
          .values({ messageId, parts: JSON.stringify(parts) })
          .execute()
        await transaction
          .updateTable("begunTurns")
          .set({ progress: stored })
          .where("messageId", "=", messageId)
          .execute()
      })
      noted.set(progress, stored)
      kept.delete(messageId)
    },

    /** Those whose answers can go on. */
    async list(): Promise<StoredBegun[]> {
      const rows = await db
        .selectFrom("begunTurns")
        .innerJoin("messages", "messages.id", "begunTurns.messageId")
        .innerJoin("conversations", (join) =>
          join
            .onRef("conversations.headId", "=", "messages.id")
            .onRef("conversations.ownerId", "=", "messages.ownerId"),
        )
        .select([
          "messages.id",
          "messages.ownerId",
          "messages.conversationId",
          "messages.role",
          "messages.content",
          "messages.parts",
          "messages.finishReason",
          "begunTurns.turn",
          "begunTurns.progress",
        ])
        .where("attempts", "<", mostAttempts)
        .where("finishReason", "is", null)
        .where("conversations.streamStatus", "=", "active")
        .where("conversations.removed", "=", 0)
        .execute()
      return (await withPieces(db, rows)).flatMap((row) => {
        const turn = readStored(BegunTurn, row.turn)
        const progress = readStored(BegunProgress, row.progress)
        const key = { ownerId: row.ownerId, chatId: row.conversationId, messageId: row.id }
        return turn && progress ? [{ ...key, turn, progress, parts: readParts(row.parts) }] : []
      })
    },

    /** This box goes on with these, each from what is kept of its answer, and with no others. */
    async take(turns: readonly { messageId: string; kept: readonly MessagePart[] }[]): Promise<void> {
      const ids = among(turns.map(({ messageId }) => messageId))
      await db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom("begunTurns").where("messageId", "not in", ids).execute()
        await transaction
          .updateTable("begunTurns")
          .set(({ eb }) => ({ attempts: eb("attempts", "+", 1) }))
          .execute()
      })
      for (const turn of turns) kept.set(turn.messageId, turn.kept)
    },

    /** The box ends in order: it isn't a turn that ended it. */
    async leave(): Promise<void> {
      await db.updateTable("begunTurns").set({ attempts: 0 }).execute()
    },
  }
}

export type BegunTurns = ReturnType<typeof createBegunTurns>

/** An answer is what is kept of it from now on. */
async function cutBack(
  transaction: TransactionOf<"chat">,
  messageId: string,
  kept: readonly MessagePart[],
): Promise<void> {
  const record = createAnswerRecord(kept)
  await transaction
    .updateTable("messages")
    .set({ content: record.content(), parts: JSON.stringify(record.parts()) })
    .where("id", "=", messageId)
    .execute()
  await transaction.deleteFrom("answerPieces").where("messageId", "=", messageId).execute()
}

/** Resumes no answer in a database that comes from a backup. */
export async function forgetBegunTurns(db: DbOf<"chat">): Promise<void> {
  await db.deleteFrom("begunTurns").execute()
}
