import { z } from "zod"
import { Attachment, type MessagePart, type Role } from "../../../../../shared/contract/chat.ts"
import type { DbOf } from "../../../../core/database/database.ts"
import { readStored } from "../../../../core/database/stored-json.ts"
import type { ContextLabel } from "../../../../tools/tool.ts"
import { mergePieces } from "./answer-pieces.ts"
import { isImportedQuestion, readLabels, readParts } from "../message-parts.ts"

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
export async function getHistory(db: DbOf<"chat">, answerId: string): Promise<EarlierMessage[]> {
  const rows = await messagesTo(db, answerId)
    .select([
      "messages.id",
      "messages.role",
      "messages.content",
      "messages.parts",
      "messages.finishReason",
      "messages.readLabels",
      "messages.quoted",
    ])
    .where("messages.id", "!=", answerId)
    .orderBy("messages.depth")
    .execute()
  const whole = await mergePieces(db, rows)
  return whole.map(({ role, content, parts, finishReason, readLabels: labels, quoted }) => ({
    role,
    content,
    parts: readParts(parts),
    isOwnAnswer: finishReason !== null,
    isImported: isImportedQuestion({ role, readLabels: labels }),
    quoted: quoted === null ? [] : (readStored(Texts, quoted) ?? [content]),
    labels: readLabels(labels),
  }))
}

const Texts = z.array(z.string())
const Attachments = Attachment.array()

/** Returns the files attached to the messages that lead to an answer, with the zero-based position of their message. */
export async function attachmentsBefore(
  db: DbOf<"chat">,
  answerId: string,
): Promise<ReadonlyMap<number, readonly Attachment[]>> {
  const rows = await messagesTo(db, answerId)
    .select(["messages.depth", "messages.attachments"])
    .where("messages.attachments", "is not", null)
    .execute()
  return new Map(
    rows.map(({ depth, attachments }) => [depth, readStored(Attachments, attachments ?? "[]") ?? []]),
  )
}

/** Returns the stored answer. */
export async function storedAnswer(
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
export async function answersWith(
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
