import { sql, type Selectable } from "kysely"
import { FactTable, Usage } from "../../../../shared/contract/chat.ts"
import type { Branch, StoredMessage } from "../../../../shared/contract/conversations.ts"
import { FileFilter } from "../../../../shared/contract/file-filter.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import { mergePieces } from "./answers/answer-pieces.ts"
import { readAskedFiles, readAttachments, readParts } from "./message-parts.ts"

/** Consecutive messages, identified by the last one. */
export interface Batch {
  lastId: string
  length: number
}

/** Size of a batch when a chat is read, unless a single message is larger. */
const batchBytes = 65_536

/** Reads stored messages one branch at a time, in batches. */
export function createMessageStore(db: DbOf<"chat">) {
  /** `path`: the given message and those that lead to it, at most `length` in all. */
  const pathTo = (ownerId: string, id: string, lastId: string, length: number = Number.MAX_SAFE_INTEGER) =>
    db.withRecursive("path", (builder) =>
      builder
        .selectFrom("messages")
        .select((e) => ["id", "parentId", "depth", size, e("depth", "-", length).as("above")])
        .where("id", "=", lastId)
        .where("ownerId", "=", ownerId)
        .where("conversationId", "=", id)
        .unionAll(
          builder
            .selectFrom("messages")
            .innerJoin("path", "path.parentId", "messages.id")
            .select(["messages.id", "messages.parentId", "messages.depth", size, "path.above"])
            .whereRef("messages.depth", ">", "path.above"),
        ),
    )

  return {
    /** Returns the batches from the first message to the given one, or none if it isn't in the chat. */
    async batches(ownerId: string, id: string, lastId: string): Promise<Batch[]> {
      const ends = await pathTo(ownerId, id, lastId)
        .with("sizes", (builder) =>
          builder
            .selectFrom("path")
            .select(["id", "depth"])
            // SQLite treats a bound number as a fraction here, which would put each message in a separate batch.
            .select(
              sql<number>`cast(sum(size) OVER (ORDER BY depth) AS bigint) / ${sql.lit(batchBytes)}`.as(
                "batch",
              ),
            ),
        )
        .with("ranked", (builder) =>
          builder
            .selectFrom("sizes")
            .select(["id", "depth"])
            .select(sql<number>`row_number() OVER (PARTITION BY batch ORDER BY depth DESC)`.as("fromEnd")),
        )
        .selectFrom("ranked")
        .select(["id", "depth"])
        .where("fromEnd", "=", 1)
        .orderBy("depth")
        .execute()
      return ends.map((end, index) => ({
        lastId: end.id,
        length: end.depth - (ends[index - 1]?.depth ?? -1),
      }))
    },

    /** Returns the messages of a batch; fewer if the chat is being deleted. */
    async batch(ownerId: string, id: string, { lastId, length }: Batch): Promise<StoredMessage[]> {
      const rows = await pathTo(ownerId, id, lastId, length)
        .selectFrom("path")
        .innerJoin("messages", "messages.id", "path.id")
        .selectAll("messages")
        .orderBy("path.depth")
        .execute()
      return (await mergePieces(db, rows)).map(toMessage)
    },

    /** Returns the last messages of all branches, newest first. */
    async branches(ownerId: string, id: string, headId: string | null): Promise<Branch[]> {
      const rows = await db
        .selectFrom("messages as message")
        .select(["message.id", "message.depth", "message.createdAt"])
        .where("message.ownerId", "=", ownerId)
        .where("message.conversationId", "=", id)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("messages as child")
                .select("child.id")
                .whereRef("child.parentId", "=", "message.id"),
            ),
          ),
        )
        .orderBy("message.createdAt", "desc")
        .orderBy("message.id", "desc")
        .execute()
      return rows.map((row) => ({
        id: row.id,
        messageCount: row.depth + 1,
        createdAt: row.createdAt,
        current: row.id === headId,
      }))
    },
  }
}

export type MessageStore = ReturnType<typeof createMessageStore>

const size = sql<number>`octet_length(messages.content) + octet_length(messages.parts)`.as("size")

function toMessage(row: Selectable<TablesOf<"chat">["messages"]>): StoredMessage {
  return {
    id: row.id,
    role: row.role,
    content: row.content,
    parts: readParts(row.parts),
    attachments: readAttachments(row.attachments),
    askedFiles: readAskedFiles(row.askedFiles),
    filter: row.filter === null ? null : (readStored(FileFilter, row.filter) ?? null),
    table: row.factTable === null ? null : (readStored(FactTable, row.factTable) ?? null),
    finishReason: row.finishReason,
    usage: row.usage === null ? null : (readStored(Usage, row.usage) ?? null),
    model: row.model,
    assistantId: row.assistantId,
    createdAt: row.createdAt,
  }
}
