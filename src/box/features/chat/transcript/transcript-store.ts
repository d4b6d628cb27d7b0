import type { MessagePart, Usage } from "../../../../shared/contract/chat.ts"
import { readStoredIds } from "../../../core/database/stored-json.ts"
import type { DbOf, TransactionOf } from "../../../core/database/database.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import { timestamp } from "../../../core/ids.ts"
import { closeInterrupted, ofApp, storeWhole, type WholeAnswer } from "./answers/answer-pieces.ts"
import { goesOnFrom } from "./append-turn.ts"
import { readParts } from "./message-parts.ts"
import { answersWith, attachmentsBefore, historyOf, storedAnswer } from "./answers/stored-answers.ts"

type ConversationRow = TablesOf<"chat">["conversations"]
export type StreamState = ConversationRow["streamStatus"]

export interface FinishedAnswer extends WholeAnswer {
  usage: Usage
  /** Name of the model that wrote it; null: none, or none that is known. */
  model: string | null
  status: StreamState
  /** Its owner is to be told that it ended. */
  isUntold: boolean
}

/** Which message of whose conversation an answer is. */
export interface AnswerKey {
  ownerId: string
  chatId: string
  messageId: string
}

export interface StoredStatus {
  title: string
  status: StreamState
  startedAt: string | null
  activityAt: string | null
  messageCount: number
}

/** Answers of the stored transcripts; `append-turn.ts` adds them. */
export function createTranscriptStore(db: DbOf<"chat">) {
  const shown = (ownerId: string, chatId: string) =>
    db
      .selectFrom("conversations")
      .where("ownerId", "=", ownerId)
      .where("id", "=", chatId)
      .where("removed", "=", 0)

  return {
    /** The messages that lead to an answer, oldest first, without it. */
    history: (answerId: string) => historyOf(db, answerId),

    /** What is attached to those messages, by their places. */
    attachments: (answerId: string) => attachmentsBefore(db, answerId),

    goesOnFrom: (history: Parameters<typeof goesOnFrom>[1]) => goesOnFrom(db, history),

    /** What is stored of an answer. */
    answer: (answerId: string) => storedAnswer(db, answerId),

    /** Parts of the messages of a chat in which a file's id stands. */
    answersWith: (ownerId: string, chatId: string, fileId: string) =>
      answersWith(db, ownerId, chatId, fileId),

    async status(ownerId: string, chatId: string): Promise<StoredStatus | undefined> {
      return shown(ownerId, chatId)
        .select([
          "title",
          "streamStatus as status",
          "streamStartedAt as startedAt",
          "streamActivityAt as activityAt",
          "messageCount",
        ])
        .executeTakeFirst()
    },

    /** Whether a conversation, or the one of which it is a fork, began as a dry run. */
    async isDryRun(ownerId: string, chatId: string): Promise<boolean> {
      const row = await shown(ownerId, chatId).select("dryRun").executeTakeFirst()
      return row?.dryRun === 1
    },

    /** The folders that a conversation has read so far, and whether it stays here for one of them. */
    async readBefore(ownerId: string, chatId: string): Promise<{ vectorIds: string[]; staysHere: boolean }> {
      const row = await shown(ownerId, chatId).select(["readVectorIds", "staysHere"]).executeTakeFirst()
      const vectorIds = row === undefined ? [] : readStoredIds(row.readVectorIds)
      return { vectorIds, staysHere: row?.staysHere === 1 }
    },

    /** Whether a conversation has read any folder so far. What can't be read tells of one. */
    async hasReadFolders(ownerId: string, chatId: string): Promise<boolean> {
      const row = await shown(ownerId, chatId).select("readVectorIds").executeTakeFirst()
      return row !== undefined && row.readVectorIds !== "[]"
    },

    /** Adds to what a conversation has read; once it stays here, it stays so. */
    async noteRead(
      ownerId: string,
      chatId: string,
      { vectorIds, staysHere }: { vectorIds: readonly string[]; staysHere: boolean },
    ): Promise<void> {
      await db
        .updateTable("conversations")
        .set({ readVectorIds: JSON.stringify(vectorIds), ...(staysHere && { staysHere: 1 }) })
        .where("ownerId", "=", ownerId)
        .where("id", "=", chatId)
        .execute()
    },

    /** Marks answers that were being written when the box died, but for those that go on: their text stays, their stream is `error`. */
    closeInterrupted: (goOn: readonly string[] = []) =>
      db.transaction().execute((transaction) => closeInterrupted(transaction, goOn)),
  }
}

export type TranscriptStore = ReturnType<typeof createTranscriptStore>

/** Stores the end of an answer, and its conversation's state. */
export async function finishAnswer(
  transaction: TransactionOf<"chat">,
  { ownerId, chatId, messageId }: AnswerKey,
  answer: FinishedAnswer,
): Promise<void> {
  const now = timestamp()
  await storeWhole(transaction, messageId, answer)
  const usage = answer.usage.totalTokens > 0 ? JSON.stringify(answer.usage) : undefined
  const model = answer.model ?? undefined
  if (usage !== undefined || model !== undefined)
    await transaction.updateTable("messages").set({ usage, model }).where("id", "=", messageId).execute()
  await transaction
    .updateTable("conversations")
    .set({
      streamStatus: answer.status,
      streamActivityAt: now,
      updatedAt: now,
      untold: Number(answer.isUntold),
      ...(answer.status === "aborted" ? {} : { unread: ofApp }),
    })
    .where("ownerId", "=", ownerId)
    .where("id", "=", chatId)
    .where("headId", "=", messageId) // one that is stored late may not be the newest any more
    .execute()
}

/** Marks an answer that had ended as being written again. */
export async function reopenAnswer(
  transaction: TransactionOf<"chat">,
  { ownerId, chatId, messageId }: AnswerKey,
  startedAt: string,
): Promise<void> {
  await transaction
    .updateTable("messages")
    .set({ finishReason: null, readLabels: null })
    .where("id", "=", messageId)
    .execute()
  await transaction
    .updateTable("conversations")
    .set({ streamStatus: "active", streamStartedAt: startedAt, streamActivityAt: startedAt })
    .where("ownerId", "=", ownerId)
    .where("id", "=", chatId)
    .execute()
}

/** Adds to a stored message what is made of its parts. */
export async function addParts(
  transaction: TransactionOf<"chat">,
  messageId: string,
  more: (parts: readonly MessagePart[]) => MessagePart[],
): Promise<void> {
  const message = await transaction
    .selectFrom("messages")
    .select("parts")
    .where("id", "=", messageId)
    .executeTakeFirst()
  const parts = readParts(message?.parts ?? "[]")
  await transaction
    .updateTable("messages")
    .set({ parts: JSON.stringify([...parts, ...more(parts)]) })
    .where("id", "=", messageId)
    .execute()
}
