import type { api } from "../../../shared/contract/api.ts"
import type { Handlers } from "../../http/serve.ts"
import type { Memories } from "./service.ts"

export function memoryHandlers(memories: Memories): Handlers<typeof api.memory> {
  return {
    list: ({ caller, query: { limit, offset, search } }) =>
      memories.list(caller.userId, { limit, offset }, search),
    remember: async ({ caller, body }) => ({ memory: await memories.remember(caller.userId, body.text) }),
    update: async ({ caller, params, body }) => ({
      memory: await memories.update(caller.userId, params.id, body.text),
    }),
    async forget({ caller, params }) {
      await memories.forget(caller.userId, params.id)
      return { success: true, id: params.id }
    },
    forgetAll: async ({ caller }) => ({ removed: await memories.forgetAll(caller.userId) }),
  }
}
