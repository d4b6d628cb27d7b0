import type { Conversation, ConversationSummary } from "../../../shared/contract/conversations.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { paginate, type Page, type Pagination } from "../../../shared/contract/primitives.ts"
import type { Database } from "../../core/database.ts"
import { createConversationStore, type ConversationFilter } from "./store.ts"

export interface ConversationsDeps {
  db: Database
  /** Stops the conversation's running answer, then does the work while none can start. */
  whileIdle<T>(ownerId: string, id: string, work: () => Promise<T>): Promise<T>
}

export interface Conversations {
  /** Most recently updated first. */
  list(
    ownerId: string,
    page: Page,
    filter: ConversationFilter,
  ): Promise<{ chats: ConversationSummary[]; pagination: Pagination }>
  /** The current course, or the one that ends with the message `branch`. Throws `not_found`. */
  read(ownerId: string, id: string, branch?: string): Promise<Conversation>
  rename(ownerId: string, id: string, title: string): Promise<ConversationSummary>
  remove(ownerId: string, id: string): Promise<void>
}

/** Stored transcripts of chats (interface.md 4.7). */
export function createConversations({ db, whileIdle }: ConversationsDeps): Conversations {
  const store = createConversationStore(db)
  return {
    async list(ownerId, page, filter) {
      const { total, chats } = await store.list(ownerId, page, filter)
      return { chats, pagination: paginate(total, page, chats.length) }
    },

    async read(ownerId, id, branch) {
      const found = await store.find(ownerId, id)
      if (!found) throw missing()
      const lastId = branch ?? found.headId
      const messages = lastId === null ? [] : await store.path(ownerId, id, lastId)
      if (messages.length === 0) throw new AppError("not_found", "This conversation has no such branch.")
      return { ...found.summary, messages, branches: await store.branches(ownerId, id, found.headId) }
    },

    async rename(ownerId, id, title) {
      const renamed = await store.rename(ownerId, id, title)
      if (!renamed) throw missing()
      return renamed
    },

    async remove(ownerId, id) {
      const removed = await whileIdle(ownerId, id, () => store.remove(ownerId, id))
      if (!removed) throw missing()
    },
  }
}

const missing = () => new AppError("not_found", "There is no such conversation.")
