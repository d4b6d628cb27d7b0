export interface KeywordRanked {
  id: string
  score: number
  /** Share of the query that the passage contains, 0–1. */
  coverage: number
}

export interface SemanticRanked {
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
export const farRank = 50
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
