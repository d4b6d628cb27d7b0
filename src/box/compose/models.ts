import { homedir } from "node:os"
import { modelsPath } from "../core/data-layout.ts"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { parseServerModelId } from "../../shared/contract/server-model-id.ts"
import { createChatModels, type ModelChange } from "../features/models/answering/chat-models.ts"
import { createUsableModels } from "../features/models/answering/usable-models.ts"
import { createDownloadNews } from "../features/models/downloads/download-news.ts"
import { createDownloads } from "../features/models/downloads/downloads.ts"
import { createInstalledModels } from "../features/models/installed-models.ts"
import { openModelChoice } from "../features/models/model-choice.ts"
import { isServerModel } from "../features/models/model-id.ts"
import { createMeasuredSpeeds } from "../features/models/options/measured-speeds.ts"
import { openModelOptions } from "../features/models/options/model-options.ts"
import { applyModelOptions } from "../features/models/options/apply-options.ts"
import { createRerankModel } from "../features/models/rerank-model.ts"
import { createModelServers } from "../features/models/servers/servers.ts"
import { createModelStore } from "../features/models/model-store.ts"
import { programFolders } from "../features/models/program-folders.ts"
import { createModels } from "../features/models/service.ts"
import { createModelOpener } from "./open-models.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"
import { findGpuSupport } from "../engines/llama/native-code.ts"

export type Models = Awaited<ReturnType<typeof composeModels>>

/** The three models in use, installed and server models, and downloads. */
export async function composeModels(
  base: Base,
  accounts: Accounts,
  replaceEmbedding: (reference: string | null) => Promise<void>,
) {
  const { config, bus, push, place, logger, secrets, spawn, dataDir, stack } = base
  const { db } = base.database
  const { people, values, settings, outbound } = accounts
  const modelStore = createModelStore(values, dataDir, logger)
  const getName = async (path: string) =>
    (await modelStore.adopted()).find((model) => model.path === path)?.name
  const modelServers = createModelServers({ db, secrets, outbound, changed: serverChanged })
  const modelsDirectory = modelsPath(dataDir)
  const installed = createInstalledModels({ directory: modelsDirectory, store: modelStore })
  const speeds = createMeasuredSpeeds()
  const modelOptions = await openModelOptions({
    values,
    installed,
    servers: modelServers,
    estimateCost: (path) => opener.estimateCost(path),
    getSpeeds: (reference) => speeds.of(reference),
    changed: (reference) => reopen((each) => each === reference),
  })
  const opener = createModelOpener({
    config,
    canWrite: place.isInPlace,
    values,
    spawn,
    logger,
    outbound,
    getName,
    getOptions: (reference) => modelOptions.of(reference),
    async connected(id) {
      const model = await modelServers.connect(id)
      if (model === null) throw new AppError("unavailable", sentence("models.no_such_model"))
      return model
    },
  })
  const chatModels = stack.use(
    createChatModels({
      open: async (reference, makeRoom) =>
        applyModelOptions(speeds.measured(reference, await opener.chat(reference, makeRoom)), () =>
          modelOptions.of(reference),
        ),
      unloadAfterMinutes: (reference) => modelOptions.of(reference).unloadAfterMinutes,
    }),
  )
  const modelChoice = await openModelChoice({
    store: modelStore,
    isThere: async (reference) =>
      !isServerModel(reference) || (await modelServers.connect(reference)) !== null,
    startModels: { chat: config.model, embedding: config.embeddingModel, rerank: null },
    use: {
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
  })
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
      changed: createDownloadNews({ bus, push, ownerIds: people.ownerIds, logger }),
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
  const usableModels = createUsableModels({
    installed,
    servers: modelServers,
    chosen() {
      const reference = modelChoice.activeModel("chat")
      const engine = chatModels.engine()
      if (reference === null || engine === null) return null
      if (isServerModel(reference)) return { name: reference, reference, kind: "server" }
      return { name: engine.model.id, reference, kind: engine.model.kind === "local" ? "local" : "server" }
    },
  })
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
