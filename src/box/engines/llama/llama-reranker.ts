import type { RankingEngine } from "../engine.ts"
import { askProcess } from "./model-process.ts"
import { createEncoderHost, type EncoderOptions } from "./model-host.ts"

/** A reranking model in a separate process, started on first use and restarted after a crash. */
export function createLlamaReranker(options: EncoderOptions): RankingEngine {
  const { host, model } = createEncoderHost("reranking", options)
  let lastId = 0

  return {
    model,
    get state() {
      return host.state
    },
    onState: (listener) => host.onState(listener),
    async rank(query, texts) {
      const { process } = await host.use()
      const { scores } = await askProcess(process, { type: "rank", id: ++lastId, query, texts }, "ranked")
      host.worked()
      return scores
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}
