import type { Passage } from "../../../shared/contract/folders.ts"
import { untilAborted } from "../../core/waiting/abort.ts"
import type { RankingEngine } from "../../engines/engine.ts"

export type Reranker = Pick<RankingEngine, "rank">

/** Passages that the model reads; what is further down has never been the answer. */
export const mostReranked = 30
/** Few at once, so that what was read when the time is over counts. */
const batchSize = 5
/** Batches that may wait for the model at once: it may be slower than people ask. */
const mostWaiting = 4
/** How much the model's word counts beside that of the search, which no model may silence. */
const modelShare = 2 / 3

/**
 * Orders the first passages of a search by what a reranking model makes of them, as many as it reads in time. The
 * scores stay those of the search, handed out in the new order, so that a percentage means what it meant before.
 */
export function createReranking(limitMs: number) {
  let waiting = 0

  async function read(reranker: Reranker, query: string, texts: string[], late: AbortSignal) {
    if (waiting >= mostWaiting) return undefined
    waiting++
    const scores = reranker.rank(query, texts).finally(() => waiting--)
    return untilAborted(scores, late)
  }

  /** Answers also how many passages were read. Throws what the model throws. */
  return async function rerank(
    reranker: Reranker,
    query: string,
    passages: readonly Passage[],
  ): Promise<{ passages: Passage[]; read: number }> {
    const scores: number[] = []
    const candidates = passages.slice(0, mostReranked)
    const late = AbortSignal.timeout(limitMs)
    while (scores.length < candidates.length) {
      const batch = candidates.slice(scores.length, scores.length + batchSize)
      const some = await read(reranker, query, batch.map(textOf), late)
      if (!some) break
      scores.push(...some)
    }
    return { passages: [...reorder(passages, scores), ...passages.slice(scores.length)], read: scores.length }
  }
}

/** A file that was asked for by name is told to the model, whose word would be that its text is about something else. */
const textOf = ({ text, fileName, rank }: Passage) =>
  rank.name === undefined ? text : `${fileName}\n\n${text}`

function reorder(passages: readonly Passage[], scores: readonly number[]): Passage[] {
  const best = passages[0]?.score ?? 0
  const places = scores.map((_, index) => index).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  const placeOf = new Map(places.map((index, place) => [index, place + 1]))
  return passages
    .slice(0, scores.length)
    .map((passage, index) => ({
      passage: { ...passage, rank: { ...passage.rank, rerank: placeOf.get(index) } },
      value: modelShare * (scores[index] ?? 0) + (1 - modelShare) * (best > 0 ? passage.score / best : 0),
    }))
    .toSorted((a, b) => b.value - a.value)
    .map(({ passage }, place) => ({ ...passage, score: passages[place]?.score ?? 0 }))
}
