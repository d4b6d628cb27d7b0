import type { PassageIndex } from "../../engines/vectors/passage-index.ts"
import { farRank, fuse, type KeywordRanked, type Ranked, type SemanticRanked } from "./fusion.ts"
import { semanticWeight } from "./semantic-weight.ts"

export interface RankingOptions {
  query: string
  /** If absent, only words are compared. */
  embedding: Float32Array | undefined
  isSemanticOnly: boolean
  vectorIds: string[]
}

/** Ranks passages to any depth. `complete` is true if there are no more than these. */
export async function rankPassages(
  index: Pick<PassageIndex, "keyword" | "semantic">,
  { query, embedding, isSemanticOnly, vectorIds }: RankingOptions,
  depth: number,
): Promise<{ ranked: Ranked[]; complete: boolean }> {
  const semanticDepth = Math.max(depth, farRank)
  const [keyword, semantic]: [KeywordRanked[], SemanticRanked[]] = await Promise.all([
    isSemanticOnly ? [] : index.keyword(query, vectorIds, depth),
    embedding ? index.semantic(embedding, vectorIds, semanticDepth) : [],
  ])
  const complete = keyword.length < depth && semantic.length < semanticDepth
  return { ranked: fuse(keyword, semantic, semanticWeight(keyword, semantic)), complete }
}
