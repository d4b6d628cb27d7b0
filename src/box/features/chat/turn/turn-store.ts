import type { MessagePart, PendingApproval } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { AgeTimes } from "../../../core/age-clock.ts"
import type { AlsoWrite, DbOf } from "../../../core/database/database.ts"
import type { BegunTurns, Begins } from "./going-on/begun-turns.ts"
import { abandonParked, isParked, park, unpark } from "../approvals/parked-turn-store.ts"
import type { DecidedCall } from "../approvals/approval-store.ts"
import type { ParkedTurn } from "../approvals/parked-turn.ts"
import type { WaitingCall } from "../approvals/waiting-call.ts"
import { createPieceWriter } from "../transcript/answers/piece-writer.ts"
import { appendTurn, type NewTurn } from "../transcript/append-turn.ts"
import {
  finishAnswer,
  reopenAnswer,
  type AnswerKey,
  type FinishedAnswer,
} from "../transcript/transcript-store.ts"
import type { TurnProgress } from "./turn.ts"

/** How a question is asked that waited in a queue, or that an automation asks. */
export interface FromQueue {
  /** Written with the question, which isn't asked where this throws. */
  also: AlsoWrite
  /** Nothing is sent or changed for it. */
  isDryRun?: boolean
  /** Texts of others that stand in it. */
  quoted?: readonly string[]
  /** Calls that wait for their owner count as denied; otherwise they come first. */
  deniesCalls: boolean
}

/** What begins, ends and resumes a turn in the database: each is one transaction over transcript and approvals. */
export function createTurnStore(db: DbOf<"chat">, times: Pick<AgeTimes, "latest">, begun: BegunTurns | null) {
  const writePiece = createPieceWriter(db)

  return {
    /** Where another box may go on with turns: what is stored of those that are being written. */
    begun,

    /**
     * Throws `conflict` when there are too many messages or conversations, `chat_busy` where calls come first, and
     * `DeletedConversation`. Answers the calls that waited and are denied by it.
     */
    begin: (turn: NewTurn, begins: Begins, fromQueue?: FromQueue): Promise<DecidedCall[]> =>
      db.transaction().execute(async (transaction) => {
        if (fromQueue?.deniesCalls === false && (await isParked(transaction, turn)))
          throw new AppError("chat_busy", sentence("chat.being_answered"))
        await fromQueue?.also(transaction)
        const denied = await abandonParked(transaction, turn)
        await appendTurn(transaction, turn)
        await begun?.add(transaction, begins)
        return denied
      }),

    finish: (key: AnswerKey, answer: FinishedAnswer): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        await finishAnswer(transaction, key, answer)
        await begun?.remove(key.messageId, transaction)
      }),

    /** Stores what came of an answer since the piece before. */
    addPiece: (messageId: string, parts: MessagePart[], progress: TurnProgress): Promise<void> =>
      begun ? begun.addPiece(messageId, parts, progress) : writePiece(messageId, parts),

    /** Stores the answer so far, and that it goes on once its calls are decided. */
    park: (
      { ownerId, chatId, messageId }: AnswerKey,
      answer: FinishedAnswer,
      turn: ParkedTurn,
      calls: readonly WaitingCall[],
    ): Promise<PendingApproval[]> =>
      db.transaction().execute(async (transaction) => {
        const key = { ownerId, chatId, messageId }
        await finishAnswer(transaction, key, answer)
        await begun?.remove(messageId, transaction)
        return park(transaction, { ...key, turn }, calls, times.latest())
      }),

    /** Marks a parked answer as being written again; false when somebody else did. */
    resume: (key: AnswerKey, startedAt: string, begins: Begins): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        if (!(await unpark(transaction, key.messageId))) return false
        await reopenAnswer(transaction, key, startedAt)
        await begun?.add(transaction, begins)
        return true
      }),
  }
}

export type TurnStore = ReturnType<typeof createTurnStore>
