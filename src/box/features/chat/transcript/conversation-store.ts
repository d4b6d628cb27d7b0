import { sql, type ExpressionBuilder, type Selectable } from "kysely"
import { z } from "zod"
import type {
  Origin,
  ConversationPatch,
  ConversationSummary,
} from "../../../../shared/contract/conversations.ts"
import type { Page } from "../../../../shared/contract/primitives.ts"
import {
  among,
  containsFolded,
  foldCase,
  readStored,
  readStoredIds,
} from "../../../core/database/sql-helpers.ts"
import { type DbOf, ownTables, type AnyTransaction } from "../../../core/database/database.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import { timestamp } from "../../../core/ids.ts"

/** Returns the number of an owner's chats without reading them. */
export async function countConversations(
  db: Pick<DbOf<"chat">, "selectFrom">,
  ownerId: string,
  { origin, pinned }: { origin?: Origin | undefined; pinned?: boolean | undefined } = {},
): Promise<number> {
  let counts = db.selectFrom("conversationCounts").where("ownerId", "=", ownerId)
  if (origin !== undefined) counts = counts.where("origin", "=", origin)
  if (pinned !== undefined) counts = counts.where("pinned", "=", Number(pinned))
  const { total } = await counts
    .select((e) => e.fn.sum<number | null>("amount").as("total"))
    .executeTakeFirstOrThrow()
  return total ?? 0
}

type ConversationRow = Selectable<TablesOf<"chat">["conversations"]>

export interface ConversationFilter {
  origin?: Origin | undefined
  /** Part of the title, ignoring case. */
  search?: string | undefined
  /** Whether a search leaves out chats whose titles may contain names of files. */
  hidesFileNames?: boolean | undefined
  pinned?: boolean | undefined
  projectId?: string | undefined
  importId?: string | undefined
}

export interface StoredConversation {
  summary: ConversationSummary
  builtInTools: Record<string, boolean>
  headId: string | null
}

/** Selects messages that name files or have files attached. */
export const namesFiles = (e: ExpressionBuilder<TablesOf<"chat">, "messages">) =>
  e.or([e("askedFiles", "is not", null), e("attachments", "is not", null)])

/** The chats whose titles may contain names of files. */
export const namingFiles = (db: DbOf<"chat">, ownerId: string) =>
  db.selectFrom("messages").select("conversationId").where("ownerId", "=", ownerId).where(namesFiles)

/** Lists, finds and renames stored chats. Each call concerns one owner's chats. */
export function createConversationStore(db: DbOf<"chat">) {
  // A literal, because SQLite uses a partial index only if it can read the condition.
  const queryByOwner = (ownerId: string) =>
    db.selectFrom("conversations").where("ownerId", "=", ownerId).where("removed", "=", sql.lit(0))

  return {
    async list(
      ownerId: string,
      page: Page,
      { origin, search, hidesFileNames, pinned, projectId, importId }: ConversationFilter,
    ) {
      let matching = queryByOwner(ownerId)
      if (origin !== undefined) matching = matching.where("origin", "=", origin)
      if (pinned !== undefined) matching = matching.where("pinned", "=", sql.lit(pinned ? 1 : 0))
      if (projectId !== undefined) matching = matching.where("projectId", "=", projectId)
      if (importId !== undefined) matching = matching.where("importId", "=", importId)
      const isSearched = search !== undefined && search !== ""
      if (isSearched) matching = matching.where(containsFolded("foldedTitle", search))
      if (isSearched && hidesFileNames === true)
        matching = matching.where("id", "not in", namingFiles(db, ownerId))
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

export type ConversationStore = ReturnType<typeof createConversationStore>

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

/** Returns the titles of those of a user's chats that exist, by ID. */
export type ChatTitles = (ownerId: string, chatIds: readonly string[]) => Promise<ReadonlyMap<string, string>>

export function createChatTitles(db: DbOf<"chat">): ChatTitles {
  return async (ownerId, chatIds) => {
    const rows = await db
      .selectFrom("conversations")
      .select(["id", "title"])
      .where("ownerId", "=", ownerId)
      .where("removed", "=", 0)
      .where("id", "in", among(chatIds))
      .execute()
    return new Map(rows.map(({ id, title }) => [id, title]))
  }
}

/** Chats in projects. They stay when their project is deleted, and return to it when it is restored, unless they were moved. */
export function createProjectChats(db: DbOf<"chat">) {
  return {
    /** Returns the project of a chat, or undefined if there is no such chat. */
    async getProject(ownerId: string, chatId: string): Promise<{ projectId: string | null } | undefined> {
      return db
        .selectFrom("conversations")
        .select("projectId")
        .where("ownerId", "=", ownerId)
        .where("id", "=", chatId)
        .where("removed", "=", 0)
        .executeTakeFirst()
    },

    async takeOut(transaction: AnyTransaction, projectId: string): Promise<void> {
      await ownTables<"chat">(transaction)
        .updateTable("conversations")
        .set({ projectId: null, removedProjectId: projectId })
        .where("projectId", "=", projectId)
        .execute()
    },

    async restoreOfProject(transaction: AnyTransaction, projectId: string): Promise<void> {
      await ownTables<"chat">(transaction)
        .updateTable("conversations")
        .set({ projectId: sql<string>`"removedProjectId"`, removedProjectId: null })
        .where("removedProjectId", "=", projectId)
        .execute()
    },

    /** Called when the project was permanently deleted. */
    async forget(projectId: string): Promise<void> {
      await db
        .updateTable("conversations")
        .set({ removedProjectId: null })
        .where("removedProjectId", "=", projectId)
        .execute()
    },
  }
}

/** Keeps every chat that has read a folder on this computer from now on, even if the folder changes or is deleted. */
export async function restrictToLocal(db: DbOf<"chat">, folderId: string): Promise<void> {
  await db
    .updateTable("conversations")
    .set({ staysHere: 1 })
    .where("readVectorIds", "like", `%${folderId}%`)
    .where(
      sql<boolean>`${folderId} IN (SELECT value FROM json_each(CASE WHEN json_valid("readVectorIds") THEN "readVectorIds" ELSE '[]' END))`,
    )
    .execute()
}
