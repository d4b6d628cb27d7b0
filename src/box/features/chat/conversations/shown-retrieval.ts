import type { Retrieval } from "../../../../shared/contract/conversations.ts"
import type { Passage } from "../../../../shared/contract/folders.ts"
import type { KeptRetrieval } from "../transcript/retrieval-store.ts"

export interface RetrievalSources {
  /** Those of the folders that the user may see now. */
  visibleFolders(userId: string, vectorIds: readonly string[]): Promise<readonly string[]>
  /** Passages by id, in any order; those that are gone are left out. */
  passagesById(ids: readonly string[]): Promise<Omit<Passage, "score" | "rank">[]>
}

/** A retrieval without passages that are gone, or whose folder the reader may no longer see. */
export async function shownRetrieval(
  { visibleFolders, passagesById }: RetrievalSources,
  ownerId: string,
  { query, strategy, candidates }: KeptRetrieval,
): Promise<Retrieval> {
  const found = await passagesById(candidates.map(({ id }) => id))
  const passages = new Map(found.map((passage) => [passage.id, passage]))
  const vectorIds = new Set(found.map(({ vectorId }) => vectorId))
  const visible = new Set(await visibleFolders(ownerId, [...vectorIds]))
  return {
    query,
    strategy,
    candidates: candidates.flatMap((candidate) => {
      const passage = passages.get(candidate.id)
      return passage && visible.has(passage.vectorId) ? [{ ...candidate, ...passage }] : []
    }),
  }
}
