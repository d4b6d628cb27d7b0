import type { Llama, LlamaEmbeddingContext, LlamaModel, Token } from "node-llama-cpp"

export interface EmbeddingRuntime {
  readonly dimensions: number
  /** Returns vectors of length one. A text longer than the context is cut. Calls `onText` after each text. */
  embed(texts: string[], onText: () => void): Promise<Float32Array[]>
}

/** Creates the context of a loaded embedding model. */
export async function createEmbeddingRuntime(
  llama: Llama,
  model: LlamaModel,
  contextSize: number,
): Promise<EmbeddingRuntime> {
  // Embedding runs in the background, so some cores stay free for the user.
  if (llama.gpu === false) llama.maxThreads = Math.max(1, Math.floor(llama.cpuMathCores / 2))
  const context = await model.createEmbeddingContext({ contextSize, batchSize: contextSize })
  return {
    dimensions: model.embeddingVectorSize,
    async embed(texts, onText) {
      const vectors: Float32Array[] = []
      for (const text of texts) {
        const { vector } = await context.getEmbeddingFor(fit(context, model, text, contextSize))
        vectors.push(normalise(vector, model.embeddingVectorSize))
        onText()
      }
      return vectors
    },
  }
}

function fit(context: LlamaEmbeddingContext, model: LlamaModel, text: string, contextSize: number): Token[] {
  const tokens = model.tokenize(text)
  // The context adds a start and an end token, and needs one more position than it has tokens.
  return context.calculateInputLength(tokens) < contextSize ? tokens : tokens.slice(0, contextSize - 3)
}

function normalise(vector: readonly number[], dimensions: number): Float32Array {
  const length = Math.hypot(...vector)
  if (length === 0 || vector.length === 0) return new Float32Array(dimensions)
  return Float32Array.from(vector, (value) => value / length)
}

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
