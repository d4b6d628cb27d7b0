import { join } from "node:path"
import { z } from "zod"
import type { BoxConfig } from "../box-config.ts"
import type { SpawnChild } from "../core/children/child.ts"
import type { BoxValues } from "../core/database/box-values.ts"
import type { Logger } from "../core/logging/logger.ts"
import type { Outbound } from "../core/outbound/outbound.ts"
import { unlessAborted } from "../core/waiting/abort-and-timeout.ts"
import { readStored } from "../core/database/stored-json.ts"
import type { MakeRoom } from "../features/models/answering/chat-models.ts"
import { isServerModel } from "../features/models/model-id.ts"
import type { ReachableModel } from "../features/models/servers/servers.ts"
import type { RemoteModel } from "../engines/remote/server-connection.ts"
import type { ChatEngine, EmbeddingEngine, RankingEngine } from "../engines/engine.ts"
import { totalMemory } from "../engines/llama/computer-memory.ts"
import type { ContextCost, ModelOptions } from "../../shared/contract/model-options.ts"
import { createGpuChoice, disableGpu, type TriedGpu } from "../engines/llama/process/gpu-choice.ts"
import { fingerprintModel } from "../engines/llama/model-fingerprint.ts"

export interface ModelOpenerOptions {
  config: Pick<BoxConfig, "dataDir">
  /** Whether the data directory is still at its location. */
  canWrite(): boolean
  values: Pick<BoxValues, "read" | "write">
  spawn: SpawnChild
  logger: Logger
  outbound: Pick<Outbound, "fetch" | "refusal">
  /** Returns a model of a server that an owner added, by its ID. Throws `unavailable` if the server was removed. */
  connected(id: string): Promise<ReachableModel>
  /** Options that owners set for a chat model. */
  getOptions(model: string): Pick<ModelOptions, "contextSize" | "device" | "vision">
  /** Returns the display name of a file whose own name isn't meaningful. */
  getName(path: string): Promise<string | undefined>
}

export interface OpenedEmbedder {
  embedding: EmbeddingEngine
  /** Key under which its vectors are stored. Another file with the same name has another key. */
  vectorsId: string
  /** Its file, by which another box identifies it; null for a server's model. */
  file: { path: string; fingerprint: string } | null
  /** Length of the model's vectors; null if it is unknown, so that search is by keyword only. */
  dimensions: number | null
}

/**
 * Opens models by the path of a GGUF file, which runs here, the ID of a server's model, or the address of an OpenAI-compatible server. The
 * code that runs them is loaded with the first model.
 */
export interface ModelOpener {
  /** Loads nothing yet. */
  chat(model: string, makeRoom: MakeRoom): Promise<ChatEngine>
  embedding(model: string): Promise<OpenedEmbedder>
  /** Files only. Loads nothing yet. */
  rerank(model: string): Promise<RankingEngine>
  /** Returns the memory that contexts of a model file need on this computer. Throws `unavailable` if the model doesn't fit at all. */
  estimateCost(path: string): Promise<ContextCost>
  /** Returns the memory of the GPU that models run on; 0 without a GPU. */
  gpuBytes(): number
  /** Returns the result of the GPU test; null if it wasn't run yet. */
  gpuTrial: TriedGpu["trial"]
  tryGpuAgain: TriedGpu["tryAgain"]
}

/** Stored properties of a remote embedding model, so that starting doesn't depend on its server. */
const KnownRemote = z.object({ address: z.string(), model: z.string(), dimensions: z.int().positive() })
type KnownRemote = z.infer<typeof KnownRemote>

const knownRemoteKey = "remoteEmbeddingModel"
const firstContactMs = 5_000
export const isAddress = (model: string) => /^https?:\/\//i.test(model)

