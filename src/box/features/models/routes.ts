import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { ModelNews } from "./model-news.ts"
import type { OpenModelOptions } from "./options/model-options.ts"
import type { ModelServers } from "./servers/servers.ts"
import type { Models } from "./service.ts"

export function modelHandlers(models: Models, news: ModelNews): Handlers<typeof api.models> {
  return {
    state: () => news.state(),
    list: () => models.list(),
    catalogue: () => models.catalogue(),
    async found() {
      return { models: await models.found() }
    },
    async add({ body }) {
      return { model: await models.add(body.path) }
    },
    async remove({ params }) {
      await models.remove(params.modelId)
      return { success: true, id: params.modelId }
    },
    tryGpuAgain() {
      models.tryGpuAgain()
      return { success: true }
    },
    async choose({ body }) {
      return { choice: await models.choose(body.role, body.modelId) }
    },
    async downloads() {
      return { downloads: models.downloads() }
    },
    async download({ body }) {
      return { download: await models.download(body) }
    },
    async pauseDownload({ params }) {
      return { download: await models.pause(params.downloadId) }
    },
    async resumeDownload({ params }) {
      return { download: await models.resume(params.downloadId) }
    },
    async cancelDownload({ params }) {
      await models.cancel(params.downloadId)
      return { success: true, id: params.downloadId }
    },
  }
}

export function modelOptionHandlers(options: OpenModelOptions): Handlers<typeof api.modelOptions> {
  return {
    read: ({ params }) => options.read(params.modelId),
    update: ({ params, body }) => options.update(params.modelId, body),
  }
}

export function modelServerHandlers(servers: ModelServers): Handlers<typeof api.modelServers> {
  return {
    list: async () => ({ servers: await servers.list() }),
    add: async ({ body }) => ({ server: await servers.add(body) }),
    update: async ({ params, body }) => ({ server: await servers.update(params.serverId, body) }),
    refresh: async ({ params }) => ({ server: await servers.refresh(params.serverId) }),
    async remove({ params }) {
      await servers.remove(params.serverId)
      return { success: true, id: params.serverId }
    },
  }
}
