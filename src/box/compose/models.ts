import { homedir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import type { ContextCost } from "../../shared/contract/models.ts"
import { parseServerModelId } from "../../shared/contract/server-model-id.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { modelsPath } from "../core/data-layout.ts"
import type { BoxValues } from "../core/database/box-values.ts"
import { readStored } from "../core/database/sql-helpers.ts"
import type { Logger } from "../core/logging/logger.ts"
import { abortAfter, unlessAborted } from "../core/waiting/abort-and-timeout.ts"
import type { ChatEngine, EmbeddingEngine, RankingEngine } from "../engines/engine.ts"
import { totalMemory, findGpuSupport, fingerprintModel } from "../engines/llama/computer.ts"
import { createGpuChoice, disableGpu, type TriedGpu } from "../engines/llama/process/gpu-choice.ts"
import type { RemoteModel } from "../engines/remote/server-connection.ts"
import {
  type MakeRoom,
  createChatModels,
  type ModelChange,
  createRerankModel,
} from "../features/models/answering/models-in-use.ts"
import { createUsableModels } from "../features/models/answering/usable-models.ts"
import { createDownloads } from "../features/models/downloads/downloads.ts"
import {
  isServerModel,
  openModelChoice,
  createModelStore,
  type ModelStore,
} from "../features/models/model-choice.ts"
import { createInstalledModels, programFolders } from "../features/models/model-files.ts"
import { createDownloadNews } from "../features/models/model-news.ts"
import {
  createMeasuredSpeeds,
  openModelOptions,
  type OpenModelOptions,
  applyModelOptions,
} from "../features/models/options/model-options.ts"
import { type ModelServers, createModelServers } from "../features/models/servers/servers.ts"
import { createModels } from "../features/models/service.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"

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

interface ModelOpenerSources {
  base: Base
  accounts: Accounts
  modelStore: Pick<ModelStore, "adopted">
  modelServers: Pick<ModelServers, "connect">
  modelOptions: Pick<OpenModelOptions, "of">
}

function createModelOpener(sources: ModelOpenerSources): ModelOpener {
  const { base, accounts, modelStore, modelServers, modelOptions } = sources
  const { spawn, logger } = base
  const { values, outbound } = accounts
  const file = join(base.config.dataDir, "gpu.json")
  const gpu = createGpuChoice({ file, canWrite: base.dataDirectory.isInPlace, spawn, logger })
  /** Returns the display name of a file whose own name isn't meaningful. */
  const getName = async (path: string) =>
    (await modelStore.adopted()).find((model) => model.path === path)?.name
  /** Returns where a remote model is called; null for a file. */
  async function findRemoteModel(model: string): Promise<RemoteModel | null> {
    if (isAddress(model)) return { server: { baseUrl: model, outbound } }
    if (!isServerModel(model)) return null
    const connected = await modelServers.connect(model)
    if (connected === null) throw new AppError("unavailable", sentence("models.no_such_model"))
    const { server, name, ...details } = connected
    const set = modelOptions.of(model)
    const contextSize = set.contextSize ?? details.contextSize
    const vision = details.vision ?? set.vision
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
      const { contextSize, device } = modelOptions.of(model)
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
      const { createLlamaReranker } = await import("../engines/llama/llama-encoders.ts")
      return createLlamaReranker({ modelPath: model, name: await getName(model), spawn, gpu, logger })
    },
    async embedding(model) {
      const remote = await findRemoteModel(model)
      if (remote) return openRemote(model, remote, { values, logger })
      const { createLlamaEmbedder } = await import("../engines/llama/llama-encoders.ts")
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
  { values, logger }: { values: BoxValues; logger: Logger },
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
    return await unlessAborted(embedding.dimensions(), abortAfter(firstContactMs))
  } catch (error) {
    logger.warn(
      { err: error },
      "The embedding model can't be used; search is by keywords until the next start",
    )
    return null
  }
}

interface ModelsSources {
  base: Base
  accounts: Accounts
  replaceEmbedding(reference: string | null): Promise<void>
}

export type Models = Awaited<ReturnType<typeof composeModels>>

/** The three models in use, installed and server models, and downloads. */
export async function composeModels({ base, accounts, replaceEmbedding }: ModelsSources) {
  const { config, bus, push, logger, secrets, dataDir, stack } = base
  const { db } = base.database
  const { people, values, settings, outbound } = accounts
  const modelStore = createModelStore(values, dataDir, logger)
  const modelServers = createModelServers({ db, secrets, outbound, changed: serverChanged })
  const modelsDirectory = modelsPath(dataDir)
  const installed = createInstalledModels(modelsDirectory, modelStore)
  const speeds = createMeasuredSpeeds()
  const modelOptions = await openModelOptions({
    values,
    installed,
    servers: modelServers,
    estimateCost: (path) => opener.estimateCost(path),
    getSpeeds: (reference) => speeds.of(reference),
    changed: (reference) => reopen((each) => each === reference),
  })
  const opener = createModelOpener({ base, accounts, modelStore, modelServers, modelOptions })
  const chatModels = stack.use(
    createChatModels({
      open: async (reference, makeRoom) =>
        applyModelOptions(speeds.measured(reference, await opener.chat(reference, makeRoom)), () =>
          modelOptions.of(reference),
        ),
      unloadAfterMinutes: (reference) => modelOptions.of(reference).unloadAfterMinutes,
    }),
  )
  const modelChoice = await openModelChoice(
    modelStore,
    async (reference) => !isServerModel(reference) || (await modelServers.connect(reference)) !== null,
    { chat: config.model, embedding: config.embeddingModel, rerank: null },
    {
      async chat(reference) {
        await chatModels.choose(reference)
        chatModels.load()
      },
      embedding: replaceEmbedding,
      async rerank(path) {
        await rerankModel.replace(path === null ? null : await opener.rerank(path))
        rerankModel.load()
      },
    },
  )
  await chatModels.choose(modelChoice.activeModel("chat"))
  const rerankPath = modelChoice.activeModel("rerank")
  const rerankModel = stack.use(
    createRerankModel(rerankPath === null ? null : await opener.rerank(rerankPath)),
  )

  async function serverChanged(serverId: string, change?: ModelChange): Promise<void> {
    await reopen((reference) => parseServerModelId(reference)?.serverId === serverId, change)
  }

  /** Reopens models that changed where they are used, and closes models that were removed. */
  async function reopen(isConcerned: (reference: string) => boolean, change?: ModelChange): Promise<void> {
    chatModels.close(isConcerned, change)
    await modelChoice.reload(isConcerned)
  }

  const downloads = stack.use(
    createDownloads({
      directory: modelsDirectory,
      mirror: () => settings.current.modelMirror,
      outbound,
      changed: createDownloadNews(bus, push, people.ownerIds, logger),
      useNow: (path) => models.useIfFree(path),
      logger,
    }),
  )
  const models = createModels({
    dataDir,
    directory: modelsDirectory,
    installed,
    servers: modelServers,
    choice: modelChoice,
    downloads,
    programFolders: programFolders({ directory: homedir(), env: process.env, platform: process.platform }),
    gpuBytes: opener.gpuBytes,
    gpuTrial: opener.gpuTrial,
    gpuSupport: findGpuSupport,
    tryGpuAgain: opener.tryGpuAgain,
  })
  const usableModels = createUsableModels(installed, modelServers, modelChoice, chatModels)
  return {
    opener,
    modelChoice,
    chatModels,
    rerankModel,
    downloads,
    models,
    modelServers,
    modelOptions,
    usableModels,
  }
}
