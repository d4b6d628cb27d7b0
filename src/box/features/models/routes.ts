import type { api } from "../../../shared/contract/api.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { Caller } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import type { ModelNews } from "./model-news.ts"
import type { Models } from "./service.ts"

export interface ModelRoutesDeps {
  models: Models
  news: ModelNews
  isOwner(userId: string): Promise<boolean>
}

/** Models belong to the computer, so only owners see and change more than their state. */
export function modelHandlers({ models, news, isOwner }: ModelRoutesDeps): Handlers<typeof api.models> {
  async function requireOwner({ userId }: Caller): Promise<void> {
    if (await isOwner(userId)) return
    throw new AppError(
      "forbidden",
      "Only an owner of the workspace may see and change this computer's models.",
    )
  }
  return {
    state: () => news.state(),
    async list({ caller }) {
      await requireOwner(caller)
      return models.list()
    },
    async catalogue({ caller }) {
      await requireOwner(caller)
      return models.catalogue()
    },
    async found({ caller }) {
      await requireOwner(caller)
      return { models: await models.found() }
    },
    async add({ caller, body }) {
      await requireOwner(caller)
      return { model: await models.add(body.path) }
    },
    async remove({ caller, params }) {
      await requireOwner(caller)
      await models.remove(params.modelId)
      return { success: true, id: params.modelId }
    },
    async choose({ caller, body }) {
      await requireOwner(caller)
      return { choice: await models.choose(body.role, body.modelId) }
    },
    async downloads({ caller }) {
      await requireOwner(caller)
      return { downloads: models.downloads() }
    },
    async download({ caller, body }) {
      await requireOwner(caller)
      return { download: await models.download(body) }
    },
    async pauseDownload({ caller, params }) {
      await requireOwner(caller)
      return { download: await models.pause(params.downloadId) }
    },
    async resumeDownload({ caller, params }) {
      await requireOwner(caller)
      return { download: await models.resume(params.downloadId) }
    },
    async cancelDownload({ caller, params }) {
      await requireOwner(caller)
      await models.cancel(params.downloadId)
      return { success: true, id: params.downloadId }
    },
  }
}
