import { z } from "zod"
import {
  RetrievalCandidate,
  type QuerySource,
  type Retrieval,
} from "../../../../shared/contract/conversations.ts"
import type { Strategy, Passage } from "../../../../shared/contract/folders.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"

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
  querySource: QuerySource
  strategy: Strategy
  /** Best first. */
  candidates: StoredCandidate[]
}

/** Stores why answers are based on their passages. */
export function createRetrievalStore(db: DbOf<"chat">) {
  return {
    /** Deleted together with its answer. */
    async keep(
      messageId: string,
      { query, querySource, strategy, candidates }: StoredRetrieval,
    ): Promise<void> {
      const kept = { query, querySource, strategy, candidates: JSON.stringify(candidates) }
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
        .select(["query", "querySource", "strategy", "candidates"])
        .where("messages.id", "=", messageId)
        .where("messages.ownerId", "=", ownerId)
        .where("conversationId", "=", chatId)
        .where("removed", "=", 0)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { query, querySource, strategy, candidates } = row
      if (query === null || querySource === null || strategy === null || candidates === null) return null
      return {
        query,
        querySource,
        strategy,
        candidates: readStored(z.array(StoredCandidate), candidates) ?? [],
      }
    },
  }
}

export interface RetrievalSources {
  /** Returns those of the folders that the user may currently see. */
  visibleFolders(userId: string, vectorIds: readonly string[]): Promise<readonly string[]>
  /** Returns passages by id, in any order, without those that no longer exist. */
  findPassagesById(ids: readonly string[]): Promise<Omit<Passage, "score" | "rank">[]>
}

/** Returns a retrieval without passages that no longer exist, or whose folder the reader may no longer see. */
export async function shownRetrieval(
  { visibleFolders, findPassagesById }: RetrievalSources,
  ownerId: string,
  { query, querySource, strategy, candidates }: StoredRetrieval,
): Promise<Retrieval> {
  const found = await findPassagesById(candidates.map(({ id }) => id))
  const passages = new Map(found.map((passage) => [passage.id, passage]))
  const vectorIds = new Set(found.map(({ vectorId }) => vectorId))
  const visible = new Set(await visibleFolders(ownerId, [...vectorIds]))
  return {
    query,
    querySource,
    strategy,
    candidates: candidates.flatMap((candidate) => {
      const passage = passages.get(candidate.id)
      return passage && visible.has(passage.vectorId) ? [{ ...candidate, ...passage }] : []
    }),
  }
}
