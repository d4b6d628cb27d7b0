import type { Passage } from "../../../shared/contract/folders.ts"
import { abortAfter, untilAborted } from "../../core/waiting/abort-and-timeout.ts"
import type { RankingEngine } from "../../engines/engine.ts"
import type { FileSelection, PassageIndex } from "../../engines/vectors/passage-index.ts"

interface KeywordRanked {
  id: string
  score: number
  /** Share of the query that the passage contains, 0–1. */
  coverage: number
}

interface SemanticRanked {
  id: string
  /** Cosine, −1 to 1. */
  similarity: number
}

export interface Ranked {
  id: string
  /** How well the passage answers the query, 0–1; descends with the rank. */
  score: number
  /** Rank in each ranking that contains the passage, from 1; `name` is the rank of its file's name. */
  rank: { keyword?: number; semantic?: number; name?: number }
}

/** Rank in the semantic ranking that is treated as distant, however many passages are ranked. */
const farRank = 50
/** Number of top keyword results to search for the largest query share, which becomes the best passage's score. */
const bestOf = 3

/**
 * Merges two rankings, both best first. It adds scores instead of ranks, so a clear winner by words stays first unless the meaning is as
 * clear. `semanticWeight` 0 keeps the keyword ranking and appends the rest.
 */
export function fuse(
  keyword: readonly KeywordRanked[],
  semantic: readonly SemanticRanked[],
  semanticWeight: number,
): Ranked[] {
  const weight = keyword.length === 0 ? 1 : semanticWeight
  const passages = new Map<string, { value: number; rank: Ranked["rank"] }>()
  const top = keyword[0]?.score ?? 0
  for (const [index, { id, score }] of keyword.entries()) {
    passages.set(id, { value: top > 0 ? score / top : 0, rank: { keyword: index + 1 } })
  }
  const nearest = semantic[0]?.similarity ?? 0
  const farthest = semantic.slice(0, farRank).at(-1)?.similarity ?? 0
  for (const [index, { id, similarity }] of semantic.entries()) {
    const closeness = nearest > farthest ? Math.max(0, (similarity - farthest) / (nearest - farthest)) : 1
    const known = passages.get(id)
    passages.set(id, {
      value: (known?.value ?? 0) + weight * closeness,
      rank: { ...known?.rank, semantic: index + 1 },
    })
  }
  const ranked = [...passages].sort(([, a], [, b]) => b.value - a.value)
  const largest = ranked[0]?.[1].value ?? 0
  const best = relevanceOfBest(keyword, Math.max(0, nearest), weight)
  return ranked.map(([id, { value, rank }]) => ({
    id,
    score: largest > 0 ? best * (value / largest) : 0,
    rank,
  }))
}

function relevanceOfBest(keyword: readonly KeywordRanked[], nearest: number, weight: number): number {
  if (keyword.length === 0) return Math.min(1, nearest)
  const coverage = Math.max(...keyword.slice(0, bestOf).map((hit) => hit.coverage))
  // Semantic similarity can only raise the score, so that a filter keeps about the same passages with both strategies.
  return Math.min(1, Math.max(coverage, (coverage + weight * nearest) / (1 + weight)))
}

/** Minimum number of passages: among fewer, one stands out by chance. */
const minPassages = 20
/** A lead that also occurs by chance, as a share of the distance to the passage that is treated as distant. */
const usualLead = 0.1
const weightPerLead = 1.5
const maxWeight = 0.8

/**
 * Weight of the semantic ranking relative to the keyword ranking, which has weight 1. A model that understands the question singles out one
 * passage, which the keywords also find. The weight depends only on the two rankings, so that the same question always gets the same order.
 * Weak models usually get 0 in languages they don't know.
 */
export function semanticWeight(
  keyword: readonly { id: string }[],
  semantic: readonly SemanticRanked[],
): number {
  const [first, second] = semantic
  const last = semantic.slice(0, farRank).at(-1)
  if (!first || !second || !last || semantic.length < minPassages) return 0
  const distance = first.similarity - last.similarity
  const isFoundByWords = keyword.slice(0, farRank).some(({ id }) => id === first.id)
  if (!isFoundByWords || distance <= 0) return 0
  const lead = (first.similarity - second.similarity) / distance
  return Math.min(maxWeight, Math.max(0, lead - usualLead) * weightPerLead)
}

export interface RankingOptions {
  query: string
  /** If absent, only words are compared. */
  embedding: Float32Array | undefined
  isSemanticOnly: boolean
  vectorIds: string[]
  /** Limits the search to these files of the folders. */
  files: FileSelection | undefined
}

/** Ranks passages to any depth. `complete` is true if there are no more than these. */
export async function rankPassages(
  index: Pick<PassageIndex, "keyword" | "semantic">,
  { query, embedding, isSemanticOnly, vectorIds, files }: RankingOptions,
  depth: number,
): Promise<{ ranked: Ranked[]; complete: boolean }> {
  const semanticDepth = Math.max(depth, farRank)
  const [keyword, semantic]: [KeywordRanked[], SemanticRanked[]] = await Promise.all([
    isSemanticOnly ? [] : index.keyword(query, vectorIds, depth, files),
    embedding ? index.semantic(embedding, vectorIds, semanticDepth, files) : [],
  ])
  const complete = keyword.length < depth && semantic.length < semanticDepth
  return { ranked: fuse(keyword, semantic, semanticWeight(keyword, semantic)), complete }
}

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
    const late = abortAfter(limitMs)
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
  const order = scores.map((_, index) => index).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  const rankByIndex = new Map(order.map((index, place) => [index, place + 1]))
  return passages
    .slice(0, scores.length)
    .map((passage, index) => ({
      passage: { ...passage, rank: { ...passage.rank, rerank: rankByIndex.get(index) } },
      value: modelShare * (scores[index] ?? 0) + (1 - modelShare) * (best > 0 ? passage.score / best : 0),
    }))
    .toSorted((a, b) => b.value - a.value)
    .map(({ passage }, place) => ({ ...passage, score: passages[place]?.score ?? 0 }))
}
