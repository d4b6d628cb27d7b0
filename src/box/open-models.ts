import { join } from "node:path"
import type { BoxConfig } from "./box-config.ts"
import type { SpawnChild } from "./core/child.ts"
import type { Database } from "./core/database.ts"
import type { Logger } from "./core/logger.ts"
import type { ChatEngine, EmbeddingEngine } from "./engines/engine.ts"
import { createGpuChoice } from "./engines/llama/gpu-choice.ts"
import { createLlamaEmbedder } from "./engines/llama/llama-embedder.ts"
import { createLlamaEngine } from "./engines/llama/llama-engine.ts"
import { createRemoteEmbedder } from "./engines/remote/remote-embedder.ts"
import { createRemoteEngine } from "./engines/remote/remote-engine.ts"

export interface OpenModelsOptions {
  config: Pick<BoxConfig, "model" | "embeddingModel" | "dataDir">
  db: Database
  spawn: SpawnChild
  logger: Logger
}

export interface Models {
  chat: ChatEngine | null
  embedding: EmbeddingEngine | null
  /** Length of the embedding model's vectors; null where it can't be known, so that search is by keywords only. */
  dimensions: number | null
}

/** What was learnt of a remote embedding model, so that starting doesn't depend on its server. */
interface KnownRemote {
  address: string
  model: string
  dimensions: number
}

const knownRemoteKey = "remoteEmbeddingModel"
const firstContactMs = 5_000
const isAddress = (model: string) => /^https?:\/\//i.test(model)

/** The configured models: GGUF files run here, addresses are OpenAI-compatible servers. None is loaded yet. */
export async function openModels({ config, db, spawn, logger }: OpenModelsOptions): Promise<Models> {
  const gpu = createGpuChoice({ file: join(config.dataDir, "gpu.json"), spawn, logger })
  const { model, embeddingModel } = config
  const chat =
    model === null
      ? null
      : isAddress(model)
        ? createRemoteEngine({ baseUrl: model })
        : createLlamaEngine({ modelPath: model, spawn, gpu, logger })
  if (embeddingModel === null) return { chat, embedding: null, dimensions: null }
  if (isAddress(embeddingModel)) return { chat, ...(await openRemote(embeddingModel, db, logger)) }
  const embedding = createLlamaEmbedder({ modelPath: embeddingModel, spawn, gpu, logger })
  return { chat, embedding, dimensions: await dimensionsOf(embedding, logger) }
}

async function openRemote(address: string, db: Database, logger: Logger): Promise<Omit<Models, "chat">> {
  const stored = await db
    .selectFrom("settings")
    .select("value")
    .where("key", "=", knownRemoteKey)
    .executeTakeFirst()
  const known = stored && (JSON.parse(stored.value) as KnownRemote)
  if (known?.address === address) {
    return {
      embedding: createRemoteEmbedder({ baseUrl: address, model: known.model }),
      dimensions: known.dimensions,
    }
  }
  const embedding = createRemoteEmbedder({ baseUrl: address })
  const dimensions = await dimensionsOf(embedding, logger)
  if (dimensions !== null) {
    const value = JSON.stringify({ address, model: embedding.model.id, dimensions } satisfies KnownRemote)
    await db
      .insertInto("settings")
      .values({ key: knownRemoteKey, value })
      .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
      .execute()
  }
  return { embedding, dimensions }
}

async function dimensionsOf(embedding: EmbeddingEngine, logger: Logger): Promise<number | null> {
  const late = AbortSignal.timeout(firstContactMs)
  const timeout = new Promise<never>((_, reject) => {
    late.addEventListener("abort", () => reject(late.reason as Error))
  })
  try {
    return await Promise.race([embedding.dimensions(), timeout])
  } catch (error) {
    logger.warn(
      { err: error },
      "The embedding model can't be used; search is by keywords until the next start",
    )
    return null
  }
}
