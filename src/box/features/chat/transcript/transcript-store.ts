import type { Transaction } from "kysely"
import type {
  Attachment,
  ChatMessage,
  MessagePart,
  PendingApproval,
  Usage,
} from "../../../../shared/contract/chat.ts"
import type { Origin } from "../../../../shared/contract/conversations.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { AgeTimes } from "../../../core/age-clock.ts"
import type { Database } from "../../../core/database/database.ts"
import type { DatabaseSchema } from "../../../core/database/database-schema.ts"
import { foldCase } from "../../../core/database/fold-case.ts"
import { newId, timestamp } from "../../../core/ids.ts"
import {
  addPiece,
  closeInterrupted,
  storeWhole,
  withPieces,
  type StoredRow,
  type WholeAnswer,
} from "./answer-pieces.ts"
import { abandonParked, park, unpark, type ParkedTurn } from "../approvals/approval-store.ts"
import type { WaitingCall } from "../tool-calls/call-tools.ts"
import type { KeptRetrieval } from "../grounding/grounding.ts"
import { keptPrefix } from "./kept-prefix.ts"
import type { RunStatus } from "../streams/run.ts"
import { attachmentsOf } from "./message-attachments.ts"
import { firstTitle } from "./title.ts"

/** A turn to store before its answer begins. */
export interface NewTurn {
  ownerId: string
  chatId: string
  answerId: string
  origin: Origin
  vectorIds: string[]
  assistantId: string | null
  /** The history as the caller sent it, the new message last. */
  messages: ChatMessage[]
  /** Files of the chat's own folder; null: those uploaded since the message before. */
  attachments: readonly string[] | null
  startedAt: string
}

export interface FinishedAnswer extends WholeAnswer {
  usage: Usage
  status: RunStatus
  /** The turn waits for its owner and goes on later. */
  parked: { turn: ParkedTurn; calls: readonly WaitingCall[] } | null
}

export interface StoredStatus {
  title: string
  status: RunStatus
  startedAt: string | null
  activityAt: string | null
  messageCount: number
}

interface AnswerKey {
  ownerId: string
  chatId: string
  messageId: string
}

/** Of one person; and messages of one conversation, all branches together, which are read at each turn. */
const most = { conversations: 100_000, messages: 20_000 }

/** Rows of one insert: SQLite takes 32,766 values. */
const rowsPerInsert = 500

/** The stored transcripts as chat writes them: a tree of messages for each conversation. */
export function createTranscriptStore(db: Database, times: Pick<AgeTimes, "latest">) {
  return {
    /**
     * Stores the history and an empty answer in one transaction; what differs becomes a branch of its own.
     * Throws `conflict` when there are too many messages or conversations.
     */
    begin: (turn: NewTurn) => db.transaction().execute((transaction) => begin(transaction, turn)),

    /** Stores what came of an answer since the piece before. */
    addPiece: (messageId: string, parts: MessagePart[]) => addPiece(db, messageId, parts),

    /** Of stored messages, those that are being written with all that is stored of them. */
    withPieces: <Row extends StoredRow>(rows: readonly Row[]) => withPieces(db, rows),

    finish: ({ ownerId, chatId, messageId }: AnswerKey, answer: FinishedAnswer): Promise<PendingApproval[]> =>
      db.transaction().execute(async (transaction) => {
        const now = timestamp()
        await storeWhole(transaction, messageId, answer)
        if (answer.usage.totalTokens > 0) {
          const usage = JSON.stringify(answer.usage)
          await transaction.updateTable("messages").set({ usage }).where("id", "=", messageId).execute()
        }
        await transaction
          .updateTable("conversations")
          .set({ streamStatus: answer.status, streamActivityAt: now, updatedAt: now })
          .where("ownerId", "=", ownerId)
          .where("id", "=", chatId)
          .where("headId", "=", messageId) // one that is stored late may not be the newest any more
          .execute()
        if (answer.parked === null) return []
        const { turn, calls } = answer.parked
        return park(transaction, { ownerId, chatId, messageId, turn }, calls, times.latest())
      }),

    /** Marks a parked answer as being written again; false when somebody else did. */
    goOn: ({ ownerId, chatId, messageId }: AnswerKey, startedAt: string): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        if (!(await unpark(transaction, messageId))) return false
        await transaction
          .updateTable("messages")
          .set({ finishReason: null, readLabels: null })
          .where("id", "=", messageId)
          .execute()
        const state = {
          streamStatus: "active",
          streamStartedAt: startedAt,
          streamActivityAt: startedAt,
        } as const
        await transaction
          .updateTable("conversations")
          .set(state)
          .where("ownerId", "=", ownerId)
          .where("id", "=", chatId)
          .execute()
        return true
      }),

    /** Stores why the answer rests on the passages it does; it is deleted with the answer. */
    async keepRetrieval(messageId: string, { query, strategy, candidates }: KeptRetrieval): Promise<void> {
      const kept = { query, strategy, candidates: JSON.stringify(candidates) }
      await db
        .insertInto("retrievals")
        .values({ messageId, ...kept })
        .onConflict((conflict) => conflict.column("messageId").doUpdateSet(kept))
        .execute()
    },

    async status(ownerId: string, chatId: string): Promise<StoredStatus | undefined> {
      return db
        .selectFrom("conversations")
        .select([
          "title",
          "streamStatus as status",
          "streamStartedAt as startedAt",
          "streamActivityAt as activityAt",
          "messageCount",
        ])
        .where("ownerId", "=", ownerId)
        .where("id", "=", chatId)
        .where("removed", "=", 0)
        .executeTakeFirst()
    },

    /** Marks answers that were being written when the box died: their text stays, their stream is `error`. */
    closeInterrupted: () => db.transaction().execute(closeInterrupted),
  }
}

