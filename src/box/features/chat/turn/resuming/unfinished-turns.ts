import { z } from "zod"
import { AskedFile, type MessagePart } from "../../../../../shared/contract/chat.ts"
import { Notice } from "../../../../../shared/contract/folders.ts"
import { among, readStored } from "../../../../core/database/sql-helpers.ts"
import type { DbOf, TransactionOf } from "../../../../core/database/database.ts"
import { ParkedTurn } from "../../approvals/parked-turns.ts"
import { mergePieces, createPieceWriter } from "../../transcript/answers/answer-pieces.ts"
import { Labels, createAnswerRecord, readParts } from "../../transcript/message-parts.ts"
import type { AnswerKey } from "../../transcript/transcript-store.ts"
import { toSent, toStored } from "../restore-turn.ts"
import type { TurnProgress, TurnRequest } from "../turn.ts"

const StoredNotice = Notice.transform((notice) => ({ ...notice, sentence: notice.sentence }))

/** The request without what its chat already stores: all that another box needs to resume the answer. */
const UnfinishedTurn = ParkedTurn.omit({ spent: true, sent: true, tasks: true }).extend({
  /** The API key that sent the request and with which the answer ends; null if there was none. */
  keyId: z.string().nullable(),
  askedFiles: AskedFile.array().nullable(),
  whole: z
    .object({
      fileIds: z.array(z.string()).nullable(),
      list: z.boolean(),
      columns: z.array(z.string()).nullable(),
      notice: StoredNotice.nullable(),
    })
    .nullable(),
  approvals: z.enum(["wait", "deny", "dryRun"]),
  notices: StoredNotice.array(),
})
type UnfinishedTurn = z.infer<typeof UnfinishedTurn>

/** The progress of the answer at its newest piece. */
const UnfinishedTurnProgress = ParkedTurn.pick({ spent: true, sent: true }).extend({
  /** Labels of what its model had read; null: unknown. */
  labels: Labels.nullable(),
})
type UnfinishedTurnProgress = z.infer<typeof UnfinishedTurnProgress>

const toStartedTurn = (request: TurnRequest, keyId: string | null): UnfinishedTurn => ({
  ...toStored(request),
  keyId,
  askedFiles: request.askedFiles && [...request.askedFiles],
  whole: request.whole && { ...request.whole, fileIds: request.whole.fileIds && [...request.whole.fileIds] },
  approvals: request.approvals,
  notices: [...request.notices],
})

const toStartedProgress = ({ spent, sent, labels }: TurnProgress): UnfinishedTurnProgress => ({
  spent,
  sent: toSent(sent),
  labels: labels && [...labels],
})

/** A turn whose answer was being written when the box stopped. */
export interface StoredUnfinishedTurn extends AnswerKey {
  turn: UnfinishedTurn
  progress: UnfinishedTurnProgress
  parts: MessagePart[]
}

/** The data stored when a turn starts. */
export interface NewUnfinishedTurn extends Pick<StoredUnfinishedTurn, "messageId"> {
  request: TurnRequest
  progress: TurnProgress
  /** The API key that sent the request; null if there was none. */
  keyId: string | null
}

/** Maximum number of boxes that try to resume a turn, because the turn itself may be what crashes them. */
const maxAttempts = 2

/** Stores turns that are being written, so that another box can resume them. Each is removed when its answer ends. */
export function createUnfinishedTurns(db: DbOf<"chat">) {
  const writePiece = createPieceWriter(db)
  /** The stored progress of each turn. */
  const noted = new WeakMap<TurnProgress, string>()
  /** For resumed answers: the parts that the first new piece follows. The piece replaces the part that was cut off. */
  const kept = new Map<string, readonly MessagePart[]>()

  return {
    async add(
      transaction: TransactionOf<"chat">,
      { messageId, request, progress, keyId }: NewUnfinishedTurn,
    ) {
      const turn = JSON.stringify(toStartedTurn(request, keyId))
      const stored = JSON.stringify(toStartedProgress(progress))
      await transaction.insertInto("begunTurns").values({ messageId, turn, progress: stored }).execute()
      noted.set(progress, stored)
    },

    /** Removes a turn, so that no box resumes it. */
    async remove(messageId: string, transaction: DbOf<"chat"> = db): Promise<void> {
      await transaction.deleteFrom("begunTurns").where("messageId", "=", messageId).execute()
      kept.delete(messageId)
    },

    /** Stores what was added to an answer since the previous piece, with its progress. */
    async addPiece(messageId: string, parts: MessagePart[], progress: TurnProgress): Promise<void> {
      const follows = kept.get(messageId)
      if (follows && parts.length === 0) return
      const stored = JSON.stringify(toStartedProgress(progress))
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

    /** Returns the turns whose answers can be resumed. */
    async list(): Promise<StoredUnfinishedTurn[]> {
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
        .where("attempts", "<", maxAttempts)
        .where("finishReason", "is", null)
        .where("conversations.streamStatus", "=", "active")
        .where("conversations.removed", "=", 0)
        .execute()
      return (await mergePieces(db, rows)).flatMap((row) => {
        const turn = readStored(UnfinishedTurn, row.turn)
        const progress = readStored(UnfinishedTurnProgress, row.progress)
        const key = { ownerId: row.ownerId, chatId: row.conversationId, messageId: row.id }
        return turn && progress ? [{ ...key, turn, progress, parts: readParts(row.parts) }] : []
      })
    },

    /** Takes over these turns, each from the kept part of its answer, and discards all others. */
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

    /** Resets the attempts at an orderly shutdown, which no turn caused. */
    async leave(): Promise<void> {
      await db.updateTable("begunTurns").set({ attempts: 0 }).execute()
    },
  }
}

export type UnfinishedTurns = ReturnType<typeof createUnfinishedTurns>

/** Reduces a stored answer to its kept parts. */
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

/** Removes all turns from a restored backup, so that no answer in it is resumed. */
export async function forgetUnfinishedTurns(db: DbOf<"chat">): Promise<void> {
  await db.deleteFrom("begunTurns").execute()
}