export function createModelOpener({
  config,
  canWrite,
  values,
  spawn,
  logger,
  outbound,
  connected,
  getOptions,
  getName,
}: ModelOpenerOptions): ModelOpener {
  const file = join(config.dataDir, "gpu.json")
  const gpu = createGpuChoice({ file, canWrite, spawn, logger })
  /** Returns where a remote model is called; null for a file. */
  async function findRemoteModel(model: string): Promise<RemoteModel | null> {
    if (isAddress(model)) return { server: { baseUrl: model, outbound } }
    if (!isServerModel(model)) return null
    const { server, name, ...told } = await connected(model)
    const set = getOptions(model)
    const contextSize = set.contextSize ?? told.contextSize
    const vision = told.vision ?? set.vision
    return { server, name, ...(contextSize !== null && { contextSize }), ...(vision !== null && { vision }) }
  }

  return {
    async estimateCost(path) {
      const [{ readGgufHeader }, { contextCost }] = await Promise.all([
        import("../engines/llama/gguf/gguf-header.ts"),
        import("../engines/llama/model-plan.ts"),
      ])
      return contextCost(readGgufHeader(path), totalMemory() + gpu.memoryBytes())
    },
    gpuBytes: () => gpu.memoryBytes(),
    gpuTrial: () => gpu.trial(),
    tryGpuAgain: () => gpu.tryAgain(),
    async chat(model, makeRoom) {
      const remote = await findRemoteModel(model)
      if (remote) {
        const { createRemoteEngine } = await import("../engines/remote/remote-engine.ts")
        return createRemoteEngine(remote)
      }
      const { createLlamaEngine } = await import("../engines/llama/llama-engine.ts")
      const { contextSize, device } = getOptions(model)
      return createLlamaEngine({
        modelPath: model,
        name: await getName(model),
        contextSize,
        makeRoom,
        spawn,
        gpu: device === "cpu" ? disableGpu(gpu) : gpu,
        logger,
      })
    },
    async rerank(model) {
      const { createLlamaReranker } = await import("../engines/llama/llama-reranker.ts")
      return createLlamaReranker({ modelPath: model, name: await getName(model), spawn, gpu, logger })
    },
    async embedding(model) {
      const remote = await findRemoteModel(model)
      if (remote) return openRemote(model, remote, { values, logger })
      const { createLlamaEmbedder } = await import("../engines/llama/llama-embedder.ts")
      const embedding = createLlamaEmbedder({
        modelPath: model,
        name: await getName(model),
        spawn,
        gpu,
        logger,
      })
      const dimensions = await getDimensions(embedding, logger)
      // A file that can't be read can't be used either, so nothing is stored under its name.
      const fingerprint = dimensions === null ? "" : await fingerprintModel(model)
      const file = { path: model, fingerprint }
      return { embedding, file, dimensions, vectorsId: `${embedding.model.id} ${fingerprint}` }
    },
  }
}

async function openRemote(
  address: string,
  { server, name }: RemoteModel,
  { values, logger }: Pick<ModelOpenerOptions, "values" | "logger">,
): Promise<OpenedEmbedder> {
  const { createRemoteEmbedder } = await import("../engines/remote/remote-embedder.ts")
  const stored = await values.read(knownRemoteKey)
  const known = stored === null ? undefined : readStored(KnownRemote, stored)
  if (known?.address === address) {
    return {
      embedding: createRemoteEmbedder({ server, name: known.model }),
      file: null,
      dimensions: known.dimensions,
      vectorsId: known.model,
    }
  }
  const embedding = createRemoteEmbedder({ server, ...(name !== undefined && { name }) })
  const dimensions = await getDimensions(embedding, logger)
  if (dimensions !== null) {
    const value = JSON.stringify({ address, model: embedding.model.id, dimensions } satisfies KnownRemote)
    await values.write([{ key: knownRemoteKey, value }])
  }
  return { embedding, file: null, dimensions, vectorsId: embedding.model.id }
}

async function getDimensions(embedding: EmbeddingEngine, logger: Logger): Promise<number | null> {
  try {
    return await unlessAborted(embedding.dimensions(), AbortSignal.timeout(firstContactMs))
  } catch (error) {
    logger.warn(
      { err: error },
      "The embedding model can't be used; search is by keywords until the next start",
    )
    return null
  }
}
