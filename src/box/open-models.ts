import { join } from "node:path"
import type { BoxConfig } from "./box-config.ts"
import type { SpawnChild } from "./core/child.ts"
import type { Logger } from "./core/logger.ts"
import type { ChatEngine, EmbeddingEngine } from "./engines/engine.ts"
import { createGpuChoice } from "./engines/llama/gpu-choice.ts"
import { createLlamaEmbedder } from "./engines/llama/llama-embedder.ts"
import { createLlamaEngine } from "./engines/llama/llama-engine.ts"
import { createRemoteEmbedder } from "./engines/remote/remote-embedder.ts"
import { createRemoteEngine } from "./engines/remote/remote-engine.ts"

export interface OpenModelsOptions {
  config: Pick<BoxConfig, "model" | "embeddingModel" | "dataDir">
  spawn: SpawnChild
  logger: Logger
}

const isAddress = (model: string) => /^https?:\/\//i.test(model)

/** The configured models: GGUF files run here, addresses are OpenAI-compatible servers. Nothing is loaded yet. */
export function openModels({ config, spawn, logger }: OpenModelsOptions): {
  chat: ChatEngine | null
  embedding: EmbeddingEngine | null
} {
  const gpu = createGpuChoice({ file: join(config.dataDir, "gpu.json"), spawn, logger })
  const { model, embeddingModel } = config
  return {
    chat:
      model === null
        ? null
        : isAddress(model)
          ? createRemoteEngine({ baseUrl: model })
          : createLlamaEngine({ modelPath: model, spawn, gpu, logger }),
    embedding:
      embeddingModel === null
        ? null
        : isAddress(embeddingModel)
          ? createRemoteEmbedder({ baseUrl: embeddingModel })
          : createLlamaEmbedder({ modelPath: embeddingModel, spawn, gpu, logger }),
  }
}
