import { sql, type Selectable } from "kysely"
import { z } from "zod"
import { Attachment, Usage } from "../../../../shared/contract/chat.ts"
import type {
  Branch,
  ConversationPatch,
  ConversationSummary,
  Origin,
  StoredMessage,
} from "../../../../shared/contract/conversations.ts"
import type { Page } from "../../../../shared/contract/primitives.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import { containsFolded, foldCase } from "../../../core/database/fold-case.ts"
import { timestamp } from "../../../core/ids.ts"
import { withPieces } from "./answer-pieces.ts"
import { readParts } from "./message-parts.ts"

type ConversationRow = Selectable<TablesOf<"chat">["conversations"]>
type MessageRow = Selectable<TablesOf<"chat">["messages"]>

export interface ConversationFilter {
  origin?: Origin | undefined
  /** Part of the title, in any case. */
  search?: string | undefined
  pinned?: boolean | undefined
}

/** Messages that follow one another, of which the last one is known. */
export interface Batch {
  lastId: string
  length: number
}

/** What is read of a conversation at once, unless a single message is longer. */
const batchBytes = 65_536

export interface StoredConversation {
  summary: ConversationSummary
  headId: string | null
}

/** Stored conversations as they are listed, read and renamed. Everything is one owner's. */
export function createConversationStore(db: DbOf<"chat">) {
  const ofOwner = (ownerId: string) =>
    db.selectFrom("conversations").where("ownerId", "=", ownerId).where("removed", "=", 0)

  /** `path`: at most so many messages that lead to the given one. */
  const pathTo = (ownerId: string, id: string, lastId: string, length: number = Number.MAX_SAFE_INTEGER) =>
    db.withRecursive("path", (builder) =>
      builder
        .selectFrom("messages")
        .select(["id", "parentId", "depth", size])
        .where("id", "=", lastId)
        .where("ownerId", "=", ownerId)
        .where("conversationId", "=", id)
        .unionAll(
          builder
            .selectFrom("messages")
            .innerJoin("path", "path.parentId", "messages.id")
            .select(["messages.id", "messages.parentId", "messages.depth", size]),
        )
        .limit(length),
    )

  return {
    async list(ownerId: string, page: Page, { origin, search, pinned }: ConversationFilter) {
      let matching = ofOwner(ownerId)
      if (origin !== undefined) matching = matching.where("origin", "=", origin)
      if (pinned !== undefined) matching = matching.where("pinned", "=", pinned ? 1 : 0)
      if (search !== undefined && search !== "") {
        matching = matching.where(containsFolded("foldedTitle", search))
      }
      const { total } = await matching
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      const rows = await matching
        .selectAll()
        .orderBy("updatedAt", "desc")
        .orderBy("id")
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      return { total, chats: rows.map(toSummary) }
    },

    async find(ownerId: string, id: string): Promise<StoredConversation | undefined> {
      const row = await ofOwner(ownerId).where("id", "=", id).selectAll().executeTakeFirst()
      return row && { summary: toSummary(row), headId: row.headId }
    },

    /** Batches of the messages from the first one to the given one; none when it isn't in the conversation. */
    async batches(ownerId: string, id: string, lastId: string): Promise<Batch[]> {
      const ends = await pathTo(ownerId, id, lastId)
        .with("sizes", (builder) =>
          builder
            .selectFrom("path")
            .select(["id", "depth"])
            .select(sql<number>`sum(size) OVER (ORDER BY depth)`.as("size")),
        )
        .selectFrom("sizes")
        .select(({ fn }) => ["id", fn.max("depth").as("depth")])
        .groupBy(sql`size / ${batchBytes}`)
        .orderBy("depth")
        .execute()
      return ends.map((end, index) => ({
        lastId: end.id,
        length: end.depth - (ends[index - 1]?.depth ?? -1),
      }))
    },

    /** The messages of a batch; fewer once the conversation is being deleted. */
    async messages(ownerId: string, id: string, { lastId, length }: Batch): Promise<StoredMessage[]> {
      const rows = await pathTo(ownerId, id, lastId, length)
        .selectFrom("path")
        .innerJoin("messages", "messages.id", "path.id")
        .selectAll("messages")
        .orderBy("path.depth")
        .execute()
      return (await withPieces(db, rows)).map(toMessage)
    },

    /** The ends of all branches, newest first. */
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

    /** A new title counts as an update, a pin doesn't. */
    async update(
      ownerId: string,
      id: string,
      { title, pinned }: ConversationPatch,
    ): Promise<ConversationSummary | undefined> {
      const row = await db
        .updateTable("conversations")
        .set({
          ...(title === undefined ? {} : { title, foldedTitle: foldCase(title), updatedAt: timestamp() }),
          ...(pinned === undefined ? {} : { pinned: pinned ? 1 : 0 }),
        })
        .where("ownerId", "=", ownerId)
        .where("id", "=", id)
        .where("removed", "=", 0)
        .returningAll()
        .executeTakeFirst()
      return row && toSummary(row)
    },
  }
}

const size = sql<number>`octet_length(messages.content) + octet_length(messages.parts)`.as("size")

function toSummary(row: ConversationRow): ConversationSummary {
  return {
    id: row.id,
    title: row.title,
    origin: row.origin,
    vectorIds: readStored(z.array(z.string()), row.vectorIds) ?? [],
    assistantId: row.assistantId,
    projectId: row.projectId,
    messageCount: row.messageCount,
    pinned: row.pinned === 1,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

function toMessage(row: MessageRow): StoredMessage {
  return {
    id: row.id,
    role: row.role,
    content: row.content,
    parts: readParts(row.parts),
    attachments: row.attachments === null ? null : (readStored(Attachment.array(), row.attachments) ?? null),
    finishReason: row.finishReason,
    usage: row.usage === null ? null : (readStored(Usage, row.usage) ?? null),
    assistantId: row.assistantId,
    createdAt: row.createdAt,
  }
}
