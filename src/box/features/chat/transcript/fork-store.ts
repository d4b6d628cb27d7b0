import type { Insertable, Selectable } from "kysely"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { foldCase, readStoredIds } from "../../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import { newId } from "../../../core/ids.ts"
import { requireRoom, insertMessages } from "./append-turn.ts"

export type MessageRow = Selectable<TablesOf<"chat">["messages"]>

/** A copy of a file that a tool made, with the ID of the original. */
export interface CopiedFile {
  of: string
  row: Insertable<TablesOf<"chat">["chatFiles"]>
}

export interface NewFork {
  ownerId: string
  /** The chat whose messages are copied. */
  from: string
  chatId: string
  title: string
  /** From the first message to the answer that the fork continues from. */
  messages: readonly MessageRow[]
  /** New IDs by old ID, for copied files and their folder. */
  renamed: ReadonlyMap<string, string>
  madeFiles: readonly CopiedFile[]
  createdAt: string
}

/** Chats that start with a copy of another chat's messages. */
export class ForkStore {
  readonly #db: DbOf<"chat">

  constructor(db: DbOf<"chat">) {
    this.#db = db
  }

  /** Returns the messages that lead to the given one, in order, or none if it isn't in the chat. */
  path(ownerId: string, id: string, lastId: string): Promise<MessageRow[]> {
    return this.#db
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
  }

  /** Returns whether the message is an answer that is being written or waits for a decision. */
  async isUnfinished(ownerId: string, id: string, messageId: string): Promise<boolean> {
    const head = await this.#db
      .selectFrom("conversations")
      .leftJoin("parkedTurns", "parkedTurns.messageId", "conversations.headId")
      .select(["headId", "streamStatus", "parkedTurns.messageId as parked"])
      .where("conversations.ownerId", "=", ownerId)
      .where("conversations.id", "=", id)
      .executeTakeFirst()
    return head?.headId === messageId && (head.streamStatus === "active" || head.parked !== null)
  }

  /**
   * Stores the fork with the privacy of its original. Throws `not_found` if the original was deleted in the meantime, and `conflict` if
   * there are too many chats.
   */
  add(fork: NewFork): Promise<void> {
    return this.#db.transaction().execute(async (transaction) => {
      const { ownerId, from, chatId, title, messages, renamed, madeFiles, createdAt } = fork
      const source = await transaction
        .selectFrom("conversations")
        .selectAll()
        .where("ownerId", "=", ownerId)
        .where("id", "=", from)
        .where("removed", "=", 0)
        .executeTakeFirst()
      if (!source) throw new AppError("not_found", sentence("conversations.none_such"))
      await requireRoom(transaction, ownerId)
      const rename = <Text extends string | null>(text: Text) => renameAll(text, renamed)
      const ids = new Map(messages.map(({ id }) => [id, newId()]))
      const getId = (id: string | null) => (id === null ? null : (ids.get(id) ?? null))
      await transaction
        .insertInto("conversations")
        .values({
          ...source,
          id: chatId,
          title,
          foldedTitle: foldCase(title),
          vectorIds: rename(source.vectorIds),
          readVectorIds: addCopies(source.readVectorIds, renamed),
          removedProjectId: null,
          headId: getId(messages.at(-1)?.id ?? null),
          messageCount: messages.length,
          pinned: 0,
          streamStatus: "completed",
          streamStartedAt: null,
          streamActivityAt: null,
          untold: 0,
          unread: 0,
          createdAt,
          updatedAt: createdAt,
        })
        .execute()
      const rows = messages.map((row, index) => ({
        ...row,
        id: ids.get(row.id) ?? row.id,
        conversationId: chatId,
        parentId: getId(row.parentId),
        parts: rename(row.parts),
        attachments: rename(row.attachments),
        askedFiles: rename(row.askedFiles),
        // Later files belong to the next question; these copies don't.
        createdAt: index === messages.length - 1 ? createdAt : row.createdAt,
      }))
      await insertMessages(transaction, rows)
      const retrievals = await transaction
        .selectFrom("retrievals")
        .innerJoin("messages", "messages.id", "retrievals.messageId")
        .selectAll("retrievals")
        .where("messages.ownerId", "=", ownerId)
        .where("messages.conversationId", "=", from)
        .execute()
      for (const retrieval of retrievals) {
        const messageId = ids.get(retrieval.messageId)
        if (messageId !== undefined)
          await transaction
            .insertInto("retrievals")
            .values({ ...retrieval, messageId })
            .execute()
      }
      if (madeFiles.length > 0)
        await transaction
          .insertInto("chatFiles")
          .values(madeFiles.map(({ row }) => row))
          .execute()
    })
  }
}

export const createForkStore = (db: DbOf<"chat">): ForkStore => new ForkStore(db)

/** IDs are UUIDs, which have no other meaning in a text of the box. */
function renameAll<Text extends string | null>(text: Text, renamed: ReadonlyMap<string, string>): Text {
  let result: string | null = text
  for (const [from, to] of renamed) result = result?.replaceAll(from, to) ?? null
  return result as Text
}

/** Returns the folders that the chat has read, and their copies. */
function addCopies(readVectorIds: string, renamed: ReadonlyMap<string, string>): string {
  const copies = renameAll(readVectorIds, renamed)
  if (copies === readVectorIds) return readVectorIds
  return JSON.stringify([...new Set([...readStoredIds(readVectorIds), ...readStoredIds(copies)])])
}
