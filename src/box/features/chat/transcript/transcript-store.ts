import { z } from "zod"
import type { Attachment, MessagePart, Role, Usage } from "../../../../shared/contract/chat.ts"
import { type DbOf, type TransactionOf, ownTables, type AlsoWrite } from "../../../core/database/database.ts"
import { readStored, readStoredIds } from "../../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import type { BoxEvents } from "../../../core/event-bus.ts"
import { timestamp } from "../../../core/ids.ts"
import type { ContextLabel } from "../../../tools/tool.ts"
import {
  mergePieces,
  closeInterrupted,
  isFromApp,
  storeWhole,
  type WholeAnswer,
} from "./answers/answer-pieces.ts"
import { findContinuedAt } from "./append-turn.ts"
import { isImportedQuestion, readAttachments, readFileNames, readLabels, readParts } from "./message-parts.ts"

/** A stored message of a chat, as policy sees it. */
export interface EarlierMessage {
  role: Role
  content: string
  parts: readonly MessagePart[]
  /** Whether the box wrote it. A message that a caller attributes to an assistant may come from anywhere. */
  isOwnAnswer: boolean
  /** Whether it was imported as a user's message. */
  isImported: boolean
  /** Texts of other authors in the message. */
  quoted: readonly string[]
  /** Names of the files that it names. */
  fileNames: readonly string[]
  /** Labels of what its model had read; null if they weren't stored, as in answers of older versions. */
  labels: readonly ContextLabel[] | null
}

/** Selects an answer and the messages that lead to it. */
const messagesTo = (db: DbOf<"chat">, answerId: string) =>
  db
    .withRecursive("path", (builder) =>
      builder
        .selectFrom("messages")
        .select(["id", "parentId"])
        .where("id", "=", answerId)
        .unionAll(
          builder
            .selectFrom("messages")
            .innerJoin("path", "path.parentId", "messages.id")
            .select(["messages.id", "messages.parentId"]),
        ),
    )
    .selectFrom("path")
    .innerJoin("messages", "messages.id", "path.id")

/** Returns the messages that lead to an answer, oldest first, without the answer. */
async function getHistory(db: DbOf<"chat">, answerId: string): Promise<EarlierMessage[]> {
  const rows = await messagesTo(db, answerId)
    .select([
      "messages.id",
      "messages.role",
      "messages.content",
      "messages.parts",
      "messages.finishReason",
      "messages.readLabels",
      "messages.quoted",
      "messages.askedFiles",
      "messages.attachments",
    ])
    .where("messages.id", "!=", answerId)
    .orderBy("messages.depth")
    .execute()
  const whole = await mergePieces(db, rows)
  return whole.map(({ role, content, parts, finishReason, readLabels: labels, quoted, ...files }) => ({
    role,
    content,
    parts: readParts(parts),
    isOwnAnswer: finishReason !== null,
    isImported: isImportedQuestion({ role, readLabels: labels }),
    quoted: quoted === null ? [] : (readStored(Texts, quoted) ?? [content]),
    fileNames: readFileNames(files),
    labels: readLabels(labels),
  }))
}

const Texts = z.array(z.string())

/** Returns the files attached to the messages that lead to an answer, with the zero-based position of their message. */
async function attachmentsBefore(
  db: DbOf<"chat">,
  answerId: string,
): Promise<ReadonlyMap<number, readonly Attachment[]>> {
  const rows = await messagesTo(db, answerId)
    .select(["messages.depth", "messages.attachments"])
    .where("messages.attachments", "is not", null)
    .execute()
  return new Map(rows.map(({ depth, attachments }) => [depth, readAttachments(attachments) ?? []]))
}

/** Returns the stored answer. */
async function storedAnswer(
  db: DbOf<"chat">,
  answerId: string,
): Promise<{ parts: MessagePart[]; labels: readonly ContextLabel[] | null }> {
  const row = await db
    .selectFrom("messages")
    .select(["parts", "readLabels"])
    .where("id", "=", answerId)
    .executeTakeFirst()
  return { parts: readParts(row?.parts ?? "[]"), labels: readLabels(row?.readLabels ?? null) }
}

/** Returns the message parts of a chat that contain a file's ID, in order. */
async function answersWith(
  db: DbOf<"chat">,
  ownerId: string,
  chatId: string,
  fileId: string,
): Promise<MessagePart[][]> {
  const rows = await db
    .selectFrom("messages")
    .select("parts")
    .where("ownerId", "=", ownerId)
    .where("conversationId", "=", chatId)
    .where((e) => e(e.fn<number>("instr", ["parts", e.val(fileId)]), ">", 0))
    .execute()
  return rows.map(({ parts }) => readParts(parts))
}

type ConversationRow = TablesOf<"chat">["conversations"]
export type StreamState = ConversationRow["streamStatus"]

