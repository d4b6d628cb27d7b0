import type { Retrieval, RetrievalCandidate } from "../../../../shared/contract/conversations.ts"
import type { Passage } from "../../../../shared/contract/folders.ts"
import type { Database } from "../../../core/database/database.ts"

/** What is stored of a candidate; the rest is read from its file. */
type StoredCandidate = Pick<RetrievalCandidate, "id" | "score" | "rank" | "citation" | "reason">

export interface RetrievalSources {
  /** Those of the folders that the user may see now. */
  visibleFolders(userId: string, vectorIds: readonly string[]): Promise<readonly string[]>
  /** Passages by id, in any order; those that are gone are left out. */
  passagesById(ids: readonly string[]): Promise<Omit<Passage, "score" | "rank">[]>
}

/** Why answers rest on the passages they do. */
export function createRetrievalStore(db: Database, { visibleFolders, passagesById }: RetrievalSources) {
  return {
    /** Without passages that are gone, or whose folder the reader may no longer see. */
    async read(ownerId: string, chatId: string, messageId: string): Promise<Retrieval | null | undefined> {
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
      const stored = JSON.parse(candidates) as StoredCandidate[]
      const passages = new Map(
        (await passagesById(stored.map(({ id }) => id))).map((passage) => [passage.id, passage]),
      )
      const vectorIds = new Set(Array.from(passages.values(), ({ vectorId }) => vectorId))
      const visible = new Set(await visibleFolders(ownerId, [...vectorIds]))
      return {
        query,
        strategy,
        candidates: stored.flatMap((candidate) => {
          const passage = passages.get(candidate.id)
          return passage && visible.has(passage.vectorId) ? [{ ...candidate, ...passage }] : []
        }),
      }
    },
  }
}
