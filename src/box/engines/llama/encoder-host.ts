import { basename } from "node:path"
import type { SpawnChild } from "../../core/children/child.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { EngineModel } from "../engine.ts"
import { readGgufHeader } from "./gguf/gguf-header.ts"
import type { GpuChoice } from "./process/gpu-choice.ts"
import { createModelHost, type ModelHost } from "./model-host.ts"
import { freeMemory } from "./computer-memory.ts"
import { planEmbeddingModel } from "./model-plan.ts"

export interface EncoderOptions {
  /** Path of a GGUF file. */
  modelPath: string
  /** Display name of the model; by default the file's name. */
  name?: string | undefined
  spawn: SpawnChild
  gpu: GpuChoice
  logger: Logger
}

/** The process of a model that reads whole texts and generates none: it embeds or ranks them. */
export function createEncoderHost(
  purpose: "embedding" | "reranking",
  { modelPath, name = basename(modelPath).replace(/\.gguf$/i, ""), spawn, gpu, logger }: EncoderOptions,
): { host: ModelHost; model: EngineModel } {
  const host = createModelHost({
    spawn,
    gpu,
    logger,
    plan: () => ({
      modelPath,
      purpose,
      ...planEmbeddingModel(readGgufHeader(modelPath), freeMemory() + gpu.memoryBytes()),
    }),
  })
  return { host, model: { id: name, kind: "local", contextSize: host.check()?.contextSize ?? 0 } }
}
