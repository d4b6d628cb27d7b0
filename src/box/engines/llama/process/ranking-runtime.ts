import type { Llama, LlamaModel } from "node-llama-cpp"

export interface RankingRuntime {
  /**
   * Returns a score from 0 to 1 for each text: how well it answers the query. Texts longer than the context are cut. Calls `onText` after
   * each text.
   */
  rank(query: string, texts: string[], onText: () => void): Promise<number[]>
}

/** Maximum number of tokens that the template adds around the query and the text. */
const tokensAround = 64

/** Creates the context of a loaded reranking model. */
export async function createRankingRuntime(
  llama: Llama,
  model: LlamaModel,
  contextSize: number,
): Promise<RankingRuntime> {
  // Someone is waiting for the answer, but still needs the computer for other work.
  if (llama.gpu === false) llama.maxThreads = llama.cpuMathCores
  const context = await model.createRankingContext({ contextSize, batchSize: contextSize })
  return {
    async rank(query, texts, onText) {
      const question = model.tokenize(query).slice(0, Math.floor(contextSize / 4))
      const room = contextSize - question.length - tokensAround
      const scores: number[] = []
      for (const text of texts) {
        scores.push(await context.rank(question, model.tokenize(text).slice(0, room)))
        onText()
      }
      return scores
    },
  }
}
