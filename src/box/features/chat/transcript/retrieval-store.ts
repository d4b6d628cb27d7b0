import { z } from "zod"
import { RetrievalCandidate } from "../../../../shared/contract/conversations.ts"
import type { Strategy } from "../../../../shared/contract/folders.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/stored-json.ts"

/** A passage without the data that can be read from its file. */
const StoredCandidate = RetrievalCandidate.pick({
  id: true,
  score: true,
  rank: true,
  citation: true,
  reason: true,
})
export type StoredCandidate = z.infer<typeof StoredCandidate>

/** The search query of an answer and the passages that were considered. */
export interface StoredRetrieval {
  query: string
  strategy: Strategy
  /** Best first. */
  candidates: StoredCandidate[]
}

/** Stores why answers are based on their passages. */
export function createRetrievalStore(db: DbOf<"chat">) {
  return {
    /** Deleted together with its answer. */
    async keep(messageId: string, { query, strategy, candidates }: StoredRetrieval): Promise<void> {
      const kept = { query, strategy, candidates: JSON.stringify(candidates) }
      await db
        .insertInto("retrievals")
        .values({ messageId, ...kept })
        .onConflict((conflict) => conflict.column("messageId").doUpdateSet(kept))
        .execute()
    },

    /** Returns undefined if there is no such message, and null if no folders were searched for it. */
    async find(
      ownerId: string,
      chatId: string,
      messageId: string,
    ): Promise<StoredRetrieval | null | undefined> {
      const row = await db
        .selectFrom("messages")
        .innerJoin("conversations", (join) =>
          join
            .onRef("conversations.ownerId", "=", "messages.ownerId")
            .onRef("conversations.id", "=", "messages.conversationId"),
        )
        .leftJoin("retrievals", "retrievals.messageId", "messages.id")
        .select(["query", "strategy", "candidates"])
        .where("messages.id", "=", messageId)
        .where("messages.ownerId", "=", ownerId)
        .where("conversationId", "=", chatId)
        .where("removed", "=", 0)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { query, strategy, candidates } = row
      if (query === null || strategy === null || candidates === null) return null
      return { query, strategy, candidates: readStored(z.array(StoredCandidate), candidates) ?? [] }
    },
  }
}

export type RetrievalStore = ReturnType<typeof createRetrievalStore>
