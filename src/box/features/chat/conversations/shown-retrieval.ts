import type { Retrieval } from "../../../../shared/contract/conversations.ts"
import type { Passage } from "../../../../shared/contract/folders.ts"
import type { StoredRetrieval } from "../transcript/retrieval-store.ts"

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
  { query, strategy, candidates }: StoredRetrieval,
): Promise<Retrieval> {
  const found = await findPassagesById(candidates.map(({ id }) => id))
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
