import { z } from "zod"
import { Attachment, type MessagePart, type Role } from "../../../../../shared/contract/chat.ts"
import type { DbOf } from "../../../../core/database/database.ts"
import { readStored } from "../../../../core/database/stored-json.ts"
import type { ContextLabel } from "../../../../tools/tool.ts"
import { withPieces } from "./answer-pieces.ts"
import { isImportedQuestion, readLabels, readParts } from "../message-parts.ts"

/** A stored message of a conversation, as policy looks at it. */
export interface EarlierMessage {
  role: Role
  content: string
  parts: readonly MessagePart[]
  /** The box wrote it; what a caller says that an assistant said may come from anywhere. */
  ownAnswer: boolean
  /** It says that it is the user's, and came with an export. */
  isImported: boolean
  /** Texts of others that stand in it. */
  quoted: readonly string[]
  /** What its model had read; null where nobody kept it, as in answers of older versions. */
  labels: readonly ContextLabel[] | null
}

/** The messages that lead to an answer, and it. */
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

/** The messages that lead to an answer, oldest first, without it. */
export async function historyOf(db: DbOf<"chat">, answerId: string): Promise<EarlierMessage[]> {
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
  const whole = await withPieces(db, rows)
  return whole.map(({ role, content, parts, finishReason, readLabels: labels, quoted }) => ({
    role,
    content,
    parts: readParts(parts),
    ownAnswer: finishReason !== null,
    isImported: isImportedQuestion({ role, readLabels: labels }),
    quoted: quoted === null ? [] : (readStored(Texts, quoted) ?? [content]),
    labels: readLabels(labels),
  }))
}

const Texts = z.array(z.string())
const Attachments = Attachment.array()

/** Files that are attached to the messages that lead to an answer, by the place of their message, counted from 0. */
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

/** What is stored of an answer. */
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

/** Parts of the messages of a chat, each in order, in which a file's id stands. */
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
