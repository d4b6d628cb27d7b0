import type { Passage } from "../../../shared/contract/folders.ts"
import { untilAborted } from "../../core/waiting/abort.ts"
import type { RankingEngine } from "../../engines/engine.ts"

export type Reranker = Pick<RankingEngine, "rank">

/** Maximum number of passages that the model reads. Passages further down have never been the answer. */
export const maxReranked = 30
/** Small batches, so that the passages read before the timeout can be used. */
const batchSize = 5
/** Maximum number of batches that wait for the model, because it may be slower than people ask. */
const maxWaiting = 4
/** Weight of the model's score; the rest is the weight of the search, which no model can override completely. */
const modelShare = 2 / 3

/**
 * Reorders the first passages of a search with a reranking model, as many as it reads in time. The existing scores are reassigned in the
 * new order, so that a percentage keeps its meaning.
 */
export function createReranking(limitMs: number) {
  let waiting = 0

  async function read(reranker: Reranker, query: string, texts: string[], late: AbortSignal) {
    if (waiting >= maxWaiting) return undefined
    waiting++
    const scores = reranker.rank(query, texts).finally(() => waiting--)
    return untilAborted(scores, late)
  }

  /** Also returns the number of passages that were read. Throws the model's errors. */
  return async function rerank(
    reranker: Reranker,
    query: string,
    passages: readonly Passage[],
  ): Promise<{ passages: Passage[]; read: number }> {
    const scores: number[] = []
    const candidates = passages.slice(0, maxReranked)
    const late = AbortSignal.timeout(limitMs)
    while (scores.length < candidates.length) {
      const batch = candidates.slice(scores.length, scores.length + batchSize)
      const some = await read(reranker, query, batch.map(getText), late)
      if (!some) break
      scores.push(...some)
    }
    return { passages: [...reorder(passages, scores), ...passages.slice(scores.length)], read: scores.length }
  }
}

/** Includes the name of a file that the question names. Otherwise the model would judge that its text is about something else. */
const getText = ({ text, fileName, rank }: Passage) =>
  rank.name === undefined ? text : `${fileName}\n\n${text}`

function reorder(passages: readonly Passage[], scores: readonly number[]): Passage[] {
  const best = passages[0]?.score ?? 0
  const places = scores.map((_, index) => index).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  const rankByIndex = new Map(places.map((index, place) => [index, place + 1]))
  return passages
    .slice(0, scores.length)
    .map((passage, index) => ({
      passage: { ...passage, rank: { ...passage.rank, rerank: rankByIndex.get(index) } },
      value: modelShare * (scores[index] ?? 0) + (1 - modelShare) * (best > 0 ? passage.score / best : 0),
    }))
    .toSorted((a, b) => b.value - a.value)
    .map(({ passage }, place) => ({ ...passage, score: passages[place]?.score ?? 0 }))
}
