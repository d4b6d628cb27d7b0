import { farPlace, type SemanticRanked } from "./fusion.ts"

/** Among fewer, a passage stands out by chance. */
const fewest = 20
/** A lead that chance gives too, as a share of the distance to the passage that counts as far away. */
const usualLead = 0.1
const weightPerLead = 1.5
const most = 0.8

/**
 * How much the semantic ranking counts beside the keyword ranking's 1. A model that understands the question sets one
 * passage apart from all others, and one that the words find as well. Told from nothing but the two rankings, so that
 * the same question is answered alike whatever was asked before it. Weak models on languages they never saw mostly get 0.
 */
export function semanticWeight(
  keyword: readonly { id: string }[],
  semantic: readonly SemanticRanked[],
): number {
  const [first, second] = semantic
  const last = semantic.slice(0, farPlace).at(-1)
  if (!first || !second || !last || semantic.length < fewest) return 0
  const distance = first.similarity - last.similarity
  const isFoundByWords = keyword.slice(0, farPlace).some(({ id }) => id === first.id)
  if (!isFoundByWords || distance <= 0) return 0
  const lead = (first.similarity - second.similarity) / distance
  return Math.min(most, Math.max(0, lead - usualLead) * weightPerLead)
}
