import { sql, type Selectable } from "kysely"
import { z } from "zod"
import type {
  ConversationPatch,
  ConversationSummary,
  Origin,
} from "../../../../shared/contract/conversations.ts"
import type { Page } from "../../../../shared/contract/primitives.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import { readStored, readStoredIds } from "../../../core/database/stored-json.ts"
import { containsFolded, foldCase } from "../../../core/database/fold-case.ts"
import { timestamp } from "../../../core/ids.ts"
import { countConversations } from "./count-conversations.ts"

type ConversationRow = Selectable<TablesOf<"chat">["conversations"]>

export interface ConversationFilter {
  origin?: Origin | undefined
  /** Part of the title, ignoring case. */
  search?: string | undefined
  pinned?: boolean | undefined
  projectId?: string | undefined
  importId?: string | undefined
}

export interface StoredConversation {
  summary: ConversationSummary
  builtInTools: Record<string, boolean>
  headId: string | null
}

/** Lists, finds and renames stored chats. Each call concerns one owner's chats. */
export function createConversationStore(db: DbOf<"chat">) {
  // A literal, because SQLite uses a partial index only if it can read the condition.
  const queryByOwner = (ownerId: string) =>
    db.selectFrom("conversations").where("ownerId", "=", ownerId).where("removed", "=", sql.lit(0))

  return {
    async list(
      ownerId: string,
      page: Page,
      { origin, search, pinned, projectId, importId }: ConversationFilter,
    ) {
      let matching = queryByOwner(ownerId)
      if (origin !== undefined) matching = matching.where("origin", "=", origin)
      if (pinned !== undefined) matching = matching.where("pinned", "=", sql.lit(pinned ? 1 : 0))
      if (projectId !== undefined) matching = matching.where("projectId", "=", projectId)
      if (importId !== undefined) matching = matching.where("importId", "=", importId)
      const isSearched = search !== undefined && search !== ""
      if (isSearched) matching = matching.where(containsFolded("foldedTitle", search))
      const rows = await matching
        .selectAll()
        .orderBy("updatedAt", "desc")
        .orderBy("id")
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      if (!isSearched && projectId === undefined && importId === undefined) {
        const total = await countConversations(db, ownerId, { origin, pinned })
        return { total, chats: rows.map(toSummary) }
      }
      const { total } = await matching
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      return { total, chats: rows.map(toSummary) }
    },

    async find(ownerId: string, id: string): Promise<StoredConversation | undefined> {
      const row = await queryByOwner(ownerId).where("id", "=", id).selectAll().executeTakeFirst()
      if (!row) return undefined
      const builtInTools = readStored(z.record(z.string(), z.boolean()), row.builtInTools) ?? {}
      return { summary: toSummary(row), builtInTools, headId: row.headId }
    },

    /** A new title counts as an update; pinning, moving to another project or viewing doesn't. */
    async update(
      ownerId: string,
      id: string,
      { title, pinned, projectId, unread }: ConversationPatch,
      vectorIds?: readonly string[],
    ): Promise<ConversationSummary | undefined> {
      const row = await db
        .updateTable("conversations")
        .set({
          ...(title === undefined ? {} : { title, foldedTitle: foldCase(title), updatedAt: timestamp() }),
          ...(pinned === undefined ? {} : { pinned: pinned ? 1 : 0 }),
          ...(projectId === undefined ? {} : { projectId, removedProjectId: null }),
          ...(vectorIds === undefined ? {} : { vectorIds: JSON.stringify(vectorIds) }),
          ...(unread === undefined ? {} : { unread: unread ? 1 : 0 }),
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
    vectorIds: readStoredIds(row.vectorIds),
    assistantId: row.assistantId,
    modelId: row.modelId,
    projectId: row.projectId,
    messageCount: row.messageCount,
    pinned: row.pinned === 1,
    unread: row.unread === 1,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
