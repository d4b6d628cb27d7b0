import type { Llama, LlamaModel } from "node-llama-cpp"

export interface RankingRuntime {
  /** For each text, 0–1: how well it answers the query. Texts over the context are cut; `onText` follows each one. */
  rank(query: string, texts: string[], onText: () => void): Promise<number[]>
}

/** Tokens that stand around the query and the text, at most. */
const tokensAround = 64

/** Makes the context of a loaded reranking model. */
export async function createRankingRuntime(
  llama: Llama,
  model: LlamaModel,
  contextSize: number,
): Promise<RankingRuntime> {
  // Somebody waits for the answer, but the machine is theirs too.
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
