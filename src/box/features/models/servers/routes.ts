import type { api } from "../../../../shared/contract/api.ts"
import type { Handlers } from "../../../http/serve.ts"
import type { ModelServers } from "./servers.ts"

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
