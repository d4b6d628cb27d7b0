import { homedir } from "node:os"
import { join } from "node:path"
import { createChatModel } from "../features/models/chat-model.ts"
import { createDownloadNews } from "../features/models/downloads/download-news.ts"
import { createDownloads } from "../features/models/downloads/downloads.ts"
import { createInstalledModels } from "../features/models/installed-models.ts"
import { openModelChoice } from "../features/models/model-choice.ts"
import { createRerankModel } from "../features/models/rerank-model.ts"
import { createModelStore } from "../features/models/model-store.ts"
import { programFolders } from "../features/models/program-folders.ts"
import { createModels } from "../features/models/service.ts"
import { createModelOpener } from "./open-models.ts"
import type { Accounts } from "./accounts.ts"
import type { Base } from "./compose-options.ts"

export type Models = Awaited<ReturnType<typeof composeModels>>

/** The three models in use, those that are installed, and downloads. */
export async function composeModels(
  base: Base,
  accounts: Accounts,
  replaceEmbedding: (path: string | null) => Promise<void>,
) {
  const { config, bus, push, place, logger, spawn, dataDir, stack } = base
  const { people, values, settings, outbound } = accounts
  const modelStore = createModelStore(values, dataDir, logger)
  const nameOf = async (path: string) =>
    (await modelStore.adopted()).find((model) => model.path === path)?.name
  const opener = createModelOpener({
    config,
    mayWrite: place.isKept,
    values,
    spawn,
    logger,
    outbound,
    nameOf,
  })
  const modelChoice = await openModelChoice({
    store: modelStore,
    startModels: { chat: config.model, embedding: config.embeddingModel, rerank: null },
    use: {
      async chat(path) {
        chatModel.replace(path === null ? null : await opener.chat(path))
        chatModel.load()
      },
      embedding: replaceEmbedding,
      async rerank(path) {
        await rerankModel.replace(path === null ? null : await opener.rerank(path))
        rerankModel.load()
      },
    },
  })
  const chatPath = modelChoice.inUse("chat")
  const chatModel = stack.use(createChatModel(chatPath === null ? null : await opener.chat(chatPath)))
  const rerankPath = modelChoice.inUse("rerank")
  const rerankModel = stack.use(
    createRerankModel(rerankPath === null ? null : await opener.rerank(rerankPath)),
  )
  const modelsDirectory = join(dataDir, "models")
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
    installed: createInstalledModels({ directory: modelsDirectory, store: modelStore }),
    choice: modelChoice,
    downloads,
    programFolders: programFolders({ directory: homedir(), env: process.env, platform: process.platform }),
    gpuBytes: opener.gpuBytes,
    gpuTrial: opener.gpuTrial,
  })
  return { opener, modelChoice, chatModel, rerankModel, downloads, models }
}