export interface FinishedAnswer extends WholeAnswer {
  usage: Usage
  /** Name of the model that wrote it; null if there was none or its name is unknown. */
  model: string | null
  status: StreamState
  /** Whether the owner must still be notified that it ended. */
  isNotificationPending: boolean
}

/** Identifies an answer by owner, chat and message. */
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

/** Stores answers in transcripts; `append-turn.ts` adds them. */
export function createTranscriptStore(db: DbOf<"chat">) {
  const shown = (ownerId: string, chatId: string) =>
    db
      .selectFrom("conversations")
      .where("ownerId", "=", ownerId)
      .where("id", "=", chatId)
      .where("removed", "=", 0)

  return {
    /** Returns the messages that lead to an answer, oldest first, without the answer. */
    history: (answerId: string) => getHistory(db, answerId),

    /** Returns the attachments of those messages by position. */
    attachments: (answerId: string) => attachmentsBefore(db, answerId),

    findContinuedAt: (history: Parameters<typeof findContinuedAt>[1]) => findContinuedAt(db, history),

    /** Returns the stored answer. */
    answer: (answerId: string) => storedAnswer(db, answerId),

    /** Returns the message parts of a chat that contain a file's ID. */
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

    /** Returns whether a chat, or the one it was forked from, started as a dry run. */
    async isDryRun(ownerId: string, chatId: string): Promise<boolean> {
      const row = await shown(ownerId, chatId).select("dryRun").executeTakeFirst()
      return row?.dryRun === 1
    },

    /** Returns whether a key with scopes wrote a question of a chat, or of the one it was forked from. */
    async isByScopedKey(ownerId: string, chatId: string): Promise<boolean> {
      const row = await shown(ownerId, chatId).select("writtenByScopedKey").executeTakeFirst()
      return row?.writtenByScopedKey === 1
    },

    /** Returns the folders that a chat has read so far, and whether one of them keeps the chat on this computer. */
    async readBefore(ownerId: string, chatId: string): Promise<{ vectorIds: string[]; staysHere: boolean }> {
      const row = await shown(ownerId, chatId).select(["readVectorIds", "staysHere"]).executeTakeFirst()
      const vectorIds = row === undefined ? [] : readStoredIds(row.readVectorIds)
      return { vectorIds, staysHere: row?.staysHere === 1 }
    },

    /** Returns whether a chat has read any folder so far. An unreadable list is treated as one that has folders. */
    async hasReadFolders(ownerId: string, chatId: string): Promise<boolean> {
      const row = await shown(ownerId, chatId).select("readVectorIds").executeTakeFirst()
      return row !== undefined && row.readVectorIds !== "[]"
    },

    /** Adds to the folders that a chat has read. A chat that stays on this computer keeps doing so. */
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

    /**
     * Marks answers that were being written when the box died, except those that are resumed: keeps their text and sets their stream to
     * `error`.
     */
    closeInterrupted: (resumedIds: readonly string[] = []) =>
      db.transaction().execute((transaction) => closeInterrupted(transaction, resumedIds)),
  }
}

export type TranscriptStore = ReturnType<typeof createTranscriptStore>

/** Stores the end of an answer and the state of its chat. */
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
      untold: Number(answer.isNotificationPending),
      ...(answer.status === "aborted" ? {} : { unread: isFromApp }),
    })
    .where("ownerId", "=", ownerId)
    .where("id", "=", chatId)
    .where("headId", "=", messageId) // an answer that is stored late may no longer be the newest
    .execute()
}

/** Marks an ended answer as being written again. */
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

/** Adds parts to a stored message. */
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

/** Returns answers that ended with the box before their owners were notified. */
export async function findAnswersToNotify(
  db: DbOf<"chat">,
): Promise<Omit<BoxEvents["answer.unattended"], "writeNotified">[]> {
  const rows = await db
    .selectFrom("conversations")
    .innerJoin("messages", "messages.id", "conversations.headId")
    .select([
      "conversations.ownerId",
      "conversations.id as chatId",
      "conversations.title",
      "conversations.streamStatus",
      "messages.parts",
    ])
    .where("conversations.untold", "=", 1)
    .where("conversations.removed", "=", 0)
    .execute()
  return rows.map(({ parts, streamStatus, ...chat }) => ({
    ...chat,
    status: streamStatus === "completed" ? ("completed" as const) : ("error" as const),
    coverage: readParts(parts).find((part) => part.type === "coverage"),
  }))
}

/** Marks the notification of an answer's end as sent. */
export const markNotified =
  ({ ownerId, chatId }: { ownerId: string; chatId: string }): AlsoWrite =>
  async (transaction) => {
    await ownTables<"chat">(transaction)
      .updateTable("conversations")
      .set({ untold: 0 })
      .where("ownerId", "=", ownerId)
      .where("id", "=", chatId)
      .execute()
  }
