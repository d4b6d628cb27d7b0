import { bertSpecialTokens, bertTokens, writeBertModel } from "./bert-model.ts"

const dimensions = 64
const poolingRank = 4
const axes = { good: 1, bad: 2 }

/**
 * Writes a model that ranks passages. The more of a passage's words are in `good`, the closer its score is to 1; the more are in `bad`, the
 * closer to 0. Its single attention layer takes the mean of all words.
 */
export function buildRankingModel(path: string, { good, bad }: { good: string[]; bad: string[] }): void {
  const words = [...good, ...bad]
  const embedding = new Float32Array(dimensions * bertTokens(words).length)
  words.forEach((_, index) => {
    const axis = index < good.length ? axes.good : axes.bad
    embedding[(bertSpecialTokens.length + index) * dimensions + axis] = 1
  })
  const output = new Float32Array(dimensions)
  output[axes.good] = 60
  output[axes.bad] = -60
  writeBertModel(path, {
    name: "test ranking",
    words,
    dimensions,
    embedding,
    pooling: poolingRank,
    attends: true,
    output,
  })
}
