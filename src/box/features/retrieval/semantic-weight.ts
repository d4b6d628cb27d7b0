import { farRank, type SemanticRanked } from "./fusion.ts"

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
