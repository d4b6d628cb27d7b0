import type { RankingEngine } from "../../engines/engine.ts"

/** The reranking model in use, which can be replaced while the box runs. */
export interface RerankModel extends AsyncDisposable {
  engine(): RankingEngine | null
  /** Takes another engine into use, or none. What the old one is asked at the moment fails, and search does without. */
  replace(next: RankingEngine | null): Promise<void>
  /** Called when another engine is in use; returns how to stop listening. */
  onReplaced(listener: () => void): () => void
  /** Begins to load the model, so that the first search doesn't wait for it; a failure shows in its state. */
  load(): void
}

export function createRerankModel(first: RankingEngine | null): RerankModel {
  const listeners = new Set<() => void>()
  let engine = first
  return {
    engine: () => engine,
    async replace(next) {
      const before = engine
      engine = next
      for (const listener of listeners) listener()
      await before?.[Symbol.asyncDispose]()
    },
    onReplaced(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    load: () => void engine?.rank("", []).catch(() => undefined),
    async [Symbol.asyncDispose]() {
      await engine?.[Symbol.asyncDispose]()
    },
  }
}
