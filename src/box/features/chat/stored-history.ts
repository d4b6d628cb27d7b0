import type { MessagePart } from "../../../shared/contract/chat.ts"
import type { Database } from "../../core/database.ts"
import type { ContextMessage } from "./turn-context.ts"

/** The messages that lead to an answer, oldest first, without it. */
export async function historyOf(db: Database, answerId: string): Promise<ContextMessage[]> {
  const rows = await db
    .withRecursive("path", (builder) =>
      builder
        .selectFrom("messages")
        .select(["id", "parentId", "depth", "role", "content", "parts", "finishReason"])
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
            ]),
        ),
    )
    .selectFrom("path")
    .selectAll()
    .where("id", "!=", answerId)
    .orderBy("depth")
    .execute()
  return rows.map(({ role, content, parts, finishReason }) => ({
    role,
    content,
    parts: JSON.parse(parts) as MessagePart[],
    ownAnswer: finishReason !== null,
  }))
}

/** What is stored of an answer. */
export async function partsOf(db: Database, answerId: string): Promise<MessagePart[]> {
  const row = await db.selectFrom("messages").select("parts").where("id", "=", answerId).executeTakeFirst()
  return JSON.parse(row?.parts ?? "[]") as MessagePart[]
}