export type TranscriptStore = ReturnType<typeof createTranscriptStore>

async function begin(transaction: Transaction<DatabaseSchema>, turn: NewTurn): Promise<void> {
  const { ownerId, chatId, messages, startedAt } = turn
  await abandonParked(transaction, ownerId, chatId)
  const conversation = await transaction
    .selectFrom("conversations")
    .select("headId")
    .where("ownerId", "=", ownerId)
    .where("id", "=", chatId)
    .executeTakeFirst()
  const nodes = await transaction
    .selectFrom("messages")
    .select(["id", "parentId", "role", "content", "createdAt"])
    .where("ownerId", "=", ownerId)
    .where("conversationId", "=", chatId)
    .orderBy("depth")
    .orderBy("id")
    .execute()
  const kept = keptPrefix(nodes, conversation?.headId ?? null, messages)
  const attachments = await attachmentsOf(transaction, { ...turn, since: kept.at(-1)?.createdAt ?? null })
  const rows = newRows(turn, kept.length, kept.at(-1)?.id ?? null, attachments)
  if (nodes.length + rows.length > most.messages) throw new AppError("conflict", sentence("chat.too_long"))
  if (!conversation) await requireRoom(transaction, ownerId)
  const state = {
    vectorIds: JSON.stringify(turn.vectorIds),
    assistantId: turn.assistantId,
    headId: turn.answerId,
    messageCount: messages.length + 1,
    streamStatus: "active" as const,
    streamStartedAt: startedAt,
    streamActivityAt: startedAt,
    updatedAt: startedAt,
  }
  const title = firstTitle(messages)
  await transaction
    .insertInto("conversations")
    .values({
      ownerId,
      id: chatId,
      title,
      foldedTitle: foldCase(title),
      origin: turn.origin,
      projectId: null,
      createdAt: startedAt,
      ...state,
    })
    .onConflict((conflict) => conflict.columns(["ownerId", "id"]).doUpdateSet(state))
    .execute()
  for (let first = 0; first < rows.length; first += rowsPerInsert) {
    await transaction
      .insertInto("messages")
      .values(rows.slice(first, first + rowsPerInsert))
      .execute()
  }
}

async function requireRoom(transaction: Transaction<DatabaseSchema>, ownerId: string): Promise<void> {
  const { kept } = await transaction
    .selectFrom("conversations")
    .select((e) => e.fn.countAll<number>().as("kept"))
    .where("ownerId", "=", ownerId)
    .where("removed", "=", 0)
    .executeTakeFirstOrThrow()
  if (kept >= most.conversations) throw new AppError("conflict", sentence("chat.too_many_chats"))
}

/** Rows of the messages that aren't stored yet, and of the answer, each the child of the one before. */
function newRows(
  { ownerId, chatId, answerId, assistantId, messages, startedAt }: NewTurn,
  kept: number,
  last: string | null,
  attachments: readonly Attachment[],
) {
  let parentId = last
  const answer = { role: "assistant" as const, content: "" }
  return [...messages.slice(kept), answer].map((message, index) => {
    const id = message === answer ? answerId : newId()
    const row = {
      id,
      ownerId,
      conversationId: chatId,
      parentId,
      depth: kept + index,
      role: message.role,
      content: message.content,
      parts: JSON.stringify(message.content === "" ? [] : [{ type: "text", text: message.content }]),
      attachments: message === messages.at(-1) && attachments.length > 0 ? JSON.stringify(attachments) : null,
      finishReason: null,
      assistantId: message === answer ? assistantId : null,
      readLabels: null,
      createdAt: startedAt,
    }
    parentId = id
    return row
  })
}
