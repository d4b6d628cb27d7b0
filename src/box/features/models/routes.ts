import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { ModelNews } from "./model-news.ts"
import type { Models } from "./service.ts"

export interface ModelRoutesDeps {
  models: Models
  news: ModelNews
}

export function modelHandlers({ models, news }: ModelRoutesDeps): Handlers<typeof api.models> {
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
