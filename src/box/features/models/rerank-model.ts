import type { RankingEngine } from "../../engines/engine.ts"
import { createModelInUse, type ModelRole } from "../../engines/model-in-use.ts"

/** The reranking model in use. When it is replaced, its running requests fail and search continues without reranking. */
export function createRerankModel(first: RankingEngine | null): ModelRole<RankingEngine> {
  const { engine, onReplaced, set } = createModelInUse(first)
  return {
    engine,
    onReplaced,
    async replace(next) {
      const before = engine()
      set(next)
      await before?.[Symbol.asyncDispose]()
    },
    load: () =>
      void engine()
        ?.rank("", [])
        .catch(() => undefined),
    async [Symbol.asyncDispose]() {
      await engine()?.[Symbol.asyncDispose]()
    },
  }
}
