import { z } from "zod"
import type { MessagePart } from "../../../../shared/contract/chat.ts"
import type { Database } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import type { ContextLabel } from "../../../tools/tool.ts"
import { withPieces } from "./answer-pieces.ts"
import type { ContextMessage } from "../tool-calls/call-context.ts"

/** The messages that lead to an answer, oldest first, without it. */
export async function historyOf(db: Database, answerId: string): Promise<ContextMessage[]> {
  const rows = await db
    .withRecursive("path", (builder) =>
      builder
        .selectFrom("messages")
        .select(["id", "parentId", "depth", "role", "content", "parts", "finishReason", "readLabels"])
        .where("id", "=", answerId)
        .unionAll(
          builder
            .selectFrom("messages")
            .innerJoin("path", "path.parentId", "messages.id")
            .select([
              "messages.id",
              "messages.parentId",
              "messages.depth",
              "messages.role",
              "messages.content",
              "messages.parts",
              "messages.finishReason",
              "messages.readLabels",
            ]),
        ),
    )
    .selectFrom("path")
    .selectAll()
    .where("id", "!=", answerId)
    .orderBy("depth")
    .execute()
  const whole = await withPieces(db, rows)
  return whole.map(({ role, content, parts, finishReason, readLabels }) => ({
    role,
    content,
    parts: JSON.parse(parts) as MessagePart[],
    ownAnswer: finishReason !== null,
    labels: labelsOf(readLabels),
  }))
}

/** Parts of the messages of a chat, each in order, in which a file's id stands. */
export async function answersWith(
  db: Database,
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
  return rows.map(({ parts }) => JSON.parse(parts) as MessagePart[])
}

/** What is stored of an answer. */
export async function storedAnswer(
  db: Database,
  answerId: string,
): Promise<{ parts: MessagePart[]; labels: ContextLabel[] | null }> {
  const row = await db
    .selectFrom("messages")
    .select(["parts", "readLabels"])
    .where("id", "=", answerId)
    .executeTakeFirst()
  const parts = JSON.parse(row?.parts ?? "[]") as MessagePart[]
  return { parts, labels: labelsOf(row?.readLabels ?? null) }
}

const labelsOf = (stored: string | null): ContextLabel[] | null =>
  stored === null ? null : (readStored(Labels, stored) ?? null)

const Labels = z.array(z.object({ trusted: z.boolean(), private: z.boolean() }))
