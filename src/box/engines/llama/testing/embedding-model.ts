import { bertSpecialTokens, bertTokens, writeBertModel } from "./bert-model.ts"

const poolingMean = 1

/**
 * Writes an embedding model whose words have defined meanings. Words of one group share a vector, different groups are orthogonal, and a
 * text is the mean of its words. Unknown words have almost no meaning.
 */
export function buildEmbeddingModel(
  path: string,
  groups: string[][],
  { name = "test embeddings", dimensions = 64 } = {},
): void {
  if (groups.length + 1 > dimensions)
    throw new Error(`${dimensions} dimensions hold ${dimensions - 1} groups.`)
  const words = groups.flatMap((group, index) =>
    group.map((word) => ({ word: word.toLowerCase(), axis: index + 1 })),
  )
  const tokens = bertTokens(words.map(({ word }) => word))
  const first = bertSpecialTokens.length
  const axisOf = new Map(words.map(({ axis }, index) => [first + index, axis]))
  const embedding = new Float32Array(dimensions * tokens.length)
  // Single letters and digits all lie on the axis that stands for almost no meaning.
  tokens.forEach((_, id) => {
    const axis = axisOf.get(id) ?? 0
    embedding[id * dimensions + axis] = id < first ? 0 : axis === 0 ? 0.05 : 1
  })
  writeBertModel(path, {
    name,
    words: words.map(({ word }) => word),
    dimensions,
    embedding,
    pooling: poolingMean,
    attends: false,
  })
}
