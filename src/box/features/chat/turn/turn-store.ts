import type { MessagePart, PendingApproval } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { AgeTimes } from "../../../core/age-clock.ts"
import type { AlsoWrite, DbOf } from "../../../core/database/database.ts"
import type { UnfinishedTurns, NewUnfinishedTurn } from "./resuming/unfinished-turns.ts"
import { abandonParked, isParked, park, unpark, type ParkedTurn } from "../approvals/parked-turns.ts"
import type { DecidedCall, WaitingCall } from "../approvals/approval-store.ts"
import { createPieceWriter } from "../transcript/answers/answer-pieces.ts"
import { appendTurn, type NewTurn } from "../transcript/append-turn.ts"
import {
  finishAnswer,
  reopenAnswer,
  type AnswerKey,
  type FinishedAnswer,
} from "../transcript/transcript-store.ts"
import type { TurnProgress } from "./turn.ts"

/** Options for a question from a queue or an automation. */
export interface FromQueue {
  /** Written in the same transaction as the question, which isn't asked if this throws. */
  also: AlsoWrite
  /** Whether nothing may be sent or changed for the question. */
  isDryRun?: boolean
  /** Texts of other authors in the question. */
  quoted?: readonly string[]
  /** Whether calls that wait for approval are treated as denied; otherwise they must be decided first. */
  deniesCalls: boolean
}

/** Starts, ends and resumes turns in the database, each in one transaction over transcript and approvals. */
export function createTurnStore(
  db: DbOf<"chat">,
  times: Pick<AgeTimes, "latest">,
  started: UnfinishedTurns | null,
) {
  const writePiece = createPieceWriter(db)

  return {
    /** Stored data of turns being written, if another box may resume them; otherwise null. */
    started,

    /**
     * Starts a turn and returns the waiting calls that it denies. Throws `conflict` if there are too many messages or chats, `chat_busy` if
     * calls must be decided first, and `DeletedConversation`.
     */
    begin: (turn: NewTurn, newTurn: NewUnfinishedTurn, fromQueue?: FromQueue): Promise<DecidedCall[]> =>
      db.transaction().execute(async (transaction) => {
        if (fromQueue?.deniesCalls === false && (await isParked(transaction, turn)))
          throw new AppError("chat_busy", sentence("chat.being_answered"))
        await fromQueue?.also(transaction)
        const denied = await abandonParked(transaction, turn)
        await appendTurn(transaction, turn)
        await started?.add(transaction, newTurn)
        return denied
      }),

    finish: (key: AnswerKey, answer: FinishedAnswer): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        await finishAnswer(transaction, key, answer)
        await started?.remove(key.messageId, transaction)
      }),

    /** Stores what was added to an answer since the previous piece. */
    addPiece: (messageId: string, parts: MessagePart[], progress: TurnProgress): Promise<void> =>
      started ? started.addPiece(messageId, parts, progress) : writePiece(messageId, parts),

    /** Stores the answer so far, and marks it to be resumed when its calls are decided. */
    park: (
      { ownerId, chatId, messageId }: AnswerKey,
      answer: FinishedAnswer,
      turn: ParkedTurn,
      calls: readonly WaitingCall[],
    ): Promise<PendingApproval[]> =>
      db.transaction().execute(async (transaction) => {
        const key = { ownerId, chatId, messageId }
        await finishAnswer(transaction, key, answer)
        await started?.remove(messageId, transaction)
        return park(transaction, { ...key, turn }, calls, times.latest())
      }),

    /** Marks a parked answer as being written again. Returns false if another caller already did. */
    resume: (key: AnswerKey, startedAt: string, newTurn: NewUnfinishedTurn): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        if (!(await unpark(transaction, key.messageId))) return false
        await reopenAnswer(transaction, key, startedAt)
        await started?.add(transaction, newTurn)
        return true
      }),
  }
}

export type TurnStore = ReturnType<typeof createTurnStore>
