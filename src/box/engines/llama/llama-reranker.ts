import { basename } from "node:path"
import type { SpawnChild } from "../../core/child.ts"
import type { Logger } from "../../core/logger.ts"
import type { RankingEngine } from "../engine.ts"
import { askProcess } from "./ask-process.ts"
import { readGgufHeader } from "./gguf-header.ts"
import type { GpuChoice } from "./gpu-choice.ts"
import { createModelHost } from "./model-host.ts"
import { freeMemory, planEmbeddingModel } from "./model-plan.ts"

export interface LlamaRerankerOptions {
  /** A GGUF file of a reranking model. */
  modelPath: string
  /** What people call it; the file's name unless given. */
  name?: string | undefined
  spawn: SpawnChild
  gpu: GpuChoice
  logger: Logger
}

/** A reranking model in a process of its own, started at first use and again after it died. */
export function createLlamaReranker({
  modelPath,
  name = basename(modelPath).replace(/\.gguf$/i, ""),
  spawn,
  gpu,
  logger,
}: LlamaRerankerOptions): RankingEngine {
  const host = createModelHost({
    spawn,
    gpu,
    logger,
    plan: () => ({
      modelPath,
      purpose: "reranking",
      ...planEmbeddingModel(readGgufHeader(modelPath), freeMemory() + gpu.memoryBytes()),
    }),
  })
  let lastId = 0

  return {
    model: { id: name, kind: "local", contextSize: host.check()?.contextSize ?? 0 },
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
