import type { Selectable } from "kysely"
import type { Attachment, MessagePart, Usage } from "../../../shared/contract/chat.ts"
import type {
  Branch,
  ConversationPatch,
  ConversationSummary,
  Origin,
  StoredMessage,
} from "../../../shared/contract/conversations.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import type { Database } from "../../core/database.ts"
import type { DatabaseSchema } from "../../core/database-schema.ts"
import { containsFolded, foldCase } from "../../core/fold-case.ts"
import { timestamp } from "../../core/ids.ts"

type ConversationRow = Selectable<DatabaseSchema["conversations"]>
type MessageRow = Selectable<DatabaseSchema["messages"]>
export type WithPieces = (rows: readonly MessageRow[]) => Promise<readonly MessageRow[]>

export interface ConversationFilter {
  origin?: Origin | undefined
  /** Part of the title, in any case. */
  search?: string | undefined
  pinned?: boolean | undefined
}

export interface StoredConversation {
  summary: ConversationSummary
  headId: string | null
}

/** Stored conversations as they are read and renamed; chat writes and deletes them. Everything is one owner's. */
export function createConversationStore(db: Database, withPieces: WithPieces) {
  const ofOwner = (ownerId: string) =>
    db.selectFrom("conversations").where("ownerId", "=", ownerId).where("removed", "=", 0)

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

    /** Messages from the first one to the given one; none when it isn't in the conversation. */
    async path(ownerId: string, id: string, lastId: string): Promise<StoredMessage[]> {
      const rows = await db
        .withRecursive("path", (builder) =>
          builder
            .selectFrom("messages")
            .selectAll()
            .where("id", "=", lastId)
            .where("ownerId", "=", ownerId)
            .where("conversationId", "=", id)
            .unionAll(
              builder
                .selectFrom("messages")
                .innerJoin("path", "path.parentId", "messages.id")
                .selectAll("messages"),
            ),
        )
        .selectFrom("path")
        .selectAll()
        .orderBy("depth")
        .execute()
      return (await withPieces(rows)).map(toMessage)
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

function toSummary(row: ConversationRow): ConversationSummary {
  return {
    id: row.id,
    title: row.title,
    origin: row.origin,
    vectorIds: JSON.parse(row.vectorIds) as string[],
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
    parts: JSON.parse(row.parts) as MessagePart[],
    attachments: row.attachments === null ? null : (JSON.parse(row.attachments) as Attachment[]),
    finishReason: row.finishReason,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as Usage),
    assistantId: row.assistantId,
    createdAt: row.createdAt,
  }
}
